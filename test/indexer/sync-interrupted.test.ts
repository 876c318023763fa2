import { execFile, spawnSync } from "node:child_process";
import { appendFileSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../temporary.ts";
import { dumpTables } from "./dump.ts";
import { databaseIn, rebuilt, syncFolders } from "./index-at.ts";
import { age, CHILD, countOf, indexed, manySessions, nothing, pathsIn, talk } from "./synced.ts";

describe("a big load", () => {
  const MEGABYTE = "x".repeat(1 << 20);

  /** A session of over 64 MB. */
  function big(root: string): string {
    const session = talk({ id: "big" });
    for (let n = 0; n < 70; n++) session.custom("state", MEGABYTE);
    return age(session.user("the end").writeUnder(root));
  }

  test("takes several transactions, and goes on from its cursor after an abort", async () => {
    const folder = temporaryFolder();
    const root = join(folder, "sessions");
    const path = big(root);
    const { size } = statSync(path);
    const db = await databaseIn(folder);

    const abort = new AbortController();
    let calls = 0;
    const aborted = syncFolders(db, root, {
      signal: abort.signal,
      onProgress: (progress) => {
        calls++;
        expect(progress).toMatchObject({ filesDone: 0, filesTotal: 1, bytesTotal: size });
        abort.abort(new Error("enough"));
      },
    });
    await expect(aborted).rejects.toThrow("enough");
    expect(calls).toBe(1);

    const cursor = db.writer.prepare("SELECT cursor FROM file").pluck().get() as number;
    expect(cursor).toBeGreaterThan(32 << 20);
    expect(cursor).toBeLessThan(36 << 20);
    expect(countOf(db, "entry")).toBe(db.writer.prepare("SELECT lines - 1 FROM file").pluck().get());
    const automerge = db.writer.prepare("SELECT v FROM entry_text_config WHERE k = 'automerge'").pluck();
    expect(automerge.get()).toBe(4);

    const progress: number[] = [];
    const report = await syncFolders(db, root, { onProgress: ({ bytesDone }) => progress.push(bytesDone) });
    expect(report).toMatchObject({ ...nothing, appended: 1 });
    // The one chunk that a transaction read ahead before it ended is read again by the next.
    expect(report.bytesRead).toBeLessThanOrEqual(size - cursor + (progress.length - 1) * (2 << 20));
    expect(progress.at(-1)).toBe(size - cursor);
    expect(dumpTables(db.writer)).toEqual(await rebuilt(join(folder, "rebuilt.db"), root));
  });

  test("is reported as what it was, however many transactions it took", async () => {
    const folder = temporaryFolder();
    const root = join(folder, "sessions");
    const path = big(root);
    const db = await databaseIn(folder);
    let calls = 0;
    const report = await syncFolders(db, root, { onProgress: () => calls++ });
    expect(calls).toBeGreaterThan(1);
    expect(report).toMatchObject({ ...nothing, added: 1, skipped: 0 });

    writeFileSync(path, readFileSync(path, "utf8").replace("Is it whole?", "Is it other?"));
    expect(await syncFolders(db, root)).toMatchObject({ ...nothing, reindexed: 1, skipped: 0 });
  });
});

describe("an interrupted sync", () => {
  test("killed between two transactions leaves whole files, and the next one ends it", async () => {
    const folder = temporaryFolder();
    const root = join(folder, "sessions");
    manySessions(root);
    const path = join(folder, "index.db");
    expect(spawnSync(process.execPath, [CHILD, path, root, "kill"]).signal).toBe("SIGKILL");

    const db = await databaseIn(folder);
    expect(countOf(db, "file")).toBe(1_000);
    expect(countOf(db, "entry")).toBe(1_000);
    expect(await syncFolders(db, root)).toMatchObject({ ...nothing, skipped: 1_000, added: 2, linesRead: 4 });
    expect(dumpTables(db.writer)).toEqual(await rebuilt(join(folder, "rebuilt.db"), root));
  });

  test("aborted before it came to a renamed file does not forget it", async () => {
    const { db, root, path } = await indexed();
    const renamed = join(root, "renamed.jsonl");
    renameSync(path, renamed);
    const aborted = syncFolders(db, root, { signal: AbortSignal.abort(new Error("enough")) });
    await expect(aborted).rejects.toThrow("enough");
    expect(await syncFolders(db, root)).toMatchObject({ ...nothing, moved: 1, bytesRead: 0 });
  });

  test("a file deleted after it was found leaves no row", async () => {
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

  test("that sync at once end in the rows of one", async () => {
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

  test("do not wait for each other forever", async () => {
    const { db, folder, root } = await indexed();
    const impatient = await databaseIn(folder);
    impatient.writer.pragma("busy_timeout = 10");
    talk({ id: "four" }).writeUnder(root);
    db.writer.exec("BEGIN IMMEDIATE");
    try {
      expect(await syncFolders(impatient, root)).toMatchObject({ ...nothing, busy: true });
    } finally {
      db.writer.exec("ROLLBACK");
    }
    expect(await syncFolders(impatient, root)).toMatchObject({ ...nothing, busy: false, added: 1 });
  });
});
