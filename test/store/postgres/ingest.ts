import { closeSync, fstatSync, openSync } from "node:fs";
import type { Pool } from "pg";
import { ingestRemote, type RemoteState } from "../../../indexer/ingest-remote.ts";
import type { MachineFile } from "../../../src/store/postgres/files.ts";
import { inTransaction } from "../../../src/store/postgres/transaction.ts";

/** A machine of a person, and the shelf of their private sessions. */
export interface Machine {
  shelf: number;
  machine: string;
}

let added = 0;

/** Adds a person with one machine. */
export async function addMachine(pool: Pool, name = `person${++added}`): Promise<Machine> {
  const { rows } = await pool.query(
    `WITH person AS (INSERT INTO person (name, role, created) VALUES ($1, 'owner', 0) RETURNING id),
      machine AS (INSERT INTO machine (id, person, name, token, created)
        SELECT gen_random_uuid(), id, $1 || '-laptop', '', 0 FROM person RETURNING id)
    INSERT INTO shelf (person) SELECT id FROM person
    RETURNING id AS shelf, (SELECT id FROM machine) AS machine`,
    [name],
  );
  return rows[0];
}

/** An answer as plain data, with paths as on the machines, and without NUL, which PostgreSQL cannot store, and names of machines. */
export function withoutMachines(answer: unknown): unknown {
  const text = JSON.stringify(answer, (key, value) => {
    if (key === "machine" || key === "person") return undefined;
    if (value === undefined) return "undefined";
    return typeof value === "string" ? value.replaceAll("\0", "\ufffd") : value;
  });
  return JSON.parse(text.replaceAll(/[a-z0-9]+-laptop:/g, ""));
}

/** Indexes the first `end` bytes of a session file, by default all, in one transaction. */
export async function ingestFile(
  pool: Pool,
  { shelf, machine }: Machine,
  path: string,
  { end, subagent = 0 }: { end?: number; subagent?: MachineFile["subagent"] } = {},
): Promise<RemoteState> {
  const fd = openSync(path, "r");
  try {
    const { size, mtimeNs } = fstatSync(fd, { bigint: true });
    const bytes = { fd, end: end ?? Number(size), mtimeNs };
    const file = { shelf, machine, path, subagent };
    return await inTransaction(pool, (client) => ingestRemote(client, file, bytes));
  } finally {
    closeSync(fd);
  }
}
