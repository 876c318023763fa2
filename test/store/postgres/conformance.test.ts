import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { QUESTIONS } from "../conformance/questions.ts";
import { hasPostgres } from "./databases.ts";
import { type IndexedFixtures, indexFixtures } from "./indexed-fixtures.ts";
import { withoutMachines } from "./ingest.ts";

describe.skipIf(!hasPostgres)("PostgreSQL gives the same answers as SQLite to", () => {
  let fixtures: IndexedFixtures;
  beforeAll(async () => {
    fixtures = await indexFixtures();
  });
  afterAll(() => fixtures[Symbol.asyncDispose]());

  test.each(QUESTIONS)("$name", async ({ ask }) => {
    const { pool, machine, sqlite } = fixtures;
    const answer = await withPostgresStore(pool, [machine.shelf], ask);
    expect(withoutMachines(answer)).toEqual(withoutMachines(await ask(sqlite)));
  });
});
