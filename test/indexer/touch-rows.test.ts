import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { session } from "../../fixtures/builder.ts";
import { discover } from "../../indexer/discover.ts";
import { ingest } from "../../indexer/ingest.ts";
import { prepareRowWriter } from "../../indexer/rows.ts";
import { toRoot } from "../../src/session/locations.ts";
import type { Database } from "../../src/store/sqlite/open.ts";
import { temporaryFolder } from "../temporary.ts";
import { databaseIn, syncFolders } from "./index-at.ts";

/** Each file's touched paths. */
const touched = (db: Database): unknown[] =>
  db.writer
    .prepare(
      `SELECT DISTINCT session.id, path.path FROM touch JOIN path ON path.id = path_id
       JOIN entry ON entry.id = touch.entry JOIN session ON session.file_id = entry.file_id ORDER BY 1, 2`,
    )
    .raw()
    .all();
const pathsIn = (db: Database): unknown[] =>
  db.writer.prepare("SELECT path FROM path ORDER BY path").pluck().all();
const reading = (id: string, ...paths: string[]) => {
  const talk = session({ id });
  for (const path of paths) talk.tool("read", { path }, "text");
  return talk;
};

test("a path is stored once, and deleted with its last touch", async () => {
  const folder = temporaryFolder();
  const root = join(folder, "sessions");
  const one = reading("one", "a.ts", "b.ts", "a.ts").writeUnder(root);
  const two = reading("two", "b.ts", "c.ts").writeUnder(root);
  const db = await databaseIn(folder);
  const a = "/home/ada/shop/a.ts";
  const b = "/home/ada/shop/b.ts";
  const c = "/home/ada/shop/c.ts";
  await syncFolders(db, root);
  expect(pathsIn(db)).toEqual([a, b, c]);

  rmSync(one);
  await syncFolders(db, root);
  expect(pathsIn(db)).toEqual([b, c]);

  reading("two", "c.ts", "a.ts").write(two);
  await syncFolders(db, root);
  expect(pathsIn(db)).toEqual([a, c]);
});

test("paths that other processes delete and add between two transactions are not confused", async () => {
  const folder = temporaryFolder();
  const root = join(folder, "sessions");
  const db = await databaseIn(folder);
  const other = await databaseIn(folder);
  const rowWriter = prepareRowWriter(db.writer);
  const read = async (path: string) => {
    const file = (await discover([toRoot(root)])).files.find((found) => found.path === path);
    const count = { read: { bytes: 0, lines: 0 }, verified: { bytes: 0, lines: 0 } };
    rowWriter.transaction(() => {
      ingest({ rowWriter, file: file as never, budget: 1e9, count });
    });
  };
  const one = reading("one", "/a.ts").writeUnder(root);
  await read(one);
  rmSync(one);
  reading("two", "/b.ts").writeUnder(root);
  await syncFolders(other, root); // /b.ts now has the number that /a.ts had
  await read(reading("three", "/a.ts").writeUnder(root));
  expect(touched(db)).toEqual([
    ["three", "/a.ts"],
    ["two", "/b.ts"],
  ]);
});

test("an id from a rolled back transaction is not cached", async () => {
  const folder = temporaryFolder();
  const root = join(folder, "sessions");
  const db = await databaseIn(folder);
  const rowWriter = prepareRowWriter(db.writer);
  reading("one", "/a.ts", "/b.ts").writeUnder(root);
  const [file] = (await discover([toRoot(root)])).files;
  const count = { read: { bytes: 0, lines: 0 }, verified: { bytes: 0, lines: 0 } };
  const read = (end: () => void) =>
    rowWriter.transaction(() => {
      ingest({ rowWriter, file: file as never, budget: 1e9, count });
      end();
    });
  expect(() =>
    read(() => {
      throw new Error("no room");
    }),
  ).toThrow("no room");
  expect(pathsIn(db)).toEqual([]);
  read(() => {});
  expect(touched(db)).toEqual([
    ["one", "/a.ts"],
    ["one", "/b.ts"],
  ]);
});
