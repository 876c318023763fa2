import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import SQLite from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import type { SyncReport } from "../../../indexer/report.ts";
import { syncFiles } from "../../../indexer/sync.ts";
import { openIndex } from "../../../library/index.ts";
import { toFileIdentity } from "../../../src/file-identity.ts";
import { SUM_INDEX } from "../../../src/store/schema.ts";
import { acquireLock } from "../../../src/store/sqlite/lock.ts";
import { packRollup, unpackRollup } from "../../../src/store/usage-rollup.ts";
import { temporaryFolder } from "../../temporary.ts";
import { dumpTables } from "../dump.ts";
import { databaseIn, rebuilt, syncFolders } from "../index-at.ts";
import { talk } from "../synced.ts";
import { comparing, indexedSessions } from "./verified.ts";

const clean = { differences: [], differenceCount: 0, changing: [] };

test("a synced index has no differences", async () => {
  const { compare, paths } = await indexedSessions();
  expect(await compare()).toMatchObject({ ...clean, files: paths.length, compared: paths.length });
});

test("a difference has file, table, line, column, and at most 60 characters of each value", async () => {
  const { compare, db, paths } = await indexedSessions();
  db.writer.exec(
    `UPDATE session SET first_message = '${"secret ".repeat(50)}' WHERE first_message LIKE 'Another%'`,
  );
  db.writer.exec("UPDATE entry SET role = 'nobody' WHERE line = 2");
  const { differences, differenceCount } = await compare();
  expect(differenceCount).toBe(4);
  expect(differences).toContainEqual({
    path: paths[2],
    table: "session",
    what: "differs",
    column: "first_message",
    indexed: `${"secret ".repeat(50).slice(0, 59)}…`,
    expected: "Another thing",
  });
  const byteOffset = readFileSync(paths[2] as string).indexOf(10) + 1;
  const role = { what: "differs", column: "role", indexed: "nobody", expected: "user" };
  expect(differences).toContainEqual({ path: paths[2], table: "entry", line: 2, byteOffset, ...role });
});

test("only the first differences of a kind are kept, and all are counted", async () => {
  const { compare, db } = await indexedSessions();
  const { changes } = db.writer.prepare("UPDATE entry SET type = 'x', failed = 7").run();
  const { differences, differenceCount } = await compare();
  expect(differenceCount).toBe(2 * changes);
  expect(differences.length).toBe(2 * 3 * 3);
});

describe("words", () => {
  const some = "(SELECT min(id) FROM entry WHERE line = 3)";
  const others = "INSERT INTO entry_text (rowid, said, thought, called, output)";

  test.each([
    ["that are gone", `DELETE FROM entry_text WHERE rowid = ${some}`],
    [
      "that are different, but as many",
      `CREATE TEMP TABLE held AS SELECT ${some} AS id; DELETE FROM entry_text WHERE rowid = ${some};
       ${others} SELECT id, 'zz yy', 'xx ww vv', '', '' FROM held`,
    ],
    [
      "that are more",
      `CREATE TEMP TABLE held AS SELECT ${some} AS id; DELETE FROM entry_text WHERE rowid = ${some};
       ${others} SELECT id, 'I look. twice', 'Perhaps in total()', '', '' FROM held`,
    ],
    [
      "of an entry without words",
      `${others} SELECT id, 'word', '', '', '' FROM entry WHERE type = 'custom' LIMIT 1`,
    ],
    ["of an entry that there is not", `${others} VALUES (999999, 'word', '', '', '')`],
  ])("%s are found and repaired", async (_, fault) => {
    const { compare, db, folder, root } = await indexedSessions();
    db.writer.exec(fault);
    expect(await compare()).not.toMatchObject({ differenceCount: 0 });
    const report = await compare({ repair: true });
    expect(report).toMatchObject(clean);
    expect(report.repaired.some(({ table }) => table.startsWith("entry_text"))).toBe(true);
    expect(dumpTables(db.writer)).toEqual(await rebuilt(join(folder, "rebuilt.db"), root));
  });

  test("that SQLite cannot read are found", async () => {
    const { compare, db } = await indexedSessions();
    db.writer.unsafeMode(true); // otherwise the FTS5 tables are read-only
    db.writer.exec("UPDATE entry_text_data SET block = zeroblob(length(block)) WHERE id > 10");
    expect(await compare()).not.toMatchObject({ differenceCount: 0 });
  });

  test("without an entry are found and repaired", async () => {
    const { compare, db } = await indexedSessions();
    db.writer.exec(`${others} VALUES (999999, 'tax leftover', '', '', '')`);
    db.writer.unsafeMode(true); // otherwise the FTS5 tables are read-only
    db.writer.exec("DELETE FROM entry_text_docsize WHERE id = 999999");
    const report = await compare({ repair: true });
    expect(report).toMatchObject({ ...clean, repairedFiles: 0 });
    expect(report.repaired).toContainEqual(
      expect.objectContaining({
        path: db.path,
        table: "entry_text",
        what: "extra",
        indexed: "leftover: 1 in 1 entries",
      }),
    );
    expect(await compare()).toMatchObject(clean);
  });
});

