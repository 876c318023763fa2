import { join } from "node:path";
import { expect, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { postgresMigrations } from "../../../migrations/postgres/index.ts";
import { connect } from "../../../src/store/postgres/connect.ts";
import { migratePostgres } from "../../../src/store/postgres/migrate.ts";
import { withPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { inTransaction } from "../../../src/store/postgres/transaction.ts";
import { temporaryFolder } from "../../temporary.ts";
import { createDatabase, hasPostgres } from "./databases.ts";
import { addMachine, ingestFile } from "./ingest.ts";

test.skipIf(!hasPostgres)("a file that several processes index at once is indexed once", async () => {
  await using database = await createDatabase();
  const { pool } = database;
  const path = join(temporaryFolder(), "a.jsonl");
  session({ id: "a" })
    .user("the tax")
    .assistant("the total")
    .tool("read", { path: "/x/a.ts" }, "fine")
    .write(path);
  const machine = await addMachine(pool);
  await Promise.all(Array.from({ length: 6 }, () => ingestFile(pool, machine, path)));
  const { rows: files } = await pool.query("SELECT lines FROM file");
  const { rows: entries } = await pool.query("SELECT line FROM entry ORDER BY line");
  expect(files).toEqual([{ lines: 5 }]);
  expect(entries.map(({ line }) => line)).toEqual([2, 3, 4, 5]);
});

test.skipIf(!hasPostgres)(
  "nothing is left of a file whose transaction ends half-way, and it can be indexed again",
  async () => {
    await using database = await createDatabase();
    const { pool } = database;
    const path = join(temporaryFolder(), "a.jsonl");
    session({ id: "a" }).user("the tax").write(path);
    const machine = await addMachine(pool);
    await pool.query("ALTER TABLE segment ADD CONSTRAINT broken CHECK (FALSE)"); // the last table that is written
    await expect(ingestFile(pool, machine, path)).rejects.toThrow("broken");
    for (const table of ["file", "session", "entry", "posting", "vocabulary"]) {
      expect([table, (await pool.query(`SELECT * FROM ${table}`)).rows]).toEqual([table, []]);
    }
    await pool.query("ALTER TABLE segment DROP CONSTRAINT broken");
    await ingestFile(pool, machine, path);
    expect((await pool.query("SELECT * FROM entry")).rows.length).toBe(1);
  },
);

test.skipIf(!hasPostgres)(
  "the error of a transaction is the first one, not one of the statements after it",
  async () => {
    await using database = await createDatabase();
    const failed = inTransaction(database.pool, async (client) => {
      const divided = client.query("SELECT 1 / 0").catch(async (error: unknown) => {
        await new Promise(setImmediate); // as if it were reported later
        throw error;
      });
      await Promise.all([divided, client.query("SELECT 1")]);
    });
    await expect(failed).rejects.toThrow("division by zero");
  },
);

test.skipIf(!hasPostgres)("hubs that start at once migrate the database once", async () => {
  await using database = await createDatabase();
  const { pool } = database;
  await pool.query("DROP SCHEMA public CASCADE");
  await pool.query("CREATE SCHEMA public");
  await Promise.all(Array.from({ length: 4 }, () => migratePostgres(pool, postgresMigrations)));
  expect((await pool.query("SELECT name FROM kysely_migration")).rows).toEqual([{ name: "0001-initial" }]);
});

test("a server that cannot be reached is an error that says what to do", async () => {
  const pool = connect("postgres://pidex@127.0.0.1:1/pidex");
  const reading = withPostgresStore(pool, [1], async () => {});
  await expect(reading).rejects.toMatchObject({
    code: "DATABASE_UNAVAILABLE",
    hint: expect.stringMatching(/running/),
  });
  await pool.end();
});

test.skipIf(!hasPostgres)(
  "files with the same new words and paths are indexed at once without a deadlock",
  async () => {
    await using database = await createDatabase();
    const { pool } = database;
    const machine = await addMachine(pool);
    const folder = temporaryFolder();
    const paths = ["a", "b", "c", "d"].map((id, n) => {
      const path = join(folder, `${id}.jsonl`);
      const written = session({ id });
      // The same words and paths in opposite orders, in several chunks.
      const numbers = Array.from({ length: 40 }, (_, m) => (n % 2 ? 39 - m : m));
      for (const m of numbers) {
        const words = Array.from({ length: 20_000 }, (_, w) => `w${m}x${w % 200}`).join(" ");
        written.user(words).tool("read", { path: `/shop/${m}.ts` }, "fine");
      }
      written.write(path);
      return path;
    });
    await Promise.all(paths.map((path) => ingestFile(pool, machine, path)));
    const { rows } = await pool.query(
      "SELECT (SELECT count(*)::int FROM path) AS paths, (SELECT count(*)::int FROM vocabulary WHERE word LIKE 'w%x%') AS words",
    );
    expect(rows).toEqual([{ paths: 40, words: 8_000 }]);
  },
);
