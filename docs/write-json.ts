/**
 * Writes docs/json.md from the zod schemas of the answers: `npm run docs`. A test fails while the page and the
 * schemas differ.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { DifferenceJson, VerifyJson } from "../bin/cli/verify-answer.ts";
import { WatchedSyncJson } from "../bin/cli/watch-answers.ts";
import {
  DeletedFileJson,
  DeletedJson,
  ForkedJson,
  MovedJson,
  RestoredJson,
  SessionMetadataJson,
  TrashedJson,
} from "../bin/cli/write-answers.ts";
import {
  ClosestMatchesJson,
  CountJson,
  FacetCountJson,
  FacetsJson,
  FileTouchesJson,
  FileTouchJson,
  HitJson,
  HitLocationJson,
  LabelJson,
  ProblemJson,
  ScanHitJson,
  SessionHitsJson,
  SessionInfoJson,
  SnippetJson,
  StatsJson,
  TotalsJson,
  TreeEntryJson,
} from "../query/answers.ts";
import {
  DatabaseHealthJson,
  DiagnosisJson,
  ExcludedFolderJson,
  FindingJson,
  FreshnessJson,
  LeftoverJson,
  OpenToOthersJson,
  ProblemCountJson,
  RootHealthJson,
  UnknownJson,
  VersionsJson,
  WatchingJson,
} from "../query/health/diagnosis.ts";
import { JSON_SCHEMA_VERSION } from "../query/json-version.ts";
import { SecretFindingJson } from "../query/secrets/secret-answers.ts";
import { SqlViewJson } from "../query/sql/sql-view.ts";
import {
  BudgetStatusJson,
  FiguresJson,
  SessionFiguresJson,
  SessionUsageJson,
  UsageEventJson,
  UsageGroupJson,
  UsageJson,
  UsageRowJson,
  UsageTokensJson,
} from "../query/usage/usage-answers.ts";

const OBJECTS: [string, string, z.ZodType][] = [
  ["Session", "A session as lists show it: pi's `SessionInfo`, and more.", SessionInfoJson],
  ["Session hits", "What a search found in one session.", SessionHitsJson],
  ["Hit", "An entry that a search found.", HitJson],
  ["Scan hit", "An entry that `--substring` or `--regex` found.", ScanHitJson],
  ["Place", "Where a fork has a copy of an entry.", HitLocationJson],
  ["Closest matches", "Sessions that match a query in part, where few match in full.", ClosestMatchesJson],
  ["Facets", "Match counts by field, with `--facets`.", FacetsJson],
  ["Totals", "How many match, with `--facets`.", TotalsJson],
  ["Facet count", "A value, and the hits that have it.", FacetCountJson],
  ["Snippet", "The text around what was found.", SnippetJson],
  ["File touches", "What a session did to files.", FileTouchesJson],
  ["File touch", "An entry that did something to a file.", FileTouchJson],
  ["Tree entry", "An entry as the tree sees it.", TreeEntryJson],
  ["Label", "A label in force.", LabelJson],
  ["Problem", "Something wrong in a session file.", ProblemJson],
  ["Stats", "What the index holds, counted.", StatsJson],
  ["Usage", "What was used and what it cost, broken down.", UsageJson],
  [
    "Usage group",
    "Of two dimensions, the sum of all rows that have the same value in the first.",
    UsageGroupJson,
  ],
  ["Usage row", "One of what it is broken down by: its figures, and what it is of.", UsageRowJson],
  ["Figures", "What was used and what it cost.", FiguresJson],
  ["Tokens", "Tokens by what became of them.", UsageTokensJson],
  ["Budget", "How it goes with a budget.", BudgetStatusJson],
  ["Spend", "What one session cost.", SessionUsageJson],
  ["Session figures", "A session, and what it cost.", SessionFiguresJson],
  ["Usage event", "One act that adds up, at the place where it counts.", UsageEventJson],
  [
    "Organised session",
    "A session that was named, labelled, pinned, archived or tagged.",
    SessionMetadataJson,
  ],
  ["Moved session", "A session that was given another working directory.", MovedJson],
  ["Forked session", "A session that was begun with the entries of another.", ForkedJson],
  ["Deleted session", "A session that was deleted, and where it went.", DeletedJson],
  ["Gone", "A file or folder that was deleted, and where it went.", DeletedFileJson],
  ["Trashed session", "A session in the trash that can be restored.", TrashedJson],
  ["Restored session", "A session that was restored from the trash.", RestoredJson],
  ["Verification", "What comparing the index with the session files came to.", VerifyJson],
  ["Difference", "Something in which the index is not what the session files make it.", DifferenceJson],
  ["Diagnosis", "What `pidex doctor` saw. Its findings are in doctor.md.", DiagnosisJson],
  ["Finding", "Something that is wrong, or good to know, and what to do.", FindingJson],
  ["Versions", "What pidex is made of here.", VersionsJson],
  ["Root", "A folder that is looked at.", RootHealthJson],
  ["Database", "The database, as a file and as a database.", DatabaseHealthJson],
  ["Folder left out", "A session folder that is not indexed.", ExcludedFolderJson],
  ["Leftover", "What was left beside the database.", LeftoverJson],
  ["Freshness", "How far the index is behind the session files.", FreshnessJson],
  ["Open to others", "Who else may read session files.", OpenToOthersJson],
  ["Watching", "Whether, and how much, can be watched.", WatchingJson],
  ["Unknown", "What could not be found out, and why.", UnknownJson],
  ["Problem count", "What is wrong in session files, by code.", ProblemCountJson],
  ["Watched sync", "A sync of `pidex watch` that found something.", WatchedSyncJson],
  ["Secret", "A likely key, token or password, masked, at one of its places.", SecretFindingJson],
  ["Count", "A name and a number.", CountJson],
  ["View", "What `pidex sql` may ask.", SqlViewJson],
];

const ANSWERS: [string, string][] = [
  [
    "pidex index --json",
    "`{schema, report}`: files seen, `added`, `appended`, `reindexed`, `moved`, `forgotten`, `faulty`, `skipped`, `bytesRead`, `linesRead`, `bytesVerified`, `unlisted`, `busy`, `behind`, `roots`, `databasePath`",
  ],
  ["pidex watch --json", "`{schema, …Watched sync}`, one for each sync that found something"],
  [
    "pidex list --json",
    "`{schema, sessions: [Session], total, next?}`; `next` is the `--cursor` of the next page",
  ],
  [
    "pidex search WORDS --json",
    "`{schema, sessions: [Session hits], hitCount, sessionCount, more, next?, facets?, totals?, unfound?, closest?, notAQuery?, broadPrefixes?}`; `more` when there are hits that were not ranked: `hitCount` and `sessionCount` are of those that were, `totals` of all; `next` is the `--cursor` of the next page; `unfound`, where no session matches in full, the words that the index does not have; `closest` (Closest matches) where sessions that match in part come last; `notAQuery` why the query was read as plain words; `broadPrefixes` those of one or two letters of which only the 64 most frequent words were searched",
  ],
  [
    "pidex search WORDS --flat --json",
    "`{schema, hits: [Hit], hitCount, sessionCount, more, next?, facets?, totals?, unfound?, closest?, notAQuery?, broadPrefixes?}`",
  ],
  ["pidex search --substring TEXT --json", "`{schema, hits: [Scan hit]}`; with `--regex RE2` too"],
  [
    "pidex files PATTERN --json",
    "`{schema, total, touchCount, next?, sessions: [File touches]}`; `next` is the `--cursor` of the next page",
  ],
  [
    "pidex show SESSION --json",
    "`{schema, session: Session, entries: [{entry, line, byteOffset, byteLength}]}`; `entry` as the file has it, upgraded to version 3",
  ],
  [
    "pidex show SESSION --context --json",
    "`{schema, session: Session, context: {messages, thinkingLevel, model}}`",
  ],
  [
    "pidex tree SESSION --json",
    "`{schema, session: Session, entries: [Tree entry]}`, in file order; `parentId` makes it a tree",
  ],
  ["pidex labels --json", "`{schema, labels: [Label]}`"],
  ["pidex stats --json", "`{schema, stats: Stats}`"],
  ["pidex stats --problems --json", "`{schema, problems: [Problem]}`"],
  ["pidex usage --json", "`{schema, usage: Usage}`; `--ndjson` has its rows"],
  [
    "pidex usage --explain --json",
    "`{schema, total: Figures, events: [Usage event]}`; of `spend` too; `costNanoUsd` of the events comes to the total's",
  ],
  ["pidex spend SESSION --json", "`{schema, spend: Spend}`"],
  [
    "pidex sql SQL --json",
    "`{schema, columns, rows: [{…}]}`: each row an object, with the value of each column by its name (`a_2` for a second `a`): text, a number, null, `{blob}` with hex digits, or text for what a number cannot hold. With `--ndjson` a column `schema` takes the place of the number",
  ],
  ["pidex sql --schema --json", "`{schema, views: [View]}`"],
  ["pidex resume SESSION --json", "`{schema, command, cwd, argv, session: Session}`"],
  [
    "pidex name SESSION --json",
    "`{schema, dryRun, sessions: [Organised session]}`; of `label`, `pin`, `archive` and `tag` too",
  ],
  ["pidex move SESSION CWD --json", "`{schema, dryRun, moved: Moved session}`"],
  ["pidex fork SESSION --json", "`{schema, dryRun, forked: Forked session}`"],
  ["pidex delete SESSION --json", "`{schema, dryRun, deleted: [Deleted session]}`"],
  ["pidex restore --json", "`{schema, trashed: [Trashed session]}`, the last deleted first"],
  ["pidex restore SESSION --json", "`{schema, dryRun, restored: [Restored session]}`"],
  ["pidex verify --json", "`{schema, verification: Verification}`; `--ndjson` has the differences"],
  ["pidex scan --json", "`{schema, secrets: [Secret]}`, in the order in which they are found"],
  ["pidex doctor --json", "`{schema, diagnosis: Diagnosis}`; `--ndjson` has the findings"],
];

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

/** The page, as it should be. */
export function jsonPage(): string {
  return `# JSON

Every command that answers takes \`--json\` (one object) and, where the answer can be long, \`--ndjson\` (one
object a line: the parts of the list, each with \`schema\`). \`schema\` is ${JSON_SCHEMA_VERSION}; it is raised when a change could break
a reader. Fields may be added without that. A field that is marked optional is left out when there is nothing
to say. Times are ISO 8601 in UTC.

This page is written from the schemas in \`query/answers.ts\` by \`npm run docs\`.

## Answers

${table(
  ["command", "answer"],
  ANSWERS.map(([command, answer]) => [`\`${command}\``, answer]),
)}
${OBJECTS.map(([name, about, schema]) => section(name, about, schema)).join("\n")}`;
}

function section(name: string, about: string, schema: z.ZodType): string {
  const { properties = {}, required = [] } = z.toJSONSchema(schema) as JsonSchema;
  const rows = Object.entries(properties).map(([field, value]) => [
    `\`${field}\`${required.includes(field) ? "" : "?"}`,
    typeName(value),
    value.description ?? "",
  ]);
  return `## ${name}\n\n${about}\n\n${table(["field", "type", "what it says"], rows)}`;
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

if (import.meta.main) writeFileSync(join(import.meta.dirname, "json.md"), jsonPage());
