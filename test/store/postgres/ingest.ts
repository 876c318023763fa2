import { closeSync, fstatSync, openSync } from "node:fs";
import type { Pool } from "pg";
import { ingestRemote } from "../../../indexer/ingest-remote.ts";
import type { FileState } from "../../../src/store/file-rows.ts";
import type { MachineFile } from "../../../src/store/postgres/files.ts";

/** A machine of a person, and the shelf of their private sessions. */
export interface Machine {
  shelf: number;
  machine: string;
}

/** Adds a person of a new team with one machine. */
export async function addMachine(pool: Pool, name = "ada"): Promise<Machine> {
  const { rows } = await pool.query(
    `WITH team AS (INSERT INTO team (name) VALUES ($1) RETURNING id),
      person AS (INSERT INTO person (team, name, role) SELECT id, $1, 'owner' FROM team RETURNING id, team),
      machine AS (INSERT INTO machine (id, person, name) SELECT gen_random_uuid(), id, 'laptop' FROM person RETURNING id)
    INSERT INTO shelf (team, person) SELECT person.team, person.id FROM person
    RETURNING id AS shelf, (SELECT id FROM machine) AS machine`,
    [name],
  );
  return rows[0];
}

/** Indexes the first `end` bytes of a session file, by default all, in one transaction. */
export async function ingestFile(
  pool: Pool,
  { shelf, machine }: Machine,
  path: string,
  { end, subagent = 0 }: { end?: number; subagent?: MachineFile["subagent"] } = {},
): Promise<FileState> {
  const fd = openSync(path, "r");
  const client = await pool.connect();
  try {
    const { size, mtimeNs } = fstatSync(fd, { bigint: true });
    await client.query("BEGIN");
    const bytes = { fd, end: end ?? Number(size), mtimeNs };
    const state = await ingestRemote(client, { shelf, machine, path, subagent }, bytes);
    await client.query("COMMIT");
    return state;
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally {
    client.release();
    closeSync(fd);
  }
}
