import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { PoolClient } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { insertRows } from "../../../../src/store/postgres/insert-rows.ts";
import { startHub, type TestHub } from "../../../bin/hub/hubs.ts";
import { createEmbedded } from "../../../store/postgres/databases.ts";
import { temporaryFolder } from "../../../temporary.ts";
import { createMachine, message, readFromHub } from "../machine.ts";

const TIMEOUT_MS = 120_000;

let hub: TestHub;
beforeAll(async () => {
  hub = await startHub(createEmbedded);
  await hub.pool.query("CREATE TABLE note (id int PRIMARY KEY, text text, bytes bytea)");
}, TIMEOUT_MS);
afterAll(() => hub[Symbol.asyncDispose](), TIMEOUT_MS);

const COLUMNS = { id: "int", text: "text", bytes: "bytea" } as const;
const NOTES = Array.from({ length: 5_000 }, (_, id) => [
  id,
  id % 3 ? `line ${id}\n\tand \\ again ${"x".repeat(id % 90)}` : null,
  Buffer.from([id % 256, 0, 99]),
]);

/** Runs work on a connection and undoes its changes. */
async function withClient<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await hub.pool.connect();
  try {
    await client.query("BEGIN");
    return await work(client);
  } finally {
    await client.query("ROLLBACK");
    client.release();
  }
}

async function countNotes(client: Pick<PoolClient, "query">): Promise<number> {
  return (await client.query("SELECT count(*)::int AS count FROM note")).rows[0].count;
}

test("rows are stored as they are", () =>
  withClient(async (client) => {
    await insertRows(client, { table: "note", columns: COLUMNS, rows: NOTES });
    const { rows } = await client.query("SELECT id, text, bytes FROM note ORDER BY id");
    expect(rows.map(({ id, text, bytes }) => [id, text, bytes])).toEqual(NOTES);
  }));

test("after an error, the connection can be used", async () => {
  const twice = [...NOTES, ...NOTES];
  await expect(
    withClient((client) => insertRows(client, { table: "note", columns: COLUMNS, rows: twice })),
  ).rejects.toThrow("note_pkey");
  expect(await countNotes(hub.pool)).toBe(0);
});

test("a new connection has neither the transaction nor the statements of the one before", async () => {
  const client = await hub.pool.connect();
  await client.query("BEGIN");
  await client.query({ name: "same name", text: "SELECT 1 AS one" });
  await insertRows(client, { table: "note", columns: COLUMNS, rows: NOTES.slice(0, 10) });
  client.release(true); // closes the connection
  expect((await hub.pool.query({ name: "same name", text: "SELECT 2 AS two" })).rows).toEqual([{ two: 2 }]);
  expect(await countNotes(hub.pool)).toBe(0);
});

test(
  "sessions of several megabytes are pushed whole",
  async () => {
    const machine = createMachine(hub, hub.owner, temporaryFolder());
    const words = (n: number) => Array.from({ length: 60 }, (_, m) => `w${(n * m) % 9973}`).join(" ");
    // Bytes that can't be compressed, in a field without words.
    const image = (n: number) =>
      hash("shake256", String(n), { outputEncoding: "base64", outputLength: 1_500 });
    const line = (n: number) =>
      message(`the tax of order ${n} is ${words(n)}`).replace('"content"', `"image":"${image(n)}","content"`);
    const lines = Array.from({ length: 1_500 }, (_, n) => line(n));
    const paths = ["a", "b"].map((name) => machine.create(name, lines));
    const report = await machine.push();
    expect(report).toMatchObject({ sent: 2, failed: [] });
    for (const path of paths) {
      expect(await readFromHub(hub, machine.name, path)).toEqual(readFileSync(path));
    }
  },
  TIMEOUT_MS,
);
