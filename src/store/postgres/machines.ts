import { randomUUID } from "node:crypto";
import type { ClientBase, Pool } from "pg";
import type { PersonRole } from "./people.ts";
import { createSecret, hashSecret } from "./tokens.ts";

type Database = Pick<ClientBase, "query">;

const MS_PER_DAY = 86_400_000;
const INVITATION_DAYS = 7;

export interface Invitation {
  name: string;
  role: PersonRole;
  /** Who gets another machine; null for a new person. */
  person: number | null;
}

/** Creates an invitation. @returns its text, which is stored nowhere, and when it expires, in Unix milliseconds */
export async function createInvitation(
  db: Database,
  { name, role, person }: Invitation,
): Promise<{ invitation: string; expires: number }> {
  const invitation = createSecret("invitation");
  const expires = Date.now() + INVITATION_DAYS * MS_PER_DAY;
  await db.query("DELETE FROM invitation WHERE expires < $1", [Date.now()]);
  await db.query("INSERT INTO invitation (code, name, role, person, expires) VALUES ($1, $2, $3, $4, $5)", [
    hashSecret(invitation),
    name,
    role,
    person,
    expires,
  ]);
  return { invitation, expires };
}

/** Uses an invitation up. @returns undefined if there is none with this text, or it has expired */
export async function takeInvitation(client: ClientBase, text: string): Promise<Invitation | undefined> {
  const { rows } = await client.query<Invitation>(
    "DELETE FROM invitation WHERE code = $1 AND expires >= $2 RETURNING name, role, person",
    [hashSecret(text), Date.now()],
  );
  return rows[0];
}

const MAX_NAME_CHARACTERS = 63;

/**
 * Adds a machine of a person. A revoked machine of theirs with this name is signed in again, with the files that it has here;
 * if another machine has the name, the new one is called `name-2` and so on.
 *
 * @returns its name and the token that it signs in with
 */
export async function addMachine(
  client: ClientBase,
  person: number,
  wanted: string,
): Promise<{ token: string; machine: string }> {
  const token = createSecret("token");
  const hash = hashSecret(token);
  const revived = await client.query<{ name: string }>(
    `UPDATE machine SET token = $3, revoked = NULL, last_seen = NULL WHERE person = $1 AND name = $2 AND revoked IS NOT NULL
     RETURNING name`,
    [person, wanted, hash],
  );
  if (revived.rows[0]) return { token, machine: wanted };
  for (let n = 1; ; n++) {
    const suffix = n === 1 ? "" : `-${n}`;
    const name = wanted.slice(0, MAX_NAME_CHARACTERS - suffix.length) + suffix;
    const { rowCount } = await client.query(
      `INSERT INTO machine (id, person, name, token, created) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (name) DO NOTHING`,
      [randomUUID(), person, name, hash, Date.now()],
    );
    if (rowCount === 1) return { token, machine: name };
  }
}

export interface MachineRow {
  name: string;
  person: string;
  created: number;
  lastSeen: number | null;
  revoked: number | null;
  files: number;
  bytes: number;
}

/** Machines with their files, by person and name. @param person only theirs; undefined means all */
export async function listMachines(pool: Pool, person: number | undefined): Promise<MachineRow[]> {
  const { rows } = await pool.query<MachineRow>(
    `SELECT machine.name, person.name AS person, machine.created, last_seen AS "lastSeen", revoked, files, bytes
     FROM machine JOIN person ON person.id = machine.person CROSS JOIN LATERAL (
       SELECT count(*) AS files, coalesce(sum(cursor), 0)::bigint AS bytes FROM file WHERE file.machine = machine.id) AS sums
     WHERE $1::integer IS NULL OR machine.person = $1
     ORDER BY person.name, machine.name`,
    [person ?? null],
  );
  return rows;
}

/** Revokes the token of a machine. @param person the owner that the machine must have; undefined means any. @returns whether there is one */
export async function revokeMachine(
  client: ClientBase,
  name: string,
  person: number | undefined,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `UPDATE machine SET revoked = coalesce(revoked, $3) WHERE name = $1 AND ($2::integer IS NULL OR person = $2)`,
    [name, person ?? null, Date.now()],
  );
  return rowCount === 1;
}
