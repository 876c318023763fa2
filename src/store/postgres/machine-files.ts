import type { ClientBase, Pool } from "pg";
import { toStorable } from "./insert-rows.ts";

type Database = Pick<ClientBase, "query">;

/** How far the hub has a file of a machine. */
export interface MachineFileRow {
  id: number;
  shelf: number;
  /** On the machine. */
  path: string;
  cursor: number;
  digest: string;
  /** The project of its shelf; null for a private shelf. */
  project: string | null;
}

/** The files of a machine with some paths, in no order. */
export async function findMachineFiles(
  db: Database,
  machine: string,
  paths: readonly string[],
): Promise<MachineFileRow[]> {
  const { rows } = await db.query<MachineFileRow>({
    name: "files of a machine",
    text: `SELECT file.id, shelf, local_path AS path, cursor, encode(digest, 'hex') AS digest, project
      FROM file JOIN shelf ON shelf.id = file.shelf WHERE machine = $1 AND local_path = ANY ($2)`,
    values: [machine, paths.map(toStorable)],
  });
  return rows;
}

/** A private file of a person. */
export interface OwnFileRow {
  id: number;
  machine: string;
  /** On the machine. */
  path: string;
  cursor: number;
  digest: string;
  modified: number;
  /** Of its session; null without a header. */
  cwd: string | null;
  sessionId: string | null;
}

/** The files on a shelf with ids greater than `after`, by id. */
export async function listFiles(
  db: Database,
  shelf: number,
  after: number,
  limit: number,
): Promise<OwnFileRow[]> {
  const { rows } = await db.query<OwnFileRow>({
    name: "files of a shelf",
    text: `SELECT file.id, machine.name AS machine, local_path AS path, cursor, encode(digest, 'hex') AS digest, file.modified,
        session.cwd, session.id AS "sessionId"
      FROM file JOIN machine ON machine.id = file.machine
        LEFT JOIN session ON session.shelf = file.shelf AND session.file_id = file.id
      WHERE file.shelf = $1 AND file.id > $2 ORDER BY file.id LIMIT $3`,
    values: [shelf, after, limit],
  });
  return rows;
}

/** A file on a shelf, with where it ends. */
export async function getFile(
  db: Database,
  shelf: number,
  id: number,
): Promise<
  { shelf: number; id: number; cursor: number; path: string; sessionId: string | null } | undefined
> {
  const { rows } = await db.query({
    text: `SELECT file.shelf, file.id, cursor, file.path, session.id AS "sessionId"
      FROM file LEFT JOIN session ON session.shelf = file.shelf AND session.file_id = file.id
      WHERE file.shelf = $1 AND file.id = $2`,
    values: [shelf, id],
  });
  return rows[0];
}

/** A file that is to be forgotten or indexed again. */
export interface FileKey {
  shelf: number;
  id: number;
}

/** Locks a file until the end of the transaction. @returns undefined if it was forgotten */
export async function lockKey(
  client: ClientBase,
  { shelf, id }: FileKey,
): Promise<(MachineFileRow & { machine: string; extraction: number; modified: number }) | undefined> {
  const { rows } = await client.query(
    `SELECT id, shelf, local_path AS path, cursor, encode(digest, 'hex') AS digest, machine, extraction, modified,
       (SELECT project FROM shelf WHERE shelf.id = file.shelf) AS project
     FROM file WHERE shelf = $1 AND id = $2 FOR UPDATE`,
    [shelf, id],
  );
  return rows[0];
}

/** Some files that were indexed by another extraction. @param except ids to leave out */
export async function findOutdated(
  db: Database,
  extraction: number,
  except: readonly number[],
  limit: number,
): Promise<FileKey[]> {
  const { rows } = await db.query<FileKey>(
    "SELECT shelf, id FROM file WHERE extraction <> $1 AND id <> ALL ($2) ORDER BY id LIMIT $3",
    [extraction, except, limit],
  );
  return rows;
}

const MS_PER_DAY = 86_400_000;

