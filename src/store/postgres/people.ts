import type { ClientBase, Pool } from "pg";

export type PersonRole = "owner" | "member" | "figures" | "auditor";

/** The machine that a request comes from, and its person. */
export interface Caller {
  person: { id: number; name: string; role: PersonRole };
  machine: { id: string; name: string };
}

type Database = Pick<ClientBase, "query">;

/** Interval in which the time of the last request of a machine is saved, in milliseconds. */
const SEEN_INTERVAL_MS = 60_000;

/** The machine with a token, unless it was revoked. */
export async function findCaller(pool: Pool, token: Buffer, now = Date.now()): Promise<Caller | undefined> {
  const { rows } = await pool.query<{
    person: number;
    name: string;
    role: PersonRole;
    machine: string;
    machine_name: string;
    last_seen: number | null;
  }>({
    name: "sign in",
    text: `SELECT person.id AS person, person.name, person.role, machine.id AS machine, machine.name AS machine_name, last_seen
      FROM machine JOIN person ON person.id = machine.person
      WHERE machine.token = $1 AND revoked IS NULL AND removed IS NULL`,
    values: [token],
  });
  const [row] = rows;
  if (!row) return undefined;
  if (now - (row.last_seen ?? 0) >= SEEN_INTERVAL_MS) {
    await pool.query("UPDATE machine SET last_seen = $2 WHERE id = $1", [row.machine, now]);
  }
  return {
    person: { id: row.person, name: row.name, role: row.role },
    machine: { id: row.machine, name: row.machine_name },
  };
}

/** Makes changes of people wait for each other, until the end of the transaction: one of them must stay an owner. */
export async function lockPeople(client: ClientBase): Promise<void> {
  await client.query("LOCK TABLE person IN SHARE ROW EXCLUSIVE MODE");
}

/** Whether the hub has no members yet. */
export async function hasNoPeople(db: Database): Promise<boolean> {
  const { rows } = await db.query("SELECT 1 FROM person WHERE removed IS NULL LIMIT 1");
  return rows.length === 0;
}

export interface PersonRow {
  id: number;
  name: string;
  role: PersonRole;
  created: number;
}

/** A person by name, unless removed. */
export async function findPerson(db: Database, name: string): Promise<PersonRow | undefined> {
  const { rows } = await db.query<PersonRow>(
    "SELECT id, name, role, created FROM person WHERE name = $1 AND removed IS NULL",
    [name],
  );
  return rows[0];
}

/** A person by id, unless removed. */
export async function getPerson(db: Database, id: number): Promise<PersonRow | undefined> {
  const { rows } = await db.query<PersonRow>(
    "SELECT id, name, role, created FROM person WHERE id = $1 AND removed IS NULL",
    [id],
  );
  return rows[0];
}

/** Adds a person with an empty private shelf. The name must be free. */
export async function addPerson(client: ClientBase, name: string, role: PersonRole): Promise<PersonRow> {
  const { rows } = await client.query<PersonRow>(
    "INSERT INTO person (name, role, created) VALUES ($1, $2, $3) RETURNING id, name, role, created",
    [name, role, Date.now()],
  );
  const person = rows[0] as PersonRow;
  await client.query("INSERT INTO shelf (person) VALUES ($1)", [person.id]);
  return person;
}

/** People with the number of their machines and the bytes of their files, by name. */
export async function listPeople(
  pool: Pool,
): Promise<(Omit<PersonRow, "id"> & { machines: number; bytes: number })[]> {
  const { rows } = await pool.query(
    `SELECT name, role, created,
       (SELECT count(*) FROM machine WHERE machine.person = person.id AND revoked IS NULL) AS machines,
       (SELECT coalesce(sum(cursor), 0)::bigint FROM file JOIN machine ON machine.id = file.machine
        WHERE machine.person = person.id) AS bytes
     FROM person WHERE removed IS NULL ORDER BY name`,
  );
  return rows;
}

/** The ids of all people, except those who were removed. */
export async function listPersonIds(db: Database): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>("SELECT id FROM person WHERE removed IS NULL ORDER BY id");
  return rows.map(({ id }) => id);
}

export async function countOwners(client: ClientBase): Promise<number> {
  const { rows } = await client.query(
    "SELECT count(*) AS owners FROM person WHERE role = 'owner' AND removed IS NULL",
  );
  return rows[0].owners;
}

export async function setRole(client: ClientBase, id: number, role: PersonRole): Promise<void> {
  await client.query("UPDATE person SET role = $2 WHERE id = $1", [id, role]);
}

/**
 * Marks a person as removed, revokes their machines and deletes their invitations and records of deleted sessions. Their private files are still there. The name
 * becomes free: a new person with the name is another one, with an empty private shelf.
 */
export async function removePerson(client: ClientBase, id: number): Promise<void> {
  const now = Date.now();
  await client.query(
    "UPDATE person SET removed = $2, name = name || ' (removed ' || id || ')' WHERE id = $1",
    [id, now],
  );
  await client.query("UPDATE machine SET revoked = $2 WHERE person = $1 AND revoked IS NULL", [id, now]);
  await client.query("DELETE FROM invitation WHERE person = $1", [id]);
  await client.query("DELETE FROM forgotten WHERE person = $1", [id]); // none of their machines can push any more
}
