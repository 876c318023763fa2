import { type Kysely, sql } from "kysely";

/**
 * Calls that tools made themselves, as codemode scripts do. They stand in `tool_call` on the entry of the result that records
 * them; `caller` is the entry of the answer that called the script, whose model, time and standing they count under, and the
 * result itself where no answer called for it. Null for calls of a model.
 *
 * `duration` is how long a call took, in milliseconds, where the file says so: until now only the time from the answer to the
 * result was known. All files are read again, since `EXTRACTION` is another too.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE tool_call ADD COLUMN caller INTEGER`.execute(db);
  await sql`ALTER TABLE tool_call ADD COLUMN duration INTEGER`.execute(db);
  await sql`CREATE INDEX tool_call_caller ON tool_call (caller) WHERE caller IS NOT NULL`.execute(db);

  const { rows: views } = await sql<{ name: string; text: string }>`
    SELECT name, sql AS text FROM sqlite_schema WHERE type = 'view' ORDER BY rowid`.execute(db);
  for (const { name } of views) await sql`DROP VIEW ${sql.table(name)}`.execute(db);
  for (const { name, text } of views) {
    await sql.raw(name === "tool_calls" ? withNested(text) : text).execute(db);
  }
}

/** What changes in the view `tool_calls`: a column is added, and its model and standing are the caller's. */
const CHANGES: readonly [from: string, to: string][] = [
  [
    "CAST(result.timestamp - entry.timestamp AS INTEGER) AS elapsed_ms, -- milliseconds from the call to its result",
    `CAST(coalesce(tool_call.duration,
    CASE WHEN tool_call.caller IS NULL THEN result.timestamp - entry.timestamp END) AS INTEGER) AS elapsed_ms, -- milliseconds the call took as the file says, else from the call to its result
  CAST(tool_call.caller IS NOT NULL AS INTEGER) AS nested, -- 1 when a tool made the call itself, as codemode scripts do; line is the line of that tool's result`,
  ],
  [
    "LEFT JOIN event ON event.entry = tool_call.entry AND event.ordinal = 0",
    "LEFT JOIN event ON event.entry = coalesce(tool_call.caller, tool_call.entry) AND event.ordinal = 0",
  ],
];

function withNested(view: string): string {
  return CHANGES.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error("the view tool_calls is not as migration 0005 made it");
    return text.replace(from, to);
  }, view);
}