test("sums that differ from their events, and events with the wrong owner, are found", async () => {
  const { compare, db } = await indexedSessions();
  const { day, rows, file_id } = db.writer
    .prepare<[], { day: number; rows: string; file_id: number }>("SELECT * FROM usage_rollup")
    .all()
    .find((row) => row.rows.length > 0) as { day: number; rows: string; file_id: number };
  const dearer = unpackRollup(day, rows).map((row) => ({
    ...row,
    sums: row.sums.with(SUM_INDEX.cost, (row.sums[SUM_INDEX.cost] as number) + 1),
  }));
  db.writer
    .prepare("UPDATE usage_rollup SET rows = ? WHERE file_id = ? AND day = ?")
    .run(packRollup(day, dearer), file_id, day);
  expect((await compare()).differences).toContainEqual(
    expect.objectContaining({ table: "usage_rollup", column: "cost" }),
  );
  expect(await compare({ repair: true })).toMatchObject(clean);

  db.writer.exec("UPDATE event SET attribution = 0");
  const { differences } = await compare();
  expect(differences.map(({ column }) => column)).toContain("attribution");
  expect(await compare({ repair: true })).toMatchObject(clean);
});

describe("files that change", () => {
  /** Updates a file's row to the current file, as if it had been indexed. */
  function claimIndexed({ db, path }: { db: Awaited<ReturnType<typeof databaseIn>>; path: string }): void {
    const stat = statSync(path, { bigint: true });
    db.writer
      .prepare("UPDATE file SET size = ?, mtime_ns = ?, ctime_ns = ?, inode = ?, racy = 0 WHERE path = ?")
      .run(Number(stat.size), String(stat.mtimeNs), String(stat.ctimeNs), toFileIdentity(stat), path);
  }

  test("changed bytes with unchanged size and times are found", async () => {
    const { compare, db, paths, root } = await indexedSessions();
    const path = paths[2] as string;
    writeFileSync(path, readFileSync(path, "utf8").replace("Another thing", "Changed thing"));
    claimIndexed({ db, path });
    expect(await syncFolders(db, root)).toMatchObject({ skipped: 3 });
    const { differences } = await compare({ repair: false });
    expect(differences).toContainEqual(
      expect.objectContaining({
        path,
        column: "first_message",
        indexed: "Another thing",
        expected: "Changed thing",
      }),
    );
    expect(await compare({ repair: true })).toMatchObject({ ...clean, repairedFiles: 1 });
  });

  test.each([
    ["short of", "cursor - 20"],
    ["beyond", "cursor + 20"],
  ])("a cursor %s the end is found", async (_, cursor) => {
    const { compare, db, paths } = await indexedSessions();
    db.writer.exec(`UPDATE file SET cursor = ${cursor} WHERE path = '${paths[0]}'`);
    expect((await compare()).differences).toMatchObject([
      { path: paths[0], table: "file", column: "cursor" },
    ]);
    expect(await compare({ repair: true })).toMatchObject({ ...clean, repairedFiles: 1 });
  });

  test("a file that is not indexed and an indexed file that is missing are differences", async () => {
    const { compare, db, paths, root } = await indexedSessions();
    const [gone, moved] = paths as [string, string];
    db.writer.exec(`DELETE FROM file WHERE path = '${gone}'`);
    renameSync(moved, `${moved}.not-a-session`);
    const { differences } = await compare();
    expect(differences).toContainEqual({ path: gone, table: "file", what: "missing" });
    expect(differences).toContainEqual({ path: moved, table: "file", what: "extra" });
    expect(await compare({ repair: true })).toMatchObject(clean);
    expect(await syncFolders(db, root)).toMatchObject({ files: 2, skipped: 2 });
  });

  test("changes before and during the sync are indexed and are not differences", async () => {
    const { compare, db, paths, root } = await indexedSessions();
    const [grown, gone] = paths as [string, string];
    const grow = () => appendFileSync(grown, `${talk().lines.at(-1)}\n`);
    grow();
    const onSyncProgress = () => {
      grow();
      rmSync(gone);
      talk({ id: "new" }).writeUnder(root);
    };
    expect(await compare({ sync: true, onSyncProgress })).toMatchObject(clean);
    expect(await syncFolders(db, root)).toMatchObject({ files: 3, skipped: 3 });
  });

  test("without a sync before, changes that are not indexed yet are differences", async () => {
    const { compare, paths } = await indexedSessions();
    appendFileSync(paths[0] as string, `${talk().lines.at(-1)}\n`);
    expect((await compare()).differences).toContainEqual(
      expect.objectContaining({ path: paths[0], table: "entry", what: "missing" }),
    );
  });

  test("a file that is written continuously is not a difference", async () => {
    const { compare, paths } = await indexedSessions();
    const grow = () => appendFileSync(paths[0] as string, `${talk().lines.at(-1)}\n`);
    grow();
    const report = await compare({ sync: true, onSyncProgress: grow, onProgress: grow });
    expect(report).toMatchObject({ differences: [], differenceCount: 0 });
  });

  test("a folder renamed after the sync is not a difference, though its files keep their times", async () => {
    const { compare, db, paths, root } = await indexedSessions();
    const folder = dirname(paths[0] as string);
    appendFileSync(paths[2] as string, `${talk().lines.at(-1)}\n`);
    let renamed = 0;
    const onSyncProgress = () => {
      if (renamed++ === 0) renameSync(folder, `${folder}-renamed`);
    };
    expect(await compare({ sync: true, onSyncProgress })).toMatchObject(clean);
    expect(renamed).toBeGreaterThan(0);
    expect(await syncFolders(db, root)).toMatchObject({ files: 3, skipped: 3 });
  });

  test("folders that are renamed repeatedly are not differences", async () => {
    const { compare, paths } = await indexedSessions();
    const [one = "", two = ""] = [paths[0], paths[2]].map((path) => dirname(path as string));
    appendFileSync(paths[2] as string, `${talk().lines.at(-1)}\n`);
    const move = () => {
      for (const folder of [one, two]) {
        const [from, to] = existsSync(folder) ? [folder, `${folder}-away`] : [`${folder}-away`, folder];
        renameSync(from, to);
      }
    };
    const report = await compare({ sync: true, onSyncProgress: move, onProgress: move });
    expect(report).toMatchObject({ differences: [], differenceCount: 0 });
  });

  test("a folder that is removed and restored repeatedly is not a difference", async () => {
    const { compare, paths } = await indexedSessions();
    const folder = dirname(paths[0] as string);
    let isOver = false;
    const moving = (async () => {
      while (!isOver) {
        renameSync(folder, `${folder}-away`);
        await nextTurn();
        renameSync(`${folder}-away`, folder);
        await nextTurn();
      }
    })();
    for (let round = 0; round < 2; round++) {
      const report = await compare({ sync: true });
      expect(report).toMatchObject({ differences: [], differenceCount: 0 });
    }
    isOver = true;
    await moving;
  });

  test("times in the future hide no differences", async () => {
    const { compare, db, paths, root } = await indexedSessions();
    const soon = Date.now() / 1000 + 86_400;
    utimesSync(paths[0] as string, soon, soon);
    await syncFolders(db, root);
    expect(await compare()).toMatchObject(clean);
    db.writer.exec(`UPDATE file SET lines = lines + 1 WHERE path = '${paths[0]}'`);
    expect(await compare()).toMatchObject({ differenceCount: 1 });
  });
});

