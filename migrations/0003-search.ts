import { type Kysely, sql } from "kysely";

/**
 * What search asks besides words: the tool a result came from, whether an entry tells of a failure, whether two
 * entries say the same, which lines are on the current branch, and which files on the disk an entry touched.
 *
 * Files and entries get ids that are never given again (AUTOINCREMENT): a page of hits goes on from the ids of the page
 * before, whatever was rewritten meanwhile. SQLite cannot add that to a table, so both are made anew and filled from
 * the old ones, which takes foreign keys that are off.
 *
 * The current branch is kept as ranges of lines: a conversation that only goes on has one, and a new entry moves its
 * end. Paths stand once, in a table of their own: a session names the same few again and again. `ordinal` is that of
 * the tool call, or -1 where the entry names the file itself.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    CREATE TABLE new_file (
      id          INTEGER PRIMARY KEY AUTOINCREMENT,
      path        TEXT    NOT NULL UNIQUE,
      subagent    INTEGER NOT NULL,
      extraction  INTEGER NOT NULL,
      inode       TEXT    NOT NULL,
      size        INTEGER NOT NULL,
      mtime_ns    TEXT    NOT NULL,
      ctime_ns    TEXT    NOT NULL,
      racy        INTEGER NOT NULL,
      cursor      INTEGER NOT NULL,
      terminated  INTEGER NOT NULL,
      lines       INTEGER NOT NULL,
      parsed      INTEGER NOT NULL,
      header      TEXT    NOT NULL,
      version     INTEGER NOT NULL,
      leaf_id     ANY,
      prefix_hash TEXT    NOT NULL
    ) STRICT`.execute(db);
  await sql`INSERT INTO new_file SELECT * FROM file`.execute(db);
  await sql`DROP TABLE file`.execute(db);
  await sql`ALTER TABLE new_file RENAME TO file`.execute(db);
  await sql`
    CREATE TABLE new_entry (
      id          INTEGER PRIMARY KEY AUTOINCREMENT,
      file_id     INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
      line        INTEGER NOT NULL,
      byte_offset INTEGER NOT NULL,
      byte_length INTEGER NOT NULL,
      entry_id    ANY,
      parent_id   ANY,
      type        TEXT    NOT NULL,
      role        TEXT,
      timestamp   INTEGER,
      tool        TEXT,
      failed      INTEGER NOT NULL,
      text_hash   INTEGER
    ) STRICT`.execute(db);
  await sql`INSERT INTO new_entry SELECT *, NULL, 0, NULL FROM entry`.execute(db);
  await sql`DROP TABLE entry`.execute(db);
  await sql`ALTER TABLE new_entry RENAME TO entry`.execute(db);
  await sql`CREATE INDEX entry_file ON entry (file_id)`.execute(db);
  await sql`CREATE INDEX entry_entry_id ON entry (entry_id, file_id)`.execute(db);
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
