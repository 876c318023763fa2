import { type Kysely, sql } from "kysely";

/**
 * What search asks besides words: the tool a result came from, whether an entry tells of a failure, whether two
 * entries say the same, which lines are on the current branch, and which files on the disk an entry touched.
 *
 * The current branch is kept as ranges of lines: a conversation that only goes on has one, and a new entry moves its
 * end. Paths stand once, in a table of their own: a session names the same few again and again. `ordinal` is that of
 * the tool call, or -1 where the entry names the file itself.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE entry ADD COLUMN tool TEXT`.execute(db);
  await sql`ALTER TABLE entry ADD COLUMN failed INTEGER NOT NULL DEFAULT 0`.execute(db);
  await sql`ALTER TABLE entry ADD COLUMN text_hash INTEGER`.execute(db);
  await sql`DROP INDEX tool_call_path`.execute(db);
  await sql`ALTER TABLE tool_call DROP COLUMN path`.execute(db);
  await sql`
    CREATE TABLE current_range (
      file_id    INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
      first_line INTEGER NOT NULL,
      last_line  INTEGER NOT NULL,
      PRIMARY KEY (file_id, first_line)
    ) STRICT, WITHOUT ROWID`.execute(db);
  await sql`
    CREATE TABLE path (
      id   INTEGER PRIMARY KEY,
      path TEXT NOT NULL UNIQUE
    ) STRICT`.execute(db);
  await sql`
    CREATE TABLE touch (
      entry   INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
      ordinal INTEGER NOT NULL,
      path_id INTEGER NOT NULL REFERENCES path (id),
      action  TEXT    NOT NULL,
      PRIMARY KEY (entry, ordinal, path_id, action)
    ) STRICT, WITHOUT ROWID`.execute(db);
  await sql`CREATE INDEX touch_path ON touch (path_id)`.execute(db);
}
