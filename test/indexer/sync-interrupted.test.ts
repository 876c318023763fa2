import { execFile, spawnSync } from "node:child_process";
import { appendFileSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import type { SyncOptions } from "../../indexer/report.ts";
import { sync } from "../../indexer/sync.ts";
import { toRoot } from "../../src/session/locations.ts";
import type { Database } from "../../src/store/sqlite/open.ts";
import { temporaryFolder } from "../temporary.ts";
import { dumpTables } from "./dump.ts";
import { databaseIn, rebuilt, syncFolders } from "./index-at.ts";
import { age, CHILD, countOf, indexed, manySessions, NO_CHANGES, pathsIn, talk } from "./synced.ts";

describe("a large load", () => {
  /** Bytes per transaction, so few that a slightly larger session is a large load. */
  const BATCH_BYTES = 32 << 10;
  const load = (db: Database, root: string, options: SyncOptions = {}) =>
    sync(db, { roots: [toRoot(root)], batchBytes: BATCH_BYTES, ...options });

  /** A session of more than two batches. */
  function big(root: string): string {
    const session = talk({ id: "big" });
    for (let n = 0; n < 70; n++) session.custom("state", "x".repeat(1 << 10));
    return age(session.user("the end").writeUnder(root));
  }

  test("that is stopped while writing rows resumes at the same file", async () => {
    const folder = temporaryFolder();
    const root = join(folder, "sessions");
    age(talk({ id: "first" }).writeUnder(root), 2_000_000);
    const { size } = statSync(big(root));
    const db = await databaseIn(folder);

    const abort = new AbortController();
    const aborted = load(db, root, {
      signal: abort.signal,
      onProgress: ({ filesDone, filesTotal, bytesTotal }) => {
        expect([filesDone, filesTotal]).toEqual([1, 2]); // the small one is read first
        expect(bytesTotal).toBeLessThan(1.1 * size); // although each byte is read twice
        if (countOf(db, "entry") > 5) abort.abort(new Error("enough"));
      },
    });
    await expect(aborted).rejects.toThrow("enough");
    const cursors = db.writer.prepare("SELECT cursor FROM file ORDER BY cursor").pluck().all() as number[];
    expect(cursors).toHaveLength(2);
    expect(cursors[1]).toBeGreaterThan(5 << 10);
    expect(cursors[1]).toBeLessThan(size);
    const automerge = db.writer.prepare("SELECT v FROM entry_text_config WHERE k = 'automerge'").pluck();
    expect(automerge.get()).toBe(0); // which tells the next sync that words may be missing

    const report = await load(db, root);
    expect(automerge.get()).toBe(4);
    expect(db.writer.prepare("SELECT count(*) FROM vocabulary").pluck().get()).toBeGreaterThan(0);
    expect(report).toMatchObject({ ...NO_CHANGES, skipped: 1, reindexed: 1 });
    expect(report.bytesRead).toBeLessThan(1.1 * size);
    expect(dumpTables(db.writer)).toEqual(await rebuilt(join(folder, "rebuilt.db"), root));
  });

  test("lists sessions before they are searchable, and resumes with their words", async () => {
    const folder = temporaryFolder();
    const root = join(folder, "sessions");
    const { size } = statSync(big(root));
    const db = await databaseIn(folder);
    const abort = new AbortController();
    const aborted = load(db, root, {
      signal: abort.signal,
      onProgress: () => countOf(db, "entry") === 73 && abort.abort(new Error("enough")),
    });
    await expect(aborted).rejects.toThrow("enough");
    expect(countOf(db, "session")).toBe(1);
    expect(countOf(db, "entry_text_docsize")).toBe(0);

    const report = await load(db, root);
    expect(report).toMatchObject({ ...NO_CHANGES, added: 1 });
    expect(report.bytesRead).toBe(size);
    expect(countOf(db, "entry_text_docsize")).toBe(3);
    expect(dumpTables(db.writer)).toEqual(await rebuilt(join(folder, "rebuilt.db"), root));
  });

  test("has the same report with any number of transactions", async () => {
    const folder = temporaryFolder();
    const root = join(folder, "sessions");
    const path = big(root);
    const db = await databaseIn(folder);
    let calls = 0;
    const report = await load(db, root, { onProgress: () => calls++ });
    expect(calls).toBeGreaterThan(1);
    expect(report).toMatchObject({ ...NO_CHANGES, added: 1, skipped: 0 });

    writeFileSync(path, readFileSync(path, "utf8").replace("Is it whole?", "Is it other?"));
    expect(await load(db, root)).toMatchObject({ ...NO_CHANGES, reindexed: 1, skipped: 0 });
  });
});

describe("an interrupted sync", () => {
  test("killed between two transactions leaves complete files, and the next one finishes", async () => {
    const folder = temporaryFolder();
    const root = join(folder, "sessions");
    manySessions(root);
    const path = join(folder, "index.db");
    expect(spawnSync(process.execPath, [CHILD, path, root, "kill"]).signal).toBe("SIGKILL");

    const db = await databaseIn(folder);
    expect(countOf(db, "file")).toBe(1_000);
    expect(countOf(db, "entry")).toBe(1_000);
    expect(await syncFolders(db, root)).toMatchObject({
      ...NO_CHANGES,
      skipped: 1_000,
      added: 2,
      linesRead: 4,
    });
    expect(dumpTables(db.writer)).toEqual(await rebuilt(join(folder, "rebuilt.db"), root));
  });

  test("aborted before a renamed file keeps its rows", async () => {
    const { db, root, path } = await indexed();
    const renamed = join(root, "renamed.jsonl");
    renameSync(path, renamed);
    const aborted = syncFolders(db, root, { signal: AbortSignal.abort(new Error("enough")) });
    await expect(aborted).rejects.toThrow("enough");
    expect(await syncFolders(db, root)).toMatchObject({ ...NO_CHANGES, moved: 1, bytesRead: 0 });
  });

  test("a file deleted after it was found has no row", async () => {
    const folder = temporaryFolder();
    const root = join(folder, "sessions");
    const last = manySessions(root).at(-1) as string;
    const db = await databaseIn(folder);
    await syncFolders(db, root, { onProgress: ({ filesDone }) => filesDone === 1_000 && rmSync(last) });
    expect(pathsIn(db)).not.toContain(last);
    expect(countOf(db, "problem")).toBe(0);
  });
});

describe("two processes", () => {
  const run = promisify(execFile);

  test("that sync at the same time leave the rows of one sync", async () => {
    const folder = temporaryFolder();
    const root = join(folder, "sessions");
    const paths = manySessions(root);
    for (let n = 0; n < 3; n++) {
      const long = talk({ id: `long-${n}` });
      for (let line = 0; line < 2_000; line++) long.user(`Line ${line} of ${n}`);
      long.writeUnder(root);
    }
    const arguments_ = [CHILD, join(folder, "index.db"), root];
    const syncTwice = () => Promise.all([1, 2].map(() => run(process.execPath, arguments_)));
    const reports = (await syncTwice()).map(({ stdout }) => JSON.parse(stdout));
    const db = await databaseIn(folder);
    expect(reports.map(({ busy }) => busy)).toEqual([false, false]);
    expect(reports[0].added + reports[1].added).toBe(paths.length + 3);
    expect(dumpTables(db.writer)).toEqual(await rebuilt(join(folder, "rebuilt.db"), root));

    for (const [n, path] of paths.entries()) {
      if (n % 4 === 0) appendFileSync(path, '{"type":"message","id":"0000000a","message":{"role":"user"}}\n');
      if (n % 4 === 1) rmSync(path);
      if (n % 4 === 2) renameSync(path, `${path}.moved.jsonl`);
    }
    await syncTwice();
    expect(dumpTables(db.writer)).toEqual(await rebuilt(join(folder, "rebuilt-2.db"), root));
  });

  test("do not deadlock", async () => {
    const { db, folder, root } = await indexed();
    const impatient = await databaseIn(folder);
    impatient.writer.pragma("busy_timeout = 10");
    talk({ id: "four" }).writeUnder(root);
    db.writer.exec("BEGIN IMMEDIATE");
    try {
      expect(await syncFolders(impatient, root)).toMatchObject({ ...NO_CHANGES, busy: true });
    } finally {
      db.writer.exec("ROLLBACK");
    }
    expect(await syncFolders(impatient, root)).toMatchObject({ ...NO_CHANGES, busy: false, added: 1 });
  });
});
