import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { withPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { SqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { openThrowaway } from "../../indexer/index-at.ts";
import { QUESTIONS } from "../conformance/questions.ts";
import { createDatabase, hasPostgres } from "./databases.ts";
import { addMachine, ingestFile, type Machine } from "./ingest.ts";

describe.skipIf(!hasPostgres)("a reader", () => {
  const closing = new AsyncDisposableStack();
  let pool: Pool;
  let ada: Machine;
  let bob: Machine;
  let empty: Store;

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "pidex-test-"));
    closing.defer(() => rmSync(folder, { recursive: true }));
    const db = await openThrowaway(join(folder, "index.db"));
    closing.defer(() => db.close());
    empty = new SqliteStore(db.reader, { roots: [] });
    const database = closing.use(await createDatabase());
    pool = database.pool;
    ada = await addMachine(pool, "ada");
    bob = await addMachine(pool, "bob");
    const path = join(folder, "a.jsonl");
    session({ id: "secret", cwd: "/home/ada/shop" })
      .user("the tax total")
      .tool("read", { path: "src/tax.ts" }, "error")
      .write(path);
    await ingestFile(pool, ada, path);
  });
  afterAll(() => closing.disposeAsync());

  test.each(QUESTIONS)("of another shelf gets the answers of an empty index: $name", async ({ ask }) => {
    const answer = await withPostgresStore(pool, [bob.shelf], ask);
    expect(answer).toEqual(await ask(empty));
  });

  test("of a shelf sees its sessions", async () => {
    const rows = await withPostgresStore(pool, [ada.shelf], ({ sessions }) =>
      sessions.find({ kind: "id", ids: ["secret"] }, 1),
    );
    expect(rows.length).toBe(1);
  });

  test.each([[[]], ["another's"]])(
    "of %s sees no row in any table, whatever a statement asks for",
    async (which) => {
      const { rows: tables } = await pool.query<{ name: string }>(
        "SELECT table_name AS name FROM information_schema.columns WHERE column_name = 'shelf' AND table_schema = 'public'",
      );
      const hidden = ["lineage", "linked_file", "unsettled"]; // only the ledger reads them
      expect(tables.map(({ name }) => name)).toEqual(expect.arrayContaining(hidden));
      expect(tables.length).toBeGreaterThan(10);
      const client = await pool.connect();
      try {
        await client.query("BEGIN");
        const shelves = which === "another's" ? `{${bob.shelf}}` : "{}";
        await client.query(
          "SELECT set_config('pidex.shelves', $1, true), set_config('role', 'pidex_reader', true)",
          [shelves],
        );
        for (const { name } of tables) {
          if (hidden.includes(name)) continue;
          const { rows } = await client.query(`SELECT count(*) FROM ${name}`);
          expect([name, rows[0]?.count]).toEqual([name, 0]);
        }
        for (const denied of [...hidden.map((name) => `SELECT 1 FROM ${name}`), "DELETE FROM session"]) {
          await client.query("SAVEPOINT before");
          await expect(client.query(denied)).rejects.toThrow("permission denied");
          await client.query("ROLLBACK TO before");
        }
      } finally {
        await client.query("ROLLBACK");
        client.release();
      }
    },
  );
});
