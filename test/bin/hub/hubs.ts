import { createHash } from "node:crypto";
import type { Pool } from "pg";
import { type RunningHub, serveHub } from "../../../bin/hub/serve.ts";
import { HubClient } from "../../../library/hub/client.ts";
import { inviteAnswer, joinAnswer, type Role } from "../../../library/hub/protocol.ts";
import type { Ingest } from "../../../library/hub/server/ingest-service.ts";
import { inviteFirstOwner } from "../../../library/hub/server/people.ts";
import { ByteChain } from "../../../src/byte-chain.ts";
import { createDatabase, type TestDatabase } from "../../store/postgres/databases.ts";

/** A machine that is signed in to a hub. */
export interface SignedIn {
  client: HubClient;
  token: string;
  machine: string;
  person: string;
}

export interface TestHub extends AsyncDisposable {
  url: string;
  pool: Pool;
  /** The lines of the access log. */
  log: string[];
  running: RunningHub;
  owner: SignedIn;
  /** Signs in a machine of a new person. */
  add(name: string, role: Role): Promise<SignedIn>;
  /** Signs in another machine of a person. */
  addMachine(of: SignedIn, name: string): Promise<SignedIn>;
}

/** Signs a machine in. */
export async function joinHub(url: string, invitation: string, machine: string): Promise<SignedIn> {
  const body = { invitation, machine };
  const answer = await new HubClient({ url }).json("POST", "v1/join", joinAnswer, { body });
  return { ...answer, client: new HubClient({ url, token: answer.token }) };
}

/**
 * A hub on a database of its own, with an owner named ada on the machine ada-laptop.
 *
 * @param startThreads starts threads that index what is pushed. Default: the hub's thread does
 */
export async function startHub<D extends TestDatabase = TestDatabase>(
  openDatabase: () => Promise<D> = createDatabase as () => Promise<never>,
  startThreads?: (database: D) => Ingest & { close(): Promise<void> },
): Promise<TestHub> {
  const database = await openDatabase();
  const threads = startThreads?.(database);
  const { pool } = database;
  const log: string[] = [];
  const running = await serveHub({
    ...{ pool, database: "postgresql", host: "127.0.0.1", port: 0 },
    log: (line) => log.push(line),
    ...(threads && { ingest: threads }),
  });
  const { url } = running;
  const owner = await joinHub(url, (await inviteFirstOwner(pool, "ada")) as string, "ada-laptop");
  const invite = async (from: SignedIn, name: string, role: Role) => {
    const body = { name, role };
    return (await from.client.json("POST", "v1/invitations", inviteAnswer, { body })).invitation;
  };
  return {
    ...{ url, pool, log, running, owner },
    add: async (name, role) => joinHub(url, await invite(owner, name, role), `${name}-laptop`),
    addMachine: async (of, machine) => joinHub(url, await invite(of, of.person, "member"), machine),
    async [Symbol.asyncDispose]() {
      await running.close();
      await threads?.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** The header of an append of bytes that follow others, and these bytes. */
export function toAppend(path: string, bytes: string | Buffer, before: string | Buffer = "") {
  const chain = new ByteChain();
  chain.add(Buffer.from(before));
  const { digest } = chain;
  chain.add(Buffer.from(bytes));
  const header = {
    ...{ path, shelf: "mine" as const, subagent: false, modified: 1_700_000_000_000, digest },
    ...{ cursor: Buffer.byteLength(before), next: chain.digest, bytes: Buffer.byteLength(bytes) },
  };
  return { header, bytes: Buffer.from(bytes) };
}

/** All rows of all tables as text, with blobs decoded as far as they are text. */
export async function dumpTables(pool: Pool): Promise<string> {
  const { rows } = await pool.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
  const tables = await Promise.all(rows.map(({ tablename }) => pool.query(`SELECT * FROM "${tablename}"`)));
  return JSON.stringify(
    tables.map((table) => table.rows),
    (_, value) => (value?.type === "Buffer" ? Buffer.from(value.data).toString("latin1") : value),
  );
}

export const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();
