import { copyFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type SQLite from "better-sqlite3";
import { type Kysely, sql } from "kysely";
import { expect, it, test } from "vitest";
import { oneByOne } from "../../docs/write-new-index.ts";
import { openIndex } from "../../library/index.ts";
import { migrations } from "../../migrations/index.ts";
import { readViews } from "../../query/sql/views.ts";
import { openDatabase } from "../../src/store/sqlite/open.ts";
import { dumpTables } from "../indexer/dump.ts";
import { rebuilt, syncFolders } from "../indexer/index-at.ts";
import { temporaryFolder } from "../temporary.ts";

const fixtures = join(import.meta.dirname, "../../fixtures");
const old = readdirSync(join(fixtures, "databases")).filter((name) => name.endsWith(".db"));

function copyOf(name: string): string {
  const path = join(temporaryFolder(), name);
  copyFileSync(join(fixtures, "databases", name), path);
  return path;
}

it.each(old)("%s, of an older pidex, is migrated, and keeps what it knew", async (name) => {
  const path = copyOf(name);
  const database = await openDatabase({ path, migrations, onNotice: expect.unreachable });
  const done = database.writer.pragma("user_version", { simple: true });
  const { entries } = database.writer.prepare("SELECT count(*) AS entries FROM entry").get() as {
    entries: number;
  };
  await database.close();
  expect(done).toBe(Object.keys(migrations).length);
  expect(entries).toBeGreaterThan(100);
});

it.each(old)("%s has the views of a new index, in their order", async (name) => {
  const viewsAt = async (path: string) => {
    const database = await openDatabase({ path, migrations });
    const views = readViews(database.writer);
    await database.close();
    return views;
  };
  const views = await viewsAt(copyOf(name));
  expect(views).toEqual(await viewsAt(join(temporaryFolder(), "new.db")));
  expect(views.length).toBeGreaterThan(10);
});

it.each(old)("%s answers like a new index once it was synced", async (name) => {
  const path = copyOf(name);
  const roots = [join(fixtures, "roots/pi")];
  const migrated = await openIndex({ db: path, roots });
  const fresh = await openIndex({ db: join(temporaryFolder(), "fresh.db"), roots });
  await migrated.sync();
  await fresh.sync();
  const [found, expected] = [await migrated.search("checkout"), await fresh.search("checkout")];
  expect(found.sessions.map(({ session }) => session.path)).toEqual(
    expected.sessions.map(({ session }) => session.path),
  );
  expect(found.hitCount).toBeGreaterThan(0);
  expect(await migrated.listAll()).toEqual(await fresh.listAll());
  await migrated.close();
  await fresh.close();
});

it.each(old)("%s comes to the rows of a new index when its files are read again", async (name) => {
  const root = join(fixtures, "roots/pi");
  const database = await openDatabase({ path: copyOf(name), migrations });
  // The sessions it was made of lie here; its rows are of an older extraction.
  const move = database.writer.prepare("UPDATE file SET path = replace(path, ?, ?)");
  expect(move.run("/home/ada/.pi/agent/sessions", root).changes).toBeGreaterThan(0);
  await syncFolders(database, root);
  const rows = dumpTables(database.writer);
  await database.close();
  expect(rows.touch?.length).toBeGreaterThan(10);
  expect(rows).toEqual(await rebuilt(join(temporaryFolder(), "new.db"), root));
});

/** All that a database holds, but what is another in each: its random name, and when it was migrated. */
function everythingIn(db: SQLite.Database) {
  const schema = db.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid").all();
  // Where SQLite keeps the last number of tables: without a row it is 0 too.
  const tables = (schema as { type: string; name: string }[]).filter(
    ({ type, name }) => type === "table" && name !== "sqlite_sequence",
  );
  const rows = tables.map(({ name }) => [name, db.prepare(`SELECT * FROM "${name}"`).all() as object[]]);
  const pragmas = ["user_version", "application_id", "auto_vacuum", "journal_mode", "encoding"];
  return {
    schema: schema.filter((row) => (row as { name: string }).name !== "sqlite_sequence"),
    rows: JSON.parse(JSON.stringify(rows, (key, value) => (isOfItsOwn(key, value) ? "own" : value))),
    pragmas: pragmas.map((name) => db.pragma(name)),
  };
}

const isOfItsOwn = (key: string, value: unknown): boolean =>
  key === "timestamp" || (key === "id" && /^[0-9a-f]{12}$/.test(String(value)));

test("a new index is what all migrations make one by one: else run npm run docs", async () => {
  const made = async (steps: typeof migrations) => {
    const path = join(temporaryFolder(), "index.db");
    const database = await openDatabase({ path, migrations: steps });
    const everything = everythingIn(database.writer);
    await database.close();
    return everything;
  };
  const atOnce = await made(migrations);
  expect(atOnce).toEqual(await made(oneByOne()));
  expect(atOnce.schema.length).toBeGreaterThan(70);
});

test("a new index runs no migration", async () => {
  const never = { up: async () => expect.unreachable("a migration was run") };
  const steps = Object.fromEntries(
    Object.entries(migrations).map(([name, step]) => [name, { ...step, ...never }]),
  );
  const database = await openDatabase({ path: join(temporaryFolder(), "index.db"), migrations: steps });
  expect(database.version()).toBe(Object.keys(migrations).length);
  await database.close();
});

test("a migration behind the newest schema is run on it", async () => {
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
