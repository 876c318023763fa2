import { copyFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type Kysely, sql } from "kysely";
import { expect, test } from "vitest";
import { openIndex } from "../../library/index.ts";
import { migrations } from "../../migrations/index.ts";
import { openDatabase } from "../../src/store/sqlite/open.ts";
import { temporaryFolder } from "../temporary.ts";

const fixtures = join(import.meta.dirname, "../../fixtures");

test("a database of an unreleased version is quarantined, and the index is rebuilt from the files", async () => {
  const folder = temporaryFolder();
  const db = join(folder, "index.db");
  copyFileSync(join(fixtures, "databases/unreleased.db"), db);
  const notices: string[] = [];
  const roots = [join(fixtures, "roots/pi")];
  await using index = await openIndex({ db, roots, onNotice: (notice) => notices.push(notice) });
  await using fresh = await openIndex({ db: join(temporaryFolder(), "fresh.db"), roots });
  await index.sync();
  await fresh.sync();
  expect(notices).toHaveLength(1);
  expect(notices[0]).toContain("has the schema of an unreleased version of pidex: it was moved to ");
  expect(readdirSync(folder).filter((name) => name.includes(".broken-"))).toHaveLength(1);
  const found = await index.search("checkout");
  expect(found.hitCount).toBeGreaterThan(0);
  expect(found.hitCount).toBe((await fresh.search("checkout")).hitCount);
  expect(await index.listAll()).toEqual(await fresh.listAll());
});

test("a later migration runs on a new index, after the initial schema", async () => {
  const later = {
    up: async (db: Kysely<unknown>) => {
      await sql`CREATE TABLE later (id INTEGER)`.execute(db);
    },
  };
  const steps = { ...migrations, "9999-later": later };
  const database = await openDatabase({ path: join(temporaryFolder(), "index.db"), migrations: steps });
  expect(database.writer.prepare("SELECT count(*) FROM later").pluck().get()).toBe(0);
  expect(database.writer.prepare("SELECT name FROM kysely_migration ORDER BY name").pluck().all()).toEqual(
    Object.keys(steps),
  );
  await database.close();
});
