import { join } from "node:path";
import type { Pool } from "pg";
import { describe, expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { EntryCounts } from "../../../src/store/postgres/entry-counts.ts";
import { withPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { Runner } from "../../../src/store/postgres/runner.ts";
import { temporaryFolder } from "../../temporary.ts";
import { createDatabase, hasPostgres } from "./databases.ts";
import { addMachine, ingestFile } from "./ingest.ts";

const LARGE = 1_000_000;

async function addSession(pool: Pool, name: string): Promise<number> {
  const path = join(temporaryFolder(), `${name}.jsonl`);
  session({ id: name }).user("the tax").assistant("the total").write(path);
  const machine = await addMachine(pool, name);
  await ingestFile(pool, machine, path);
  return machine.shelf;
}

async function countEntries(pool: Pool, shelves: number[]): Promise<number> {
  return withPostgresStore(pool, shelves, async (store) => {
    const { entries } = await (await store.search()).readStatistics([]);
    return entries;
  });
}

async function withCounts(
  now: () => number,
  use: (count: (...shelves: number[]) => Promise<number>, pool: Pool) => Promise<void>,
): Promise<void> {
  await using database = await createDatabase();
  const { pool } = database;
  const client = await pool.connect();
  const counts = new EntryCounts(now);
  await use((...shelves) => counts.count(new Runner(client), shelves), pool);
  client.release();
}

describe.skipIf(!hasPostgres)("the number of entries on shelves", () => {
  const resize = (pool: Pool, shelf: number, entries: number) =>
    pool.query("UPDATE session SET entry_count = $2 WHERE shelf = $1", [shelf, entries]);

  test("is what they have now, if they are small", () =>
    withCounts(Date.now, async (count, pool) => {
      const shelf = await addSession(pool, "ada");
      expect(await count(shelf)).toBe(2);
      await resize(pool, shelf, 5);
      expect(await count(shelf)).toBe(5);
      expect(await count()).toBe(0);
    }));

  test("of a large shelf is counted again after a minute", async () => {
    let now = 1_000_000;
    await withCounts(
      () => now,
      async (count, pool) => {
        const [large, small] = [await addSession(pool, "ada"), await addSession(pool, "bob")];
        await resize(pool, large, LARGE);
        expect(await count(large)).toBe(LARGE);
        await resize(pool, large, 2 * LARGE);
        now += 59_000;
        expect(await count(large)).toBe(LARGE);
        expect(await count(small, large)).toBe(LARGE + 2);
        now += 1_000;
        expect(await count(small, large)).toBe(2 * LARGE + 2);
      },
    );
  });

  test("is remembered for each database, and does not include other shelves", async () => {
    await using one = await createDatabase();
    await using other = await createDatabase();
    const [ada, bob] = [await addSession(one.pool, "ada"), await addSession(one.pool, "bob")];
    const same = await addSession(other.pool, "ada");
    expect(same).toBe(ada);
    await resize(one.pool, ada, LARGE);
    expect(await countEntries(one.pool, [ada])).toBe(LARGE);
    expect(await countEntries(one.pool, [bob])).toBe(2);
    expect(await countEntries(other.pool, [same])).toBe(2);
    await resize(one.pool, ada, 2 * LARGE);
    expect(await countEntries(one.pool, [ada])).toBe(LARGE);
  });
});
