import { closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Pool } from "pg";
import { describe, expect, test } from "vitest";
import { catalog } from "../../../../fixtures/catalog.ts";
import { settleAll } from "../../../../indexer/hub-ledger.ts";
import { appendLines, forgetPaths } from "../../../../library/hub/server/receive.ts";
import { isSubagentPath, toRoot } from "../../../../src/session/locations.ts";
import type { Caller } from "../../../../src/store/postgres/people.ts";
import { toAppend } from "../../../bin/hub/hubs.ts";
import { createDatabase, hasPostgres } from "../../../store/postgres/databases.ts";
import { addMachine } from "../../../store/postgres/ingest.ts";
import { temporaryFolder } from "../../../temporary.ts";
import { type Loss, losingPool } from "../lost-connections.ts";

/** Sessions with tools, touched files, labels, forks, subagents and faults. */
const FILES = catalog
  .filter(({ root }) => root === "pi")
  .slice(0, 8)
  .map(({ path, session }) => ({
    path: `/home/ada/.pi/agent/sessions/${path.slice(3)}`,
    bytes: Buffer.from(session.text().endsWith("\n") ? session.text() : `${session.text()}\n`),
  }));
const ROOT = toRoot("/home/ada/.pi/agent/sessions");

/** A hub's database, and a machine that sends files to it. */
interface Sender {
  pool: Pool;
  caller: Caller;
}

async function send({ pool, caller }: Sender, path: string, bytes: Buffer, before = 0) {
  const { header } = toAppend(path, bytes.subarray(before), bytes.subarray(0, before));
  const file = join(temporaryFolder(), "received");
  writeFileSync(file, bytes);
  const subagent = isSubagentPath(path, ROOT);
  const fd = openSync(file, "r+");
  try {
    const state = await appendLines(pool, caller, { ...header, subagent }, fd);
    expect(state).toMatchObject({ cursor: bytes.length, digest: header.next });
  } finally {
    closeSync(fd);
  }
}

async function findSender(pool: Pool): Promise<Caller> {
  const { rows } = await pool.query(
    "SELECT person.id AS person, person.name, machine.id, machine.name AS machine FROM machine JOIN person ON person.id = machine.person",
  );
  const [{ person, name, id, machine }] = rows;
  return { person: { id: person, name, role: "owner" }, machine: { id, name: machine } };
}

/** The tables of a hub, and the same ones as they were when `saveTables` was called. */
async function saveTables(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE 'kysely%' ORDER BY 1",
  );
  const names = rows.map(({ name }) => name);
  await pool.query("CREATE SCHEMA saved");
  for (const name of names) await pool.query(`CREATE TABLE saved."${name}" AS TABLE public."${name}"`);
  return names;
}

async function restoreTables(pool: Pool, names: readonly string[]): Promise<void> {
  const restores = names.map(
    (name) =>
      `DELETE FROM "${name}"; INSERT INTO "${name}" OVERRIDING SYSTEM VALUE SELECT * FROM saved."${name}";`,
  );
  // Without the checks of foreign keys, for tables in any order.
  await pool.query(`BEGIN; SET LOCAL session_replication_role = replica; ${restores.join("\n")} COMMIT`);
  await resetSequences(pool);
}

/** All rows of all tables, without times of the clock. */
async function dumpRows(pool: Pool, names: readonly string[]): Promise<Record<string, string[]>> {
  const dumps = names.map(
    (name) =>
      `SELECT '${name}' AS name, (to_jsonb(t) - 'time' - 'last_seen')::text COLLATE "C" AS row FROM "${name}" t`,
  );
  const { rows } = await pool.query(`${dumps.join(" UNION ALL ")} ORDER BY name, row`);
  const dump = Object.fromEntries(names.map((name): [string, string[]] => [name, []]));
  for (const { name, row } of rows) dump[name]?.push(row);
  return dump;
}

