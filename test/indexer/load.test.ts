import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import SQLite from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { catalog } from "../../fixtures/catalog.ts";
import { compareWithDisk } from "../../indexer/find-changes.ts";
import { readAhead } from "../../indexer/read-ahead.ts";
import type { SyncOptions } from "../../indexer/report.ts";
import { sync } from "../../indexer/sync.ts";
import { toRoot } from "../../src/session/locations.ts";
import type { Database } from "../../src/store/sqlite/open.ts";
import { temporaryFolder } from "../temporary.ts";
import { dumpTables } from "./dump.ts";
import { databaseIn, openThrowaway, rebuilt, syncFolders } from "./index-at.ts";
import { age, countOf, NO_CHANGES, talk } from "./synced.ts";

/** Bytes per transaction, so few that some fixtures are a large load. */
const load = (db: Database, root: string, options: SyncOptions & { batchBytes?: number } = {}) =>
  sync(db, { roots: [toRoot(root)], batchBytes: 4_000, ...options });

function fixtures(): string {
  const root = join(temporaryFolder(), "sessions");
  for (const { path, session } of catalog) session.write(join(root, path));
  return root;
}

/** Number of hits of some words. */
const countWords = (db: Database) =>
  ["checkout", "tax", "the", "bash", "error"].map((word) =>
    db.writer.prepare("SELECT count(*) FROM entry_text WHERE entry_text MATCH ?").pluck().get(word),
  );

describe("many files, read in two passes", () => {
  test("have the same rows and words as files read one by one", async () => {
    const root = fixtures();
    const [loaded, single] = [await databaseIn(temporaryFolder()), await databaseIn(temporaryFolder())];
    const report = await load(loaded, root);
    const expected = await syncFolders(single, root);
    expect(report).toMatchObject({
      added: expected.added,
      faulty: expected.faulty,
      reindexed: 0,
      skipped: 0,
    });
    expect(report.linesRead).toBe(expected.linesRead); // each file is read twice, and counts once
    expect(dumpTables(loaded.writer)).toEqual(dumpTables(single.writer));
    expect(countWords(loaded)).toEqual(countWords(single));
    expect(countWords(loaded)).not.toContain(0);
    expect(await load(loaded, root)).toMatchObject({ ...NO_CHANGES, bytesRead: 0 });
  });

  test("are read again if their rows are from an older extraction", async () => {
    const root = fixtures();
    const db = await databaseIn(temporaryFolder());
    const { added } = await load(db, root);
    const words = countWords(db);
    db.writer.exec("UPDATE file SET extraction = extraction - 1");
    expect(await load(db, root)).toMatchObject({ ...NO_CHANGES, reindexed: added });
    expect(countWords(db)).toEqual(words);
    expect(dumpTables(db.writer)).toEqual(await rebuilt(join(temporaryFolder(), "new.db"), root));
  });

  test.each<[change: string, change: (path: string) => void]>([
    ["grew", (path) => appendFileSync(path, talk({ id: "more" }).text().split("\n").slice(1).join("\n"))],
    ["was rewritten", (path) => writeFileSync(path, readFileSync(path, "utf8").replace("whole", "other"))],
    ["was replaced by a shorter one", (path) => talk({ id: "shorter" }).write(path)],
    ["went", (path) => rmSync(path)],
  ])("a file that %s between the passes has the rows of its new content", async (_, change) => {
    const root = join(temporaryFolder(), "sessions");
    const paths = ["one", "two", "three"].map((id) => {
      const draft = talk({ id });
      for (let n = 0; n < 30; n++) draft.user(`Turn ${n} of ${id}`).assistant(`Whatever, ${n}`);
      return age(draft.writeUnder(root));
    });
    const db = await databaseIn(temporaryFolder());
    let changed = false;
    await load(db, root, {
      onProgress: () => {
        if (changed || countOf(db, "session") < 3 || countOf(db, "entry_text_docsize") > 0) return;
        change(paths[2] as string);
        changed = true;
      },
    });
    expect(changed).toBe(true);
    await load(db, root); // it had no rows of the removed files
    expect(dumpTables(db.writer)).toEqual(await rebuilt(join(temporaryFolder(), "new.db"), root));
    expect((await load(db, root)).bytesRead).toBe(0);
  });
});

