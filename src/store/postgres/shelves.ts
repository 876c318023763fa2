import type { ClientBase, Pool } from "pg";
import type { PersonRole } from "./people.ts";

type Database = Pick<ClientBase, "query">;

/** First key of the advisory locks of shelves; the second one is the shelf. */
const LOCK = 7433;

/**
 * Keeps files of a shelf from being forgotten until the end of the transaction. Several transactions may add to a shelf at once, but
 * forgetting a file deletes the words that only it has, and would miss those that another transaction is adding.
 */
export async function lockForAppend(client: ClientBase, shelf: number): Promise<void> {
  await client.query({
    name: "lock shelf for append",
    text: `SELECT pg_advisory_xact_lock_shared(${LOCK}, $1)`,
    values: [shelf],
  });
}

/** Waits for the transactions that add to a shelf, and makes new ones wait until the end of this one. */
export async function lockForForget(client: ClientBase, shelf: number): Promise<void> {
  await client.query(`SELECT pg_advisory_xact_lock(${LOCK}, $1)`, [shelf]);
}

/** The private shelf of a person. */
export async function getPrivateShelf(db: Database, person: number): Promise<number> {
  const { rows } = await db.query<{ id: number }>({
    name: "private shelf",
    text: "SELECT id FROM shelf WHERE person = $1",
    values: [person],
  });
  return (rows[0] as { id: number }).id;
}

/** The shelf of a project of the team; undefined if there is none. */
export async function findProjectShelf(db: Database, project: string): Promise<number | undefined> {
  const { rows } = await db.query<{ id: number }>({
    name: "project shelf",
    text: "SELECT id FROM shelf WHERE project = $1",
    values: [project],
  });
  return rows[0]?.id;
}

/** The shelf of a project of the team, which is added if there is none. */
export async function addProjectShelf(db: Database, project: string): Promise<number> {
  const known = await findProjectShelf(db, project);
  if (known !== undefined) return known;
  const { rows } = await db.query<{ id: number }>(
    "INSERT INTO shelf (project) VALUES ($1) ON CONFLICT (person, project) DO NOTHING RETURNING id",
    [project],
  );
  return rows[0]?.id ?? addProjectShelf(db, project); // another transaction has added it
}

/** The shelves that a person may read from, and what they may see there. */
export interface ReaderShelves {
  role: PersonRole;
  /** The shelf of their private sessions. */
  own: number;
  /** Those of the team's projects. Readers with the role `figures` see only usage there. */
  projects: readonly ProjectShelf[];
}

export interface ProjectShelf {
  shelf: number;
  /** The name of the project. */
  name: string;
}

/** The shelves of a reader. Auditors see no sessions of the team. */
export async function getReaderShelves(
  db: Database,
  { id, role }: { id: number; role: PersonRole },
): Promise<ReaderShelves> {
  const own = await getPrivateShelf(db, id);
  if (role === "auditor") return { role, own, projects: [] };
  const { rows } = await db.query<ProjectShelf>({
    name: "project shelves",
    text: "SELECT id AS shelf, project AS name FROM shelf WHERE project IS NOT NULL ORDER BY id",
  });
  return { role, own, projects: rows };
}

export interface Retention {
  /** Null for the private shelf. */
  project: string | null;
  /** Days without a message after which a session is forgotten. */
  days: number;
}

/** Sets after how many days sessions of a shelf are forgotten; null keeps them. */
export async function setRetention(db: Database, shelf: number, days: number | null): Promise<void> {
  await db.query("UPDATE shelf SET retention_days = $2 WHERE id = $1", [shelf, days]);
}

/** The retention of a person's private shelf and of the team's projects, as far as it is set. */
export async function listRetention(pool: Pool, person: number, withTeam: boolean): Promise<Retention[]> {
  const { rows } = await pool.query<Retention>(
    `SELECT project, retention_days AS days FROM shelf
     WHERE retention_days IS NOT NULL AND (person = $1 OR ($2 AND project IS NOT NULL)) ORDER BY project NULLS FIRST`,
    [person, withTeam],
  );
  return rows;
}