/** Some files to forget: too old for their shelf, or private ones of people who were removed. */
export async function findExpired(db: Database, now: number, limit: number): Promise<FileKey[]> {
  const { rows } = await db.query<FileKey>(
    `SELECT file.shelf, file.id FROM file JOIN shelf ON shelf.id = file.shelf
       LEFT JOIN person ON person.id = shelf.person
       LEFT JOIN session ON session.shelf = file.shelf AND session.file_id = file.id
     WHERE person.removed IS NOT NULL
       OR coalesce(session.last_message, session.created, file.modified) < $1 - shelf.retention_days::bigint * ${MS_PER_DAY}
     ORDER BY file.shelf, file.id LIMIT $2`,
    [now, limit],
  );
  return rows;
}

/** A session that a person may delete from the hub. */
export interface ForgettableRow extends FileKey {
  /** Empty without a header. */
  sessionId: string;
  /** The id of the person who sent it. */
  person: number;
  machine: string;
  /** On the machine. */
  localPath: string;
  /** As a hub names it: see src/machine-path.ts. */
  path: string;
  cwd: string;
  /** Its name, or else its first message. */
  title: string | null;
  messages: number;
  modified: number;
  /** Null for a private session. */
  project: string | null;
}

/** Who may delete sessions: those that their machines sent, and with `withTeam` all of the team's projects. */
export interface Forgetter {
  person: number;
  withTeam: boolean;
}

/** The sessions that a person may delete, with a condition on further parameters. */
const toForgettableSql = (condition: string): string => `
  SELECT file.shelf, file.id, coalesce(session.id, '') AS "sessionId", machine.person, machine.name AS machine,
    local_path AS "localPath", file.path, coalesce(session.cwd, '') AS cwd, coalesce(session.name, session.computed_title, session.first_message) AS title,
    coalesce(session.message_count, 0) AS messages, coalesce(session.modified, file.modified) AS modified, project
  FROM file LEFT JOIN session ON session.shelf = file.shelf AND session.file_id = file.id
    JOIN shelf ON shelf.id = file.shelf JOIN machine ON machine.id = file.machine
  WHERE (${condition}) AND CASE WHEN project IS NULL THEN shelf.person = $1 ELSE $2 OR machine.person = $1 END
  ORDER BY modified DESC, file.path`;

/** Sessions by the beginning of their id, or by their path, here or on the machine. */
export async function findForgettable(
  db: Database,
  { person, withTeam }: Forgetter,
  idOrPath: string,
): Promise<ForgettableRow[]> {
  const condition = "starts_with(session.id, $3) OR file.path = $3 OR file.local_path = $3";
  const { rows } = await db.query<ForgettableRow>(toForgettableSql(condition), [person, withTeam, idOrPath]);
  return rows;
}

/** These files, as far as they are still there, and all others of the same sessions of the same people. */
export async function findAllCopies(
  db: Database,
  { person, withTeam }: Forgetter,
  files: readonly Pick<ForgettableRow, "id" | "person" | "sessionId">[],
): Promise<ForgettableRow[]> {
  const condition = `file.id = ANY ($3)
    OR (session.id <> '' AND (machine.person, session.id) IN (SELECT * FROM unnest($4::integer[], $5::text[])))`;
  const { rows } = await db.query<ForgettableRow>(toForgettableSql(condition), [
    ...[person, withTeam, files.map(({ id }) => id)],
    ...[files.map((file) => file.person), files.map(({ sessionId }) => sessionId)],
  ]);
  return rows;
}

/** Totals of a hub. */
export async function countHub(pool: Pool, extraction: number) {
  const { rows } = await pool.query<{
    people: number;
    machines: number;
    sessions: number;
    bytes: number;
    databaseBytes: number;
    outdated: number;
  }>(
    `SELECT (SELECT count(*) FROM person WHERE removed IS NULL) AS people,
       (SELECT count(*) FROM machine WHERE revoked IS NULL) AS machines,
       (SELECT count(*) FROM session) AS sessions,
       (SELECT coalesce(sum(cursor), 0)::bigint FROM file) AS bytes,
       pg_database_size(current_database()) AS "databaseBytes",
       (SELECT count(*) FROM file WHERE extraction <> $1) AS outdated`,
    [extraction],
  );
  return rows[0] as (typeof rows)[number];
}
