import { appendFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { FileCache, getFileCache } from "../../indexer/file-cache.ts";
import { compareWithDisk } from "../../indexer/find-changes.ts";
import { rebuild } from "../../indexer/rebuild.ts";
import { syncFiles } from "../../indexer/sync.ts";
import { migrations } from "../../migrations/index.ts";
import { toRoot } from "../../src/session/locations.ts";
import { type Database, openDatabase } from "../../src/store/sqlite/open.ts";
import { measureSqlite } from "../bench/statements.ts";
import { temporaryFolder } from "../temporary.ts";
import { databaseIn, openThrowaway, syncFolders } from "./index-at.ts";
import { age, indexed, NO_CHANGES, pathsIn, talk } from "./synced.ts";

/** The cached rows of a folder's files, without their stat fields. */
function remembered(db: Database, root: string, memory = getFileCache(db)) {
  const files = memory.filesBelow([toRoot(root)]).values();
  return [...files].map(({ unchangedStat: _, ...row }) => row).sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The rows in the database. */
const readAll = (db: Database, root: string) => remembered(db, root, new FileCache(db));

/** Syncs until every file is old enough for equal times to prove that it is unchanged. */
async function settle(db: Database, root: string): Promise<void> {
  const young = db.writer.prepare("SELECT 1 FROM file WHERE racy = 1").pluck();
  do await syncFolders(db, root);
  while (young.get() === 1);
  await syncFolders(db, root);
}

test("a sync without changes reads no file rows once they are cached", async () => {
  const { db, root } = await indexed();
  await settle(db, root);
  const { result, rows, statements } = await measureSqlite(() => syncFolders(db, root));
  expect(result).toMatchObject({ ...NO_CHANGES, files: 3, skipped: 3, bytesRead: 0, linesRead: 0 });
  // Whether the database was changed, also since the last sync, and whether something must be erased.
  expect({ statements, rows }).toEqual({ statements: 3, rows: 3 });
});

test("reading an appended line reads no rows of other files", async () => {
  const { db, root, path, paths } = await indexed();
  await settle(db, root);
  const before = getFileCache(db).filesBelow([toRoot(root)]);
  const grown = talk({ id: "one" }).user("And more.").write(path);
  await syncFolders(db, root);
  const after = getFileCache(db).filesBelow([toRoot(root)]);
  for (const other of paths.filter((each) => each !== grown)) {
    expect(after.get(other)).toBe(before.get(other));
  }
  expect(remembered(db, root)).toEqual(readAll(db, root));
  expect(after.get(path)?.cursor).toBeGreaterThan(before.get(path)?.cursor as number);
});

test("renamed and deleted files are removed from the cache at their old paths", async () => {
  const { db, root, paths } = await indexed();
  await settle(db, root);
  const [one, two, three] = paths as [string, string, string];
  renameSync(one, join(root, "renamed.jsonl"));
  rmSync(two);
  const { result, rows } = await measureSqlite(() => syncFolders(db, root));
  expect(result).toMatchObject({ ...NO_CHANGES, moved: 1, forgotten: 1 });
  const again = await measureSqlite(async () => remembered(db, root));
  expect(again.result.map(({ path }) => path)).toEqual([three, join(root, "renamed.jsonl")].sort());
  expect(again.rows).toBe(1);
  expect(rows).toBeGreaterThan(again.rows);
  expect(again.result).toEqual(readAll(db, root));
});

test("the known files of a comparison do not change during it", async () => {
  const { db, root, paths } = await indexed();
  const comparison = await compareWithDisk(db, [toRoot(root)]);
  const added = talk({ id: "four" }).writeUnder(root);
  await syncFiles(db, [{ path: added, subagent: 0 }]);
  expect([...comparison.known.values()].map((file) => file.path).sort()).toEqual([...paths].sort());
  expect(
    getFileCache(db)
      .filesBelow([toRoot(root)])
      .has(added),
  ).toBe(true);
});

test("only the row of an unchanged file is cached", async () => {
  const { db, root, paths, path } = await indexed();
  await settle(db, root);
  appendFileSync(path, "\n");
  const { unchanged, found } = await compareWithDisk(db, [toRoot(root)]);
  expect(found.files.map((file) => file.path)).toEqual([path]);
  expect([...unchanged].sort()).toEqual(paths.filter((each) => each !== path).sort());
});

const files = ["a", "b", "c", "d"];
const file = fc.constantFrom(...files);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("write" as const), file }) },
  fc.record({ do: fc.constant("append" as const), file }),
  fc.record({ do: fc.constant("remove" as const), file }),
  fc.record({ do: fc.constant("rename" as const), file, to: file }),
  { weight: 4, arbitrary: fc.record({ do: fc.constant("sync" as const), by: fc.boolean() }) },
  fc.record({ do: fc.constant("sync one" as const), by: fc.boolean(), file }),
  { weight: 1, arbitrary: fc.record({ do: fc.constant("rebuild" as const), by: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("change a row" as const), by: fc.boolean() }) },
);

test("the cache equals the database after writes by this and by other connections", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
      const folder = temporaryFolder();
      const root = join(folder, "sessions");
      talk({ id: "a" }).write(at("a"));
      const open = (path: string) => openDatabase({ path, migrations });
      const one = await openThrowaway(join(folder, "index.db"));
      const other = await open(one.path);
      function at(name: string): string {
        return join(root, "p", `${name}.jsonl`);
      }
      try {
        for (const each of steps) {
          const db = "by" in each && each.by ? other : one;
          if (each.do === "write") age(talk({ id: each.file }).write(at(each.file)));
          if (each.do === "append") appendFileSync(at(each.file), '{"type":"custom","id":"x"}\n');
          if (each.do === "remove") rmSync(at(each.file), { force: true });
          if (each.do === "rename") {
            writeFileSync(at(each.file), "", { flag: "a" });
            renameSync(at(each.file), at(each.to));
          }
          if (each.do === "sync") await syncFolders(db, root);
          if (each.do === "sync one") await syncFiles(db, [{ path: at(each.file), subagent: 0 }]);
          if (each.do === "rebuild") await rebuild(db, { roots: [toRoot(root)], open });
          if (each.do === "change a row") db.writer.exec("UPDATE file SET racy = 1 - racy");
          for (const handle of [one, other]) {
            expect(remembered(handle, root)).toEqual(readAll(handle, root));
          }
        }
        await syncFolders(one, root);
        await syncFolders(other, root);
        expect(remembered(one, root)).toEqual(remembered(other, root));
      } finally {
        await one.close();
        await other.close();
      }
    }),
    { numRuns: 8 },
  );
});

test("roots that are not cached are read", async () => {
  const { db, root } = await indexed();
  const elsewhere = temporaryFolder();
  talk({ id: "four" }).writeUnder(elsewhere);
  await syncFolders(db, elsewhere);
  expect(pathsIn(db)).toHaveLength(4);
  expect(remembered(db, elsewhere)).toHaveLength(1);
  expect(remembered(db, root)).toHaveLength(3);
  const second = await databaseIn(temporaryFolder());
  expect(remembered(second, root)).toEqual([]);
});