test("files of other roots and their ownership of shared events do not change", async () => {
  const { compare, db, folder, paths } = await indexedSessions();
  const other = join(folder, "other");
  mkdirSync(other);
  const copy = readFileSync(paths[0] as string, "utf8").replace("2026-01-05T09", "2026-01-04T09");
  writeFileSync(join(other, "copy.jsonl"), copy); // created first: it owns all events
  await syncFolders(db, other);
  expect(db.writer.prepare("SELECT count(*) FROM event WHERE attribution = 1").pluck().get()).toBeGreaterThan(
    10,
  );
  db.writer.exec(`UPDATE session SET name = 'wrong' WHERE file_id = (SELECT max(id) FROM file)`);
  expect(await compare({ repair: true })).toMatchObject({ ...clean, files: 3, repaired: [] });
  expect(await comparing(db, other)()).toMatchObject({ files: 1, differenceCount: 1 });
});

test("files that are not sessions are compared too", async () => {
  const folder = temporaryFolder();
  const root = join(folder, "sessions");
  session({ headless: true }).user("No header").writeUnder(root);
  talk({ id: "torn" }).cut(20).writeUnder(root);
  const db = await databaseIn(folder);
  await syncFolders(db, root);
  const compare = comparing(db, root);
  expect(await compare()).toMatchObject({ ...clean, files: 2 });
  db.writer.exec("UPDATE problem SET code = 'other'");
  expect(await compare({ repair: true })).toMatchObject({ ...clean, repairedFiles: 2 });
});