describe("the newest files of a large load", () => {
  /** Sessions of a day each, the last one the newest. */
  function days(root: string, count: number): string[] {
    return Array.from({ length: count }, (_, n) => {
      const path = talk({ id: `day ${n + 10}` })
        .user(`word${n + 10}`)
        .writeUnder(root);
      const time = new Date(Date.UTC(2026, 0, 1 + n));
      utimesSync(path, time, time);
      return path;
    });
  }
  const entriesByTime = (db: Database) =>
    db.writer
      .prepare("SELECT CAST(mtime_ns AS INTEGER) FROM entry JOIN file ON file.id = file_id ORDER BY entry.id")
      .pluck()
      .all() as number[];
  const sessions = (db: Database) =>
    db.writer
      .prepare("SELECT session.id FROM session JOIN file ON file.id = file_id ORDER BY mtime_ns")
      .pluck()
      .all();
  const hits = (db: Database, word: string) =>
    db.writer.prepare("SELECT count(*) FROM entry_text WHERE entry_text MATCH ?").pluck().get(word);

  test("can be listed and searched before any other is read, and row ids follow time", async () => {
    const root = join(temporaryFolder(), "sessions");
    const paths = days(root, 40);
    const size = statSync(paths[39] as string).size;
    const db = await databaseIn(temporaryFolder());
    const seen: { sessions: unknown[]; hits: unknown[] }[] = [];
    await load(db, root, {
      batchBytes: size * 3,
      onProgress: () =>
        void seen.push({
          sessions: sessions(db),
          hits: ["word49", "word47", "word46"].map((word) => hits(db, word)),
        }),
    });
    const newest = ["day 47", "day 48", "day 49"];
    const last = seen.findLast(({ sessions }) => sessions.length <= newest.length);
    expect(last).toEqual({ sessions: newest, hits: [1, 1, 0] });
    expect(sessions(db)).toHaveLength(40);
    expect(hits(db, "word46")).toBe(1);
    const times = entriesByTime(db);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(dumpTables(db.writer)).toEqual(await rebuilt(join(temporaryFolder(), "new.db"), root));
  });

  test("row ids follow time also if the load is stopped, twice, and new lines come last", async () => {
    const root = join(temporaryFolder(), "sessions");
    const paths = days(root, 40);
    const size = statSync(paths[39] as string).size;
    const db = await databaseIn(temporaryFolder());
    for (const stopAfter of [1, 3, Number.POSITIVE_INFINITY]) {
      const stop = new AbortController();
      let transactions = 0;
      const options = { batchBytes: size, signal: stop.signal };
      const onProgress = () => void (++transactions === stopAfter && stop.abort(new Error("stopped")));
      await load(db, root, { ...options, onProgress }).catch((error) =>
        expect(error.message).toBe("stopped"),
      );
    }
    const times = entriesByTime(db);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    const last = () =>
      db.writer
        .prepare("SELECT path FROM entry JOIN file ON file.id = file_id ORDER BY entry.id DESC LIMIT 1")
        .pluck()
        .get();
    expect(last()).toBe(paths[39]);
    appendFileSync(
      paths[3] as string,
      talk({ id: "more" }).user("later").text().split("\n").slice(1).join("\n"),
    );
    await load(db, root);
    expect(last()).toBe(paths[3]);
    expect(dumpTables(db.writer)).toEqual(await rebuilt(join(temporaryFolder(), "new.db"), root));
  });

  test("a session that is too large for that does not delay the others", async () => {
    const root = join(temporaryFolder(), "sessions");
    const paths = days(root, 40);
    const size = statSync(paths[0] as string).size;
    const large = talk({ id: "large" });
    for (let n = 0; n < 200; n++) large.user(`turn ${n}`).assistant("Yes.");
    large.writeUnder(root);
    const db = await databaseIn(temporaryFolder());
    const seen: unknown[][] = [];
    await load(db, root, { batchBytes: size * 3, onProgress: () => void seen.push(sessions(db)) });
    expect(seen.find((sessions) => sessions.length >= 3)).toEqual(["day 47", "day 48", "day 49"]);
    expect(sessions(db).at(-1)).toBe("large");
    const times = entriesByTime(db);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  test("end at a session that is too large, so that row ids follow time", async () => {
    const root = join(temporaryFolder(), "sessions");
    const paths = days(root, 40);
    const size = statSync(paths[0] as string).size;
    const lines = talk({ id: "day 48" });
    for (let n = 0; n < 200; n++) lines.user(`turn ${n}`);
    writeFileSync(paths[38] as string, lines.text());
    const time = new Date(Date.UTC(2026, 0, 39));
    utimesSync(paths[38] as string, time, time);
    const db = await databaseIn(temporaryFolder());
    const seen: unknown[][] = [];
    await load(db, root, { batchBytes: size * 3, onProgress: () => void seen.push(sessions(db)) });
    expect(seen[0]).toEqual(["day 49"]);
    const times = entriesByTime(db);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(dumpTables(db.writer)).toEqual(await rebuilt(join(temporaryFolder(), "new.db"), root));
  });
});

test("a comparison in the same process sees no uncommitted rows of a load", async () => {
  const root = fixtures();
  const folder = temporaryFolder();
  const db = await databaseIn(folder);
  const committed = new Set<number>([0]);
  const seen = new Set<number>();
  const count = (handle: SQLite.Database) =>
    handle.prepare("SELECT count(*) FROM file").pluck().get() as number;
  const other = new SQLite(db.path, { readonly: true });
  let loads = true;
  const looks = (async () => {
    while (loads) {
      seen.add((await compareWithDisk(db, [toRoot(root)])).known.size);
      await new Promise(setImmediate); // messages of the thread arrive in between
    }
  })();
  // A few transactions, with several messages each.
  await load(db, root, { batchBytes: 40_000, onProgress: () => void committed.add(count(other)) });
  loads = false;
  await looks;
  expect([...seen].filter((size) => !committed.has(size))).toEqual([]);
  expect(seen.size).toBeGreaterThan(1);
  other.close();
});

test("many small files are a large load too", async () => {
  const folder = join(temporaryFolder(), "sessions", "p");
  mkdirSync(folder, { recursive: true });
  const lines = talk({ id: "small" }).text().split("\n").length - 1;
  for (let n = 0; n < 2_000; n++) writeFileSync(join(folder, `${n}.jsonl`), talk({ id: `${n}` }).text());
  const db = await openThrowaway(join(temporaryFolder(), "index.db"));
  expect(await sync(db, { roots: [toRoot(join(folder, ".."))] })).toMatchObject({
    added: 2_000,
    linesRead: 2_000 * lines, // in two passes, each of which counts half
  });
  await db.close();
});

test("a failed thread ends the load, and its caller does not hang", async () => {
  const messages = [];
  for await (const message of readAhead({ job: undefined as never, messageBytes: 1 })) messages.push(message);
  expect(messages).toEqual([]);
});

test("without permission to start threads, all files are read in the main thread", async () => {
  const root = join(temporaryFolder(), "sessions");
  talk({ id: "first" }).writeUnder(root);
  const folder = temporaryFolder();
  const db = await databaseIn(folder);
  await syncFolders(db, root); // where threads are not allowed, file modes cannot be restricted, so all files are created here
  for (const { path, session } of catalog) session.write(join(root, path));
  const forbidden = ["--permission", "--allow-addons", "--allow-fs-read=*", "--allow-fs-write=*"];
  const child = join(import.meta.dirname, "sync-killed-child.ts");
  const args = [...forbidden, child, db.path, root, "4000", "Infinity"];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect(status, stderr).toBe(0);
  expect(dumpTables(db.writer)).toEqual(await rebuilt(join(folder, "new.db"), root));
  expect(countWords(db)).not.toContain(0);
});
