import { type Kysely, sql } from "kysely";

const SPENT = ["model_id", "kind", "agent", "tool", "stop", "current", "subagent"];
const CALLS = ["calls", "answered", "failed", "tool_ms"];
const FIGURES = [
  ...["billed", "messages", "turns", "compactions", "input", "output", "cache_read", "cache_write"],
  ...["cache_write_1h", "reasoning", "cost", "provider_cost", "model_ms", "user_ms", ...CALLS],
];
const TEXTS = ["kind", "agent", "tool", "stop"];
/** The tables, by what tells their rows apart within a block. */
const TABLES: Record<string, string[]> = {
  block_total: ["current", "subagent"],
  block_model: ["model_id", "kind", "current", "subagent"],
  block_spending: SPENT,
  block_tool_use: ["model_id", "tool", "stop", "current", "subagent"],
};
/** What they are filled from, the finest first. */
const LEVELS: [table: string, width: number, from: string, width: number][] = [
  ["block_model", 4, "spending", 1],
  ["block_model", 96, "block_model", 4],
  ["block_total", 4, "block_model", 4],
  ["block_total", 96, "block_total", 4],
  ["block_spending", 96, "spending", 1],
  ["block_spending", 1536, "block_spending", 96],
  ["block_tool_use", 96, "tool_use", 1],
  ["block_tool_use", 1536, "block_tool_use", 96],
];
const IS_SUBAGENT = `(file.subagent = 1 OR EXISTS (SELECT 1 FROM run_file CROSS JOIN entry ON entry.id = run_file.entry
  WHERE run_file.path = file.path AND entry.file_id <> file.id))`;

/**
 * Sums of the whole index by blocks of time, in UTC: without sessions there are few of them. `width` is how many quarters
 * of an hour a block has (4 an hour, 96 a day, 1,536 sixteen days), `start` its first one. They are of what is `own`
 * alone; `subagent` is 1 for what stands in files of subagents, also those that only another session tells to be one's.
 *
 * `session_total` is the sums of sessions with less told apart: most questions about sessions need no more.
 *
 * They are made of the sums there are: no file has to be read again.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [table, key] of Object.entries(TABLES)) {
    const figures = figuresOf(table).map((name) => `${name} INTEGER NOT NULL`);
    const columns = key.map((name) => `${name} ${TEXTS.includes(name) ? "TEXT" : "INTEGER"} NOT NULL`);
    await sql`CREATE TABLE ${sql.raw(`${table} (width INTEGER NOT NULL, start INTEGER NOT NULL, ${columns.join(", ")},
      ${figures.join(", ")}, PRIMARY KEY (width, start, ${key.join(", ")}))`)} STRICT, WITHOUT ROWID`.execute(
      db,
    );
  }
  for (const [table, width, from, shorter] of LEVELS) {
    const key = TABLES[table] ?? [];
    const time = shorter === 1 ? "quarter" : "start";
    const which = shorter === 1 ? "standing = 0" : `width = ${shorter}`;
    const columns = key.map((name) => (name === "subagent" && shorter === 1 ? IS_SUBAGENT : name));
    const sums = figuresOf(table).map((name) => `sum(${name})`);
    const files = shorter === 1 ? `CROSS JOIN file ON file.id = ${from}.file_id` : "";
    await sql`${sql.raw(`INSERT INTO ${table}
      SELECT ${width}, ${time} - (${time} % ${width} + ${width}) % ${width}, ${[...columns, ...sums].join(", ")}
      FROM ${from} ${files} WHERE ${which} GROUP BY 2, ${key.map((_, n) => n + 3).join(", ")}`)}`.execute(db);
  }
  const figures = FIGURES.map((name) => `${name} INTEGER NOT NULL`);
  await sql`CREATE TABLE ${sql.raw(`session_total (file_id INTEGER NOT NULL, current INTEGER NOT NULL,
    standing INTEGER NOT NULL, ${figures.join(", ")}, PRIMARY KEY (file_id, current, standing))`)}
    STRICT, WITHOUT ROWID`.execute(db);
  await sql`INSERT INTO session_total SELECT file_id, current, standing,
    ${sql.raw(FIGURES.map((name) => `sum(${name})`).join(", "))} FROM session_spending GROUP BY 1, 2, 3`.execute(
    db,
  );
  // What every answer about usage asks: which files are subagents', and which are to be read again.
  await sql`CREATE INDEX file_subagent ON file (path) WHERE subagent = 1`.execute(db);
  await sql`CREATE INDEX file_extraction ON file (extraction)`.execute(db);
}

function figuresOf(table: string): string[] {
  return table === "block_tool_use" ? CALLS : FIGURES;
}
