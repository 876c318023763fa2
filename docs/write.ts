/**
 * Writes the generated tables of docs/json.md and docs/schema.md: `npm run docs`. The rest of the pages is written by
 * hand. A test fails if a table differs from the schema or view that it describes.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import * as metadata from "../bin/actions/session-metadata.ts";
import * as config from "../bin/cli/config-answers.ts";
import * as tags from "../bin/cli/tag-answers.ts";
import * as transfers from "../bin/cli/transfer-answers.ts";
import * as watching from "../bin/cli/watch-answers.ts";
import * as writing from "../bin/cli/write-answers.ts";
import * as verifying from "../indexer/verify/verify-answer.ts";
import { migrations } from "../migrations/index.ts";
import * as answers from "../query/answers.ts";
import * as git from "../query/git/git-answers.ts";
import * as diagnosis from "../query/health/diagnosis.ts";
import * as insights from "../query/insights/insight-answers.ts";
import { JSON_SCHEMA_VERSION } from "../query/json-version.ts";
import * as prices from "../query/prices/price-rule.ts";
import * as secrets from "../query/secrets/secret-answers.ts";
import * as sqlViews from "../query/sql/sql-view.ts";
import { readViews } from "../query/sql/views.ts";
import * as usage from "../query/usage/usage-answers.ts";
import { openDatabase } from "../src/store/sqlite/open.ts";

/** Modules whose schemas with a title are sections of docs/json.md. */
const MODULES = [
  config,
  tags,
  answers,
  usage,
  git,
  prices,
  insights,
  diagnosis,
  secrets,
  sqlViews,
  metadata,
  verifying,
  watching,
  transfers,
  writing,
];

/** The part of a section that is generated. Without `about`, the sentence above the table is written by hand. */
interface Described {
  about?: string;
  table: string;
}

/** docs/json.md with current tables. */
export function updateJsonPage(page: string): string {
  const schemas = MODULES.flatMap((module) => Object.values<unknown>(module)).filter(
    (value) => value instanceof z.ZodType,
  );
  const tables = schemas.flatMap((schema): [string, Described][] => {
    const title = schema.meta()?.title;
    return title === undefined ? [] : [[title, { table: schemaTable(schema) }]];
  });
  return updateSections(page, new Map(tables)).replace(
    /`schema` is \d+/,
    `\`schema\` is ${JSON_SCHEMA_VERSION}`,
  );
}

/** docs/schema.md with the views that the migrations create. */
export async function updateSchemaPage(page: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "pidex-docs-"));
  try {
    const database = await openDatabase({ path: join(folder, "index.db"), migrations });
    const views = readViews(database.readerHandle);
    await database.close();
    const sections = views.map(({ name, about, columns }): [string, Described] => {
      const rows = columns.map((column) => [`\`${column.name}\``, column.type, column.about]);
      const sentence = `${about.charAt(0).toUpperCase()}${about.slice(1)}.`;
      return [name, { about: sentence, table: table(["column", "type", "meaning"], rows) }];
    });
    return updateSections(page, new Map(sections));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Updates the sections that consist of a sentence and a table. Throws unless each has its description, and the reverse. */
function updateSections(page: string, described: ReadonlyMap<string, Described>): string {
  const missing = new Set(described.keys());
  const updated = page.replace(/^## (.+)\n\n(.+)\n\n(?:\|.*\n)+/gm, (_, name, sentence) => {
    const content = described.get(name);
    if (!content) throw new Error(`the section ${name} describes nothing that exists`);
    missing.delete(name);
    return `## ${name}\n\n${content.about ?? sentence}\n\n${content.table}`;
  });
  if (missing.size === 0) return updated;
  throw new Error(`the page needs a section with a sentence and a table: ${[...missing].join(", ")}`);
}

interface JsonSchema {
  title?: string;
  type?: string | string[];
  anyOf?: JsonSchema[];
  enum?: string[];
  items?: JsonSchema;
  prefixItems?: JsonSchema[];
  format?: string;
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
}

function schemaTable(schema: z.ZodType): string {
  const { properties = {}, required = [] } = z.toJSONSchema(schema) as JsonSchema;
  const rows = Object.entries(properties).map(([field, value]) => [
    `\`${field}\`${required.includes(field) ? "" : "?"}`,
    typeName(value),
    value.description ?? "",
  ]);
  return table(["field", "type", "meaning"], rows);
}

function typeName({ title, type, anyOf, enum: values, items, prefixItems, format }: JsonSchema): string {
  if (title) return title;
  if (Array.isArray(type)) return type.join(" or ");
  if (values) return values.map((value) => `\`"${value}"\``).join(" or ");
  if (anyOf) return anyOf.map(typeName).join(" or ");
  if (prefixItems) return `[${prefixItems.map(typeName).join(", ")}]`;
  if (type === "array") return `list of ${items ? typeName(items) : "anything"}`;
  if (format === "date-time") return "time";
  return type ?? "anything";
}

function table(headings: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`;
  return line(headings) + line(headings.map(() => "---")) + rows.map(line).join("");
}

if (import.meta.main) {
  for (const [name, update] of [
    ["json.md", updateJsonPage] as const,
    ["schema.md", updateSchemaPage] as const,
  ]) {
    const path = join(import.meta.dirname, name);
    writeFileSync(path, await update(readFileSync(path, "utf8")));
  }
}
