import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openEmbedded } from "../../../library/hub/server/embedded.ts";
import { postgresMigrations } from "../../../migrations/postgres/index.ts";
import { migratePostgres } from "../../../src/store/postgres/migrate.ts";
import { withPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { QUESTIONS } from "../conformance/questions.ts";
import { type IndexedFixtures, indexFixtures } from "./indexed-fixtures.ts";
import { withoutMachines } from "./ingest.ts";

/** Creating a database with PGlite takes up to 20 seconds on a busy machine. */
const TIMEOUT_MS = 300_000;

async function openPglite(): Promise<{ pool: Pool } & AsyncDisposable> {
  const folder = mkdtempSync(join(tmpdir(), "pidex-test-"));
  const { pool, close } = await openEmbedded(join(folder, "hub"));
  await migratePostgres(pool, postgresMigrations);
  return {
    pool,
    async [Symbol.asyncDispose]() {
      await close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

describe("PGlite gives the same answers as SQLite to", () => {
  let fixtures: IndexedFixtures;
  beforeAll(async () => {
    fixtures = await indexFixtures(openPglite);
  }, TIMEOUT_MS);
  afterAll(() => fixtures[Symbol.asyncDispose](), TIMEOUT_MS);

  test.each(QUESTIONS)(
    "$name",
    async ({ ask }) => {
      const { pool, machine, sqlite } = fixtures;
      const answer = await withPostgresStore(pool, [machine.shelf], ask);
      expect(withoutMachines(answer)).toEqual(withoutMachines(await ask(sqlite)));
    },
    TIMEOUT_MS,
  );
});
