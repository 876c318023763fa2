import { type Kysely, sql } from "kysely";

/**
 * Files, and what lines of them say. `file` carries the cursor: how far its lines are in the other tables.
 * Ids of entries are ANY: 5 and "5" are two ids. Times are Unix milliseconds, money is nano-dollars.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    CREATE TABLE file (
      id          INTEGER PRIMARY KEY,
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
  await sql`
    CREATE TABLE session (
      file_id         INTEGER PRIMARY KEY REFERENCES file (id) ON DELETE CASCADE,
      id              TEXT    NOT NULL,
      cwd             TEXT    NOT NULL,
      parent_session  TEXT,
      internal        INTEGER NOT NULL,
      created         INTEGER,
      last_message    INTEGER,
      modified        INTEGER NOT NULL,
      name            TEXT,
      first_message   TEXT,
      provider        TEXT,
      model           TEXT,
      entry_count     INTEGER NOT NULL,
      message_count   INTEGER NOT NULL,
      user_count      INTEGER NOT NULL,
      assistant_count INTEGER NOT NULL
    ) STRICT`.execute(db);
  await sql`CREATE INDEX session_modified ON session (modified, file_id)`.execute(db);
  await sql`CREATE INDEX session_id ON session (id)`.execute(db);
  await sql`CREATE INDEX session_cwd ON session (cwd)`.execute(db);
  await sql`
    CREATE TABLE entry (
      id          INTEGER PRIMARY KEY,
      file_id     INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
      line        INTEGER NOT NULL,
      byte_offset INTEGER NOT NULL,
      byte_length INTEGER NOT NULL,
      entry_id    ANY,
      parent_id   ANY,
      type        TEXT    NOT NULL,
      role        TEXT,
      timestamp   INTEGER
    ) STRICT`.execute(db);
  await sql`CREATE INDEX entry_file ON entry (file_id)`.execute(db);
  await sql`CREATE INDEX entry_entry_id ON entry (entry_id, file_id)`.execute(db);
  await sql`
    CREATE TABLE label (
      file_id   INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
      target_id ANY     NOT NULL,
      label     TEXT    NOT NULL,
      timestamp INTEGER,
      PRIMARY KEY (file_id, target_id)
    ) STRICT, WITHOUT ROWID`.execute(db);
  await sql`
    CREATE TABLE tool_call (
      entry    INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
      ordinal  INTEGER NOT NULL,
      file_id  INTEGER NOT NULL,
      call     INTEGER NOT NULL,
      name     TEXT    NOT NULL,
      path     TEXT,
      is_error INTEGER,
      result   INTEGER,
      PRIMARY KEY (entry, ordinal)
    ) STRICT, WITHOUT ROWID`.execute(db);
  await sql`CREATE INDEX tool_call_call ON tool_call (file_id, call)`.execute(db);
  await sql`CREATE INDEX tool_call_path ON tool_call (path) WHERE path IS NOT NULL`.execute(db);
  await sql`
    CREATE TABLE usage (
      entry         INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
      ordinal       INTEGER NOT NULL,
      source        TEXT    NOT NULL,
      run           INTEGER,
      agent         TEXT,
      provider      TEXT,
      model         TEXT,
      input         INTEGER NOT NULL,
      output        INTEGER NOT NULL,
      cache_read    INTEGER NOT NULL,
      cache_write   INTEGER NOT NULL,
      reasoning     INTEGER NOT NULL,
      cost          INTEGER NOT NULL,
      provider_cost INTEGER,
      PRIMARY KEY (entry, ordinal)
    ) STRICT, WITHOUT ROWID`.execute(db);
  await sql`
    CREATE TABLE session_model (
      file_id  INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
      provider TEXT    NOT NULL,
      model    TEXT    NOT NULL,
      messages INTEGER NOT NULL,
      PRIMARY KEY (file_id, provider, model)
    ) STRICT, WITHOUT ROWID`.execute(db);
  await sql`
    CREATE TABLE subagent_run (
      entry        INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
      ordinal      INTEGER NOT NULL,
      agent        TEXT,
      session_file TEXT,
      artifact     TEXT,
      PRIMARY KEY (entry, ordinal)
    ) STRICT, WITHOUT ROWID`.execute(db);
  await sql`CREATE INDEX subagent_run_session ON subagent_run (session_file)`.execute(db);
  await sql`CREATE INDEX subagent_run_artifact ON subagent_run (artifact)`.execute(db);
  await sql`
    CREATE TABLE problem (
      file_id     INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
      byte_offset INTEGER NOT NULL,
      line        INTEGER NOT NULL,
      code        TEXT    NOT NULL,
      message     TEXT    NOT NULL
    ) STRICT`.execute(db);
  await sql`CREATE INDEX problem_file ON problem (file_id, byte_offset)`.execute(db);
}
