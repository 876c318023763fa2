import { type Kysely, sql } from "kysely";

/**
 * How sessions are organised: pinned, archived, tagged.
 *
 * Tags have a table and are no JSON in `session`, so that one is found by an index, is counted by a plain GROUP BY, and
 * is read by SQLite of any age, while `ordinal` keeps them in the order given. `folded` is what `tag:` asks for: SQLite
 * knows upper and lower case of ASCII only, and lists of sessions ask in SQL alone.
 *
 * Views are dropped and made again in the order they had, which is the order they are told in.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`ALTER TABLE session ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0`.execute(db);
  await sql`ALTER TABLE session ADD COLUMN archived INTEGER NOT NULL DEFAULT 0`.execute(db);
  await sql`
    CREATE TABLE tag (
      file_id INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
      ordinal INTEGER NOT NULL,
      tag     TEXT    NOT NULL,
      folded  TEXT    NOT NULL,
      PRIMARY KEY (file_id, ordinal)
    ) STRICT, WITHOUT ROWID`.execute(db);
  await sql`CREATE INDEX tag_folded ON tag (folded, file_id)`.execute(db);

  const { rows: views } = await sql<{ name: string; text: string }>`
    SELECT name, sql AS text FROM sqlite_schema WHERE type = 'view' ORDER BY rowid`.execute(db);
  for (const { name } of views) await sql`DROP VIEW ${sql.table(name)}`.execute(db);
  for (const { name, text } of views) {
    await sql.raw(name === "sessions" ? text.replace(BEFORE, `${ORGANISED}${BEFORE}`) : text).execute(db);
    if (name === "labels") await sql.raw(TAGS).execute(db);
  }
}

/** The first column of `sessions` that stands behind the new ones. */
const BEFORE = "  file.subagent AS subagent,";

// No ORDER BY inside the aggregate: SQLite before 3.44 would refuse the whole database for it.
const ORGANISED = `  session.pinned AS pinned, -- 1 when its owner pinned it
  session.archived AS archived, -- 1 when its owner archived it: pidex list leaves it out
  CAST((SELECT json_group_array(given.tag) FROM (SELECT tag.tag FROM tag
    WHERE tag.file_id = file.id ORDER BY tag.ordinal) AS given) AS TEXT) AS tags, -- its tags as a JSON array, in the order given; one by one in the view tags
`;

const TAGS = `CREATE VIEW tags AS -- tags of sessions, one a row
SELECT
  file.path AS path, -- the session file
  session.id AS session_id, -- the session's id, unique within a working directory only
  session.cwd AS project, -- the session's working directory; empty when its header has none
  tag.tag AS tag, -- the tag
  tag.ordinal AS ordinal -- which of the session's tags, from 0
FROM tag LEFT JOIN file ON file.id = tag.file_id LEFT JOIN session ON session.file_id = tag.file_id`;
