import { type Kysely, sql } from "kysely";

const TELLING = ["kind", "model_id", "agent", "tool", "stop", "current", "standing"];
const USING = ["model_id", "tool", "stop", "current", "standing"];
/** The tables of sums, by what a sum is of. */
const SUMS: Record<string, string[]> = {
  spending: ["quarter", "file_id", ...TELLING],
  quarter_spending: ["quarter", "file_id", "current", "standing"],
  session_spending: ["file_id", ...TELLING],
  tool_use: ["quarter", "file_id", ...USING],
  session_tool_use: ["file_id", ...USING],
};
const TEXTS = ["kind", "agent", "tool", "stop"];
const TOOL_USE = ["calls", "answered", "failed", "tool_ms"].map((name) => `${name} INTEGER NOT NULL`);
const SPENDING = [
  ...[
    "billed",
    "messages",
    "turns",
    "compactions",
    "input",
    "output",
    "cache_read",
    "cache_write",
    "cache_write_1h",
    "reasoning",
    "cost",
    "provider_cost",
    "model_ms",
    "user_ms",
  ].map((name) => `${name} INTEGER NOT NULL`),
  ...TOOL_USE,
];

/**
 * The ledger: what happened, what it cost, and whose it is.
 *
 * `event` has a row for each place where a session tells of an act: a turn, an answer, a compaction, anything that was
 * billed. Copies of an act (a fork's) have the same `key`, and one of them, that of the earliest session, has
 * `standing` 0: the others are copies (1), or are told by the file of the subagent itself (2). What stands at 0 adds up.
 * Of an event without a time copies cannot be told: its key is NULL.
 *
 * `spending` and `tool_use` are sums of it by session and quarter of an hour, which is what time zones are made of; calls
 * of tools are in both, once by tool. Most questions need less: the sums of `quarter_spending` tell less apart, those of
 * `session_…` are of all time. In all of them '' is what was not recorded, and a `quarter` far before all time is no time.
 *
 * `run_file` has every path under which the session of a subagent's run may lie.
 *
 * `usage` goes without its rows being kept: they lack what tells copies, and every file is read again after this.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`DROP TABLE usage`.execute(db);
  await sql`
    CREATE TABLE model (
      id       INTEGER PRIMARY KEY,
      provider TEXT NOT NULL,
      model    TEXT NOT NULL,
      UNIQUE (provider, model)
    ) STRICT`.execute(db);
  await sql`
    CREATE TABLE event (
      entry          INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
      ordinal        INTEGER NOT NULL,
      file_id        INTEGER NOT NULL,
      time           INTEGER,
      key            INTEGER,
      standing       INTEGER NOT NULL,
      kind           TEXT    NOT NULL,
      model_id       INTEGER NOT NULL REFERENCES model (id),
      run            INTEGER,
      agent          TEXT,
      tool           TEXT,
      stop           TEXT,
      billed         INTEGER NOT NULL,
      input          INTEGER NOT NULL,
      output         INTEGER NOT NULL,
      cache_read     INTEGER NOT NULL,
      cache_write    INTEGER NOT NULL,
      cache_write_1h INTEGER NOT NULL,
      reasoning      INTEGER NOT NULL,
      cost           INTEGER NOT NULL,
      provider_cost  INTEGER,
      elapsed        INTEGER,
      PRIMARY KEY (entry, ordinal)
    ) STRICT, WITHOUT ROWID`.execute(db);
  await sql`CREATE INDEX event_key ON event (key, standing)`.execute(db);
  await sql`CREATE INDEX event_file ON event (file_id, time)`.execute(db);
  for (const [table, key] of Object.entries(SUMS)) {
    const sums = table.endsWith("tool_use") ? TOOL_USE : SPENDING;
    const columns = [
      ...key.map((name) => `${name} ${TEXTS.includes(name) ? "TEXT" : "INTEGER"} NOT NULL`),
      ...sums,
    ];
    await sql`CREATE TABLE ${sql.raw(`${table} (${columns.join(", ")}, PRIMARY KEY (${key.join(", ")}))`)}
      STRICT, WITHOUT ROWID`.execute(db);
    if (key[0] === "quarter") {
      await sql`CREATE INDEX ${sql.raw(`${table}_file ON ${table} (file_id)`)}`.execute(db);
    }
  }
  await sql`
    CREATE TABLE run_file (
      entry   INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
      ordinal INTEGER NOT NULL,
      path    TEXT    NOT NULL,
      PRIMARY KEY (entry, ordinal, path)
    ) STRICT, WITHOUT ROWID`.execute(db);
  await sql`CREATE INDEX run_file_path ON run_file (path)`.execute(db);
  await sql`DROP INDEX subagent_run_session`.execute(db);
  await sql`DROP INDEX subagent_run_artifact`.execute(db);
}
