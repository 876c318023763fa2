import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { QUESTIONS } from "../conformance/questions.ts";
import { createEmbedded, hasPostgres } from "./databases.ts";
import { type IndexedFixtures, indexFixtures } from "./indexed-fixtures.ts";
import { withoutMachines } from "./ingest.ts";

/** The statements are those that PostgreSQL is asked in conformance.test.ts, so a sample shows whether PGlite runs them. */
const ASKED = QUESTIONS.filter((_, n) => !hasPostgres || n % 5 === 0);

/** Creating a database with PGlite takes up to 20 seconds on a busy machine. */
const TIMEOUT_MS = 300_000;

describe("PGlite gives the same answers as SQLite to", () => {
  let fixtures: IndexedFixtures;
  beforeAll(async () => {
    fixtures = await indexFixtures(createEmbedded);
  }, TIMEOUT_MS);
  afterAll(() => fixtures[Symbol.asyncDispose](), TIMEOUT_MS);

  test.each(ASKED)(
    "$name",
    async ({ ask }) => {
      const { pool, machine, sqlite } = fixtures;
      const answer = await withPostgresStore(pool, [machine.shelf], ask);
      expect(withoutMachines(answer)).toEqual(withoutMachines(await ask(sqlite)));
    },
    TIMEOUT_MS,
  );
});
