/**
 * Writes migrations/newest-schema.ts, from which a new index is made, from what the migrations make one by one:
 * `npm run docs`. A test fails while the two differ.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type SQLite from "better-sqlite3";
import { migrations } from "../migrations/index.ts";
import { openDatabase } from "../src/store/sqlite/open.ts";

/** Rows that the migrations insert. */
const ROWS = [
  "INSERT INTO generation (id) VALUES (lower(hex(randomblob(6))))",
  "INSERT INTO kysely_migration_lock (id, is_locked) VALUES ('migration_lock', 0)",
];

/** The migrations alone: a new index takes each of them in turn. */
export function oneByOne(): typeof migrations {
  return Object.fromEntries(
    Object.entries(migrations).map(([name, { loadSchema: _, ...step }]) => [name, step]),
  );
}

/** The SQL of all tables, indexes and views, in the order in which they were made. */
function schemaOf(db: SQLite.Database): string[] {
  // Tables that FTS5 keeps its own rows in, and SQLite's, come with others.
  const rows = db
    .prepare<[], string>(
      `SELECT schema.sql FROM sqlite_schema AS schema LEFT JOIN pragma_table_list AS list USING (name)
       WHERE schema.sql IS NOT NULL AND schema.name NOT LIKE 'sqlite_%' AND list.type IS NOT 'shadow'
       ORDER BY schema.rowid`,
    )
    .pluck();
  return rows.all();
}

async function newestSchema(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "pidex-docs-"));
  try {
    const database = await openDatabase({ path: join(folder, "index.db"), migrations: oneByOne() });
    const statements = [...schemaOf(database.readerHandle), ...ROWS];
    await database.close();
    return statements.map((statement) => `${statement};\n`).join("\n");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (import.meta.main) {
  const schema = (await newestSchema()).replace(/[\\`]|\$\{/g, "\\$&");
  const about = "/** The schema of a new index, as all migrations leave it. Written by `npm run docs`. */";
  const text = `${about}\nexport const SCHEMA = \`\n${schema}\`;\n`;
  writeFileSync(join(import.meta.dirname, "../migrations/newest-schema.ts"), text);
}
