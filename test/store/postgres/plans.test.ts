import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import type { Statement } from "../../../src/store/sql.ts";
import { QUESTIONS } from "../conformance/questions.ts";
import { hasPostgres } from "./databases.ts";
import { type IndexedFixtures, indexFixtures } from "./indexed-fixtures.ts";

describe.skipIf(!hasPostgres)("a reader's statements", () => {
  let fixtures: IndexedFixtures;
  const statements = new Map<string, Statement>();
  beforeAll(async () => {
    fixtures = await indexFixtures();
    const { pool, machine } = fixtures;
    const note = (statement: Statement) => statements.set(statement.sql, statement);
    for (const { ask } of QUESTIONS) await withPostgresStore(pool, [machine.shelf], ask, note);
  });
  afterAll(() => fixtures[Symbol.asyncDispose]());

  test("read no table as a whole where an index serves", async () => {
    const { pool, machine } = fixtures;
    const client = await pool.connect();
    const scans: string[] = [];
    try {
      await client.query("BEGIN");
      // The tables are small: without this, PostgreSQL would read them as a whole even if it could use an index.
      await client.query("SET LOCAL enable_seqscan = off");
      await client.query(
        "SELECT set_config('pidex.shelves', $1, true), set_config('role', 'pidex_reader', true)",
        [`{${machine.shelf}}`],
      );
      for (const { sql, values } of statements.values()) {
        const { rows } = await client.query({ text: `EXPLAIN ${sql}`, values: [...values] });
        const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
        if (/Seq Scan/.test(plan)) scans.push(`${sql}\n${plan}`);
      }
    } finally {
      await client.query("ROLLBACK");
      client.release();
    }
    expect(statements.size).toBeGreaterThan(50);
    expect(scans).toEqual([]);
  });
});
