import { type Kysely, sql } from "kysely";

const KEY = "printf('%016x', event.key)";

/**
 * What is needed to recognise copies whose entries have other ids: pi gives the entries of a version 1 session random
 * ones when it opens a copy.
 *
 * `event.key` is no longer made of the id. Places with one key may tell of several acts: `instance` numbers those from 0,
 * and places of one act have both alike.
 *
 * `lineage` has the names by which the file of a session and its relatives find each other: its own (`role` 0: its
 * session id, path and file name) and those of the session that it was forked from (1). `contested_key` has the keys
 * whose places do not all have one id, with the files that they stand in: these are looked at again when a family changes.
 *
 * `reported_sum` has the figures of an event as its tool result tells them, where those in `event` are less: it is the sum of
 * several runs, and the sessions of some of them tell their part.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE event ADD COLUMN instance INTEGER NOT NULL DEFAULT 0`.execute(db);
  await sql`
    CREATE TABLE lineage (
      name    TEXT    NOT NULL,
      role    INTEGER NOT NULL,
      file_id INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
      PRIMARY KEY (name, role, file_id)
    ) STRICT, WITHOUT ROWID`.execute(db);
  await sql`CREATE INDEX lineage_file ON lineage (file_id)`.execute(db);
  await sql`
    CREATE TABLE contested_key (
      key     INTEGER NOT NULL,
      file_id INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
      PRIMARY KEY (key, file_id)
    ) STRICT, WITHOUT ROWID`.execute(db);
  await sql`CREATE INDEX contested_key_file ON contested_key (file_id)`.execute(db);
  await sql`
    CREATE TABLE reported_sum (
      entry          INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
      ordinal        INTEGER NOT NULL,
      billed         INTEGER NOT NULL,
      input          INTEGER NOT NULL,
      output         INTEGER NOT NULL,
      cache_read     INTEGER NOT NULL,
      cache_write    INTEGER NOT NULL,
      cache_write_1h INTEGER NOT NULL,
      reasoning      INTEGER NOT NULL,
      cost           INTEGER NOT NULL,
      provider_cost  INTEGER,
      PRIMARY KEY (entry, ordinal)
    ) STRICT, WITHOUT ROWID`.execute(db);

  const { rows: views } = await sql<{ name: string; text: string }>`
    SELECT name, sql AS text FROM sqlite_schema WHERE type = 'view' ORDER BY rowid`.execute(db);
  for (const { name } of views) await sql`DROP VIEW ${sql.table(name)}`.execute(db);
  const ofInstance = `${KEY} || iif(event.instance = 0, '', '-' || event.instance)`;
  for (const { text } of views) await sql.raw(text.replace(KEY, ofInstance)).execute(db);
}
