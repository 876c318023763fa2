import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import type { Statement } from "../../../src/store/sql.ts";
import { QUESTIONS, type Question } from "../conformance/questions.ts";
import { hasPostgres } from "./databases.ts";
import { type IndexedFixtures, indexFixtures } from "./indexed-fixtures.ts";
import { withoutMachines } from "./ingest.ts";

describe.skipIf(!hasPostgres)("PostgreSQL gives the same answers as SQLite to", () => {
  let fixtures: IndexedFixtures;
  const statements = new Map<string, Statement>();
  const asked = new Set<Question>();
  const ask = (question: Question) => {
    asked.add(question);
    const note = (statement: Statement) => statements.set(statement.sql, statement);
    return withPostgresStore(fixtures.pool, [fixtures.machine.shelf], question.ask, note);
  };
  beforeAll(async () => {
    fixtures = await indexFixtures();
  });
  afterAll(() => fixtures[Symbol.asyncDispose]());

  test.each(QUESTIONS)("$name", async (question) => {
    const answer = await ask(question);
    expect(withoutMachines(answer)).toEqual(withoutMachines(await question.ask(fixtures.sqlite)));
  });

  test("all questions, and reads no table as a whole where an index serves", async () => {
    for (const question of QUESTIONS) if (!asked.has(question)) await ask(question); // if not all tests above ran
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