test("a corrupt page is a difference of the database and is repaired", async () => {
  const { compare, db } = await indexedSessions();
  const page = db.writer
    .prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'label'")
    .pluck()
    .get() as number;
  const size = db.writer.pragma("page_size", { simple: true }) as number;
  db.writer.pragma("wal_checkpoint(TRUNCATE)");
  const fd = openSync(db.path, "r+");
  writeSync(fd, Buffer.alloc(size, 0xee), 0, size, (page - 1) * size);
  closeSync(fd);
  const { differences } = await compare();
  expect(differences).toMatchObject([{ path: db.path, table: "database", what: "differs" }]);
  expect(await compare({ repair: true })).toMatchObject({
    ...clean,
    repaired: differences,
    repairedFiles: 0,
  });
  expect(await compare()).toMatchObject(clean);
});

test("a large comparison can be aborted and leaves no files beside the database", async () => {
  const folder = temporaryFolder();
  const root = join(folder, "sessions");
  const big = talk({ id: "big" });
  for (let n = 0; n < 66; n++) big.custom("state", "x".repeat(1 << 20));
  const path = big.writeUnder(root);
  const db = await databaseIn(folder);
  await syncFiles(db, [{ path, subagent: 0 }]);
  const before = readdirSync(folder);
  const abort = new AbortController();
  const compare = comparing(db, root);
  const onProgress = () => abort.abort(new Error("enough"));
  await expect(compare({ signal: abort.signal, onProgress })).rejects.toThrow("enough");
  expect(readdirSync(folder)).toEqual(before);

  const reported: number[] = [];
  const totals: number[] = [];
  const report = await compare({
    onProgress: ({ bytesDone }) => reported.push(bytesDone),
    onCompareProgress: ({ filesTotal }) => totals.push(filesTotal),
  });
  expect(totals[0]).toBe(1);
  expect(report).toMatchObject(clean);
  expect(reported).toEqual(reported.toSorted((a, b) => a - b));
  expect(readdirSync(folder)).toEqual(before);
});

describe("other processes at the same database", () => {
  test("do not sync during the comparison, and report that they are behind", async () => {
    const { compare, db, folder, root, paths } = await indexedSessions();
    const other = await databaseIn(folder);
    meddleWith(db);
    let meanwhile: SyncReport | undefined;
    const onProgress = async () => {
      appendFileSync(paths[0] as string, `${talk().lines.at(-1)}\n`);
      meanwhile = await syncFolders(other, root, { patienceMs: 0 });
    };
    expect(await compare({ repair: true, onProgress })).toMatchObject({ ...clean, repairedFiles: 3 });
    expect(meanwhile).toMatchObject({ busy: true, appended: 0 });
  });

  test("are waited for until their sync ends", async () => {
    const { compare, db, paths } = await indexedSessions();
    meddleWith(db);
    appendFileSync(paths[0] as string, `${talk().lines.at(-1)}\n`);
    const lock = await acquireLock(db.path, "sync", { timeoutMs: 0 });
    const comparing = compare({ sync: true, repair: true });
    let isDone = false;
    void comparing.then(() => {
      isDone = true;
    });
    const stop = new AbortController();
    setImmediate(() => stop.abort(new Error("enough")));
    await expect(compare({ sync: true, signal: stop.signal })).rejects.toThrow("enough");
    expect(isDone).toBe(false);
    lock?.release();
    expect(await comparing).toMatchObject(clean);
  });

  test.each([{ sync: true }, { repair: true }])(
    "that don't use the writer lock are reported: %j",
    async (options) => {
      const { compare, db, paths } = await indexedSessions();
      meddleWith(db);
      appendFileSync(paths[0] as string, `${talk().lines.at(-1)}\n`);
      db.writer.pragma("busy_timeout = 1");
      const other = new SQLite(db.path);
      onTestFinished(() => void other.close());
      other.exec("BEGIN IMMEDIATE");
      await expect(compare(options)).rejects.toMatchObject({ code: "DATABASE_BUSY" });
    },
  );

  test("may replace the database: the new one is compared", async () => {
    const { db, folder, root, paths } = await indexedSessions();
    await db.close();
    const path = join(folder, "index.db");
    await using index = await openIndex({ db: path, roots: [root] });
    let times = 0;
    const onProgress = () => {
      if (times++ === 0) for (const side of ["", "-wal", "-shm"]) rmSync(path + side, { force: true });
    };
    const compared = await index.verify({ onProgress });
    expect(compared).toMatchObject({ ...clean, compared: paths.length });
    expect(times).toBeGreaterThan(1);
  });
});

/** Wrong rows in all files, and some that belong to no file. */
function meddleWith(db: Awaited<ReturnType<typeof databaseIn>>): void {
  db.writer.exec("UPDATE session SET name = 'wrong'; INSERT INTO path (path) VALUES ('/nowhere')");
}