/** Sequences go on after a rollback: sets them back, so that the next rows get the same ids. */
async function resetSequences(pool: Pool): Promise<void> {
  const { rows } = await pool.query(
    `SELECT table_name AS table, column_name AS column, pg_get_serial_sequence(table_name, column_name) AS sequence
     FROM information_schema.columns WHERE table_schema = 'public' AND is_identity = 'YES'`,
  );
  const resets = rows.map(
    ({ table, column, sequence }) =>
      `(SELECT setval('${sequence}', coalesce(max("${column}"), 1), max("${column}") IS NOT NULL) FROM "${table}")`,
  );
  await pool.query(`SELECT ${resets.join(", ")}`);
}

const middle = (bytes: Buffer) => bytes.indexOf("\n", bytes.length / 2) + 1;
const [first, second, ...others] = FILES as [(typeof FILES)[0], (typeof FILES)[0], ...typeof FILES];

/** Operations, and what is on the hub before. */
const OPERATIONS: Record<
  string,
  { before: (hub: Sender) => Promise<unknown>; run: (hub: Sender) => Promise<unknown> }
> = {
  "an append of a new file": {
    before: (hub) => send(hub, `${second.path}-copy.jsonl`, second.bytes),
    run: (hub) => send(hub, second.path, second.bytes),
  },
  "an append of further lines": {
    before: (hub) => send(hub, first.path, first.bytes.subarray(0, middle(first.bytes))),
    run: (hub) => send(hub, first.path, first.bytes, middle(first.bytes)),
  },
  "a settle": {
    async before(hub) {
      for (const { path, bytes } of FILES) await send(hub, path, bytes.subarray(0, middle(bytes)));
      await settle(hub);
      for (const { path, bytes } of FILES) await send(hub, path, bytes, middle(bytes));
      await send(hub, `${first.path}-copy.jsonl`, first.bytes);
    },
    run: settle,
  },
  "a forget of several files": {
    async before(hub) {
      for (const { path, bytes } of FILES) await send(hub, path, bytes);
      await send(hub, `${first.path}-copy.jsonl`, first.bytes);
      await settle(hub);
    },
    async run(hub) {
      const paths = [first.path, others[0]?.path as string];
      await forgetPaths(hub.pool, hub.caller, paths);
    },
  },
};

async function settle({ pool, caller }: Sender): Promise<void> {
  const { rows } = await pool.query("SELECT id FROM shelf WHERE person = $1", [caller.person.id]);
  await settleAll(pool, rows[0].id);
}

/** Every loss of a connection: before each statement, and after each commit. */
function listLosses(statements: readonly string[]): Loss[] {
  return statements.flatMap((text, n) => {
    const statement = n + 1;
    return text === "COMMIT" ? [{ statement }, { statement, isAfter: true }] : [{ statement }];
  });
}

/** Every third one from a random start, which is fast; with `PIDEX_KILLS=all` all, which takes a minute. */
function sample<T>(all: readonly T[]): readonly T[] {
  if (process.env.PIDEX_KILLS === "all") return all;
  const first = Math.floor(Math.random() * 3);
  return all.filter((_, n) => n % 3 === first);
}

describe.skipIf(!hasPostgres)("a database connection that is lost at any statement of", () => {
  test.each(Object.entries(OPERATIONS))(
    "%s: the same operation again leaves the same rows",
    async (_, { before, run }) => {
      await using database = await createDatabase();
      const { pool } = database;
      await addMachine(pool);
      const caller = await findSender(pool);
      await before({ pool, caller });
      const names = await saveTables(pool);
      await resetSequences(pool);
      const undisturbed = losingPool(pool);
      await run({ pool: undisturbed.pool, caller });
      const expected = await dumpRows(pool, names);
      const { statements } = undisturbed;
      const losses = listLosses(statements);
      expect(losses.length).toBeGreaterThan(10);
      for (const loss of sample(losses)) {
        await restoreTables(pool, names);
        await expect(run({ pool: losingPool(pool, loss).pool, caller })).rejects.toThrow();
        await resetSequences(pool);
        await run({ pool, caller });
        const what = `${loss.statement}${loss.isAfter ? " done" : ""}: ${statements[loss.statement - 1]}`;
        expect([what, await dumpRows(pool, names)]).toEqual([what, expected]);
      }
    },
    120_000,
  );
});
