import { execFile, execFileSync, spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { type Session, session } from "../../fixtures/builder.ts";
import { discover } from "../../indexer/discover.ts";
import { ingest } from "../../indexer/ingest.ts";
import { prepareRows } from "../../indexer/rows.ts";
import type { Database } from "../../src/database/open.ts";
import { rootAt } from "../../src/session/locations.ts";
import { temporaryFolder } from "../temporary.ts";
import { dumpTables } from "./dump.ts";
import { databaseIn, rebuilt, syncFolders } from "./index-at.ts";

const isRoot = process.getuid?.() === 0;
const CHILD = join(import.meta.dirname, "sync-child.ts");

/** Makes a file look as if it had lain there for long. */
function age(path: string, seconds = 1_000_000): string {
  const time = Date.now() / 1000 - seconds + 0.123;
  utimesSync(path, time, time);
  return path;
}

const talk = (options: Parameters<typeof session>[0] = {}): Session =>
  session(options).user("Is it whole?").assistant("It is.");

/** A folder of three old sessions and a database that knows them. */
async function indexed() {
  const folder = temporaryFolder();
  const root = join(folder, "sessions");
  const sessions = ["one", "two", "three"].map((id) => talk({ id }));
  const paths = sessions.map((session) => age(session.writeUnder(root)));
  const db = await databaseIn(folder);
  const report = await syncFolders(db, root);
  const expectRebuilt = async (roots: string | string[] = root) =>
    expect(dumpTables(db.writer)).toEqual(await rebuilt(join(folder, "rebuilt.db"), roots));
  return { folder, root, sessions, paths, path: paths[0] as string, db, report, expectRebuilt };
}

const nothing = { added: 0, appended: 0, reindexed: 0, moved: 0, forgotten: 0, faulty: 0 };
const countOf = (db: Database, table: string): number =>
  db.writer.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number;
const pathsIn = (db: Database): string[] =>
  db.writer.prepare("SELECT path FROM file ORDER BY path").pluck().all() as string[];
const problemsOf = (db: Database, path: string) =>
  db.writer
    .prepare("SELECT code FROM problem JOIN file ON file.id = file_id WHERE path = ?")
    .pluck()
    .all(path);

describe("work is in proportion to what is new", () => {
  test("a first sync reads each file once", async () => {
    const { report, paths } = await indexed();
    const bytes = paths.reduce((sum, path) => sum + statSync(path).size, 0);
    expect(report).toMatchObject({ ...nothing, files: 3, added: 3, bytesRead: bytes, linesRead: 9 });
  });

  test("a second sync reads no byte and no line", async () => {
    const { db, root } = await indexed();
    expect(await syncFolders(db, root)).toMatchObject({
      ...nothing,
      files: 3,
      skipped: 3,
      bytesRead: 0,
      linesRead: 0,
    });
  });

  test("a second sync soon after the first looks only whether the bytes are the same", async () => {
    const folder = temporaryFolder();
    const path = talk().writeUnder(join(folder, "sessions"));
    const ahead = Date.now() / 1000 + 60; // a clock ahead of ours: never to be trusted
    utimesSync(path, ahead, ahead);
    const db = await databaseIn(folder);
    await syncFolders(db, join(folder, "sessions"));
    const report = await syncFolders(db, join(folder, "sessions"));
    expect(report).toMatchObject({ ...nothing, skipped: 1, bytesRead: 0, linesRead: 0 });
    expect(report.bytesVerified).toBeGreaterThan(0);
  });

  test("of one appended line exactly its bytes are read", async () => {
    const { db, root, sessions, path, expectRebuilt } = await indexed();
    const line = sessions[0]?.assistant("And one more: 数据库").lines.at(-1) as string;
    sessions[0]?.appendTo(path);
    expect(await syncFolders(db, root)).toMatchObject({
      ...nothing,
      skipped: 2,
      appended: 1,
      bytesRead: Buffer.byteLength(`${line}\n`),
      linesRead: 1,
    });
    await expectRebuilt();
  });

  test("a torn last line is left for the next sync", async () => {
    const { db, root, sessions, path, expectRebuilt } = await indexed();
    const line = Buffer.from(`${sessions[0]?.user("torn €").lines.at(-1)}\n`);
    const cursor = statSync(path).size;
    appendFileSync(path, line.subarray(0, 40));
    await syncFolders(db, root);
    expect(problemsOf(db, path)).toEqual(["torn_line"]);
    expect(db.writer.prepare("SELECT cursor FROM file WHERE path = ?").pluck().get(path)).toBe(cursor);
    appendFileSync(path, line.subarray(40));
    expect(await syncFolders(db, root)).toMatchObject({
      ...nothing,
      appended: 1,
      bytesRead: line.length,
      linesRead: 1,
    });
    expect(problemsOf(db, path)).toEqual([]);
    await expectRebuilt();
  });

  test("a whole last line without its newline counts, once", async () => {
    const { db, root, sessions, path, expectRebuilt } = await indexed();
    appendFileSync(path, sessions[0]?.user("no newline").lines.at(-1) as string);
    await syncFolders(db, root);
    await expectRebuilt();
    const entries = countOf(db, "entry");
    expect(entries).toBe(7);
    appendFileSync(path, `\n${sessions[0]?.user("after it").lines.at(-1)}\n`);
    expect(await syncFolders(db, root)).toMatchObject({ appended: 1, linesRead: 1 });
    expect(countOf(db, "entry")).toBe(8);
    await expectRebuilt();
  });

  test("an upgrade in place reindexes that file only", async () => {
    const folder = temporaryFolder();
    const root = join(folder, "sessions");
    const old = talk({ id: "old", version: 1 });
    const path = age(old.writeUnder(root));
    age(talk({ id: "new" }).writeUnder(root));
    const db = await databaseIn(folder);
    await syncFolders(db, root);

    const upgraded = talk({ id: "old", version: 3 }).bytes();
    const inode = statSync(path).ino;
    const fd = openSync(path, "r+");
    ftruncateSync(fd, 0);
    writeSync(fd, upgraded);
    closeSync(fd);
    expect(statSync(path).ino).toBe(inode);
    expect(await syncFolders(db, root)).toMatchObject({
      ...nothing,
      skipped: 1,
      reindexed: 1,
      bytesRead: upgraded.length,
      linesRead: 3,
    });
    expect(dumpTables(db.writer)).toEqual(await rebuilt(join(folder, "rebuilt.db"), root));
  });

  test("a rewrite of the same size that puts the mtime back is seen", async () => {
    const { db, root, path, expectRebuilt } = await indexed();
    const { atime, mtime } = statSync(path);
    writeFileSync(path, readFileSync(path, "utf8").replace("Is it whole?", "Is it other?"));
    utimesSync(path, atime, mtime);
    expect(await syncFolders(db, root)).toMatchObject({ ...nothing, skipped: 2, reindexed: 1 });
    await expectRebuilt();
  });

  test("of a renamed file no byte is read", async () => {
    const { db, root, path, expectRebuilt } = await indexed();
    const id = db.writer.prepare("SELECT id FROM file WHERE path = ?").pluck().get(path);
    const moved = join(root, "renamed.jsonl");
    renameSync(path, moved);
    expect(await syncFolders(db, root)).toMatchObject({
      ...nothing,
      skipped: 2,
      moved: 1,
      bytesRead: 0,
      linesRead: 0,
    });
    expect(db.writer.prepare("SELECT path FROM file WHERE id = ?").pluck().get(id)).toBe(moved);
    await expectRebuilt();
  });

  test("of a file renamed and grown only the growth is read", async () => {
    const { db, root, sessions, path, expectRebuilt } = await indexed();
    const line = `${sessions[0]?.user("grown").lines.at(-1)}\n`;
    renameSync(path, join(root, "renamed.jsonl"));
    appendFileSync(join(root, "renamed.jsonl"), line);
    expect(await syncFolders(db, root)).toMatchObject({
      ...nothing,
      moved: 1,
      bytesRead: line.length,
      linesRead: 1,
    });
    await expectRebuilt();
  });

  test("a project folder that was renamed moves with all its files", async () => {
    const { db, root, expectRebuilt } = await indexed();
    renameSync(join(root, "--home-ada-shop--"), join(root, "--home-ada-store--"));
    expect(await syncFolders(db, root)).toMatchObject({ ...nothing, moved: 3, bytesRead: 0 });
    await expectRebuilt();
  });

  test("a raised extraction version reads every file again", async () => {
    const { db, root, expectRebuilt } = await indexed();
    db.writer.exec("UPDATE file SET extraction = 0; UPDATE session SET name = 'of old'");
    expect(await syncFolders(db, root)).toMatchObject({ ...nothing, reindexed: 3, linesRead: 9 });
    await expectRebuilt();
  });
});

describe("what is gone is forgotten", () => {
  test("a deleted file goes with all its rows", async () => {
    const folder = temporaryFolder();
    const root = join(folder, "sessions");
    const full = talk().tool("read", { path: "a.ts" }, "text").label("nobody", "kept").raw("no JSON");
    full.toolResult("toolu_x", "subagent", "done", {
      details: { results: [{ agent: "scout", usage: { cost: 1 } }] },
    });
    const path = full.writeUnder(root);
    const db = await databaseIn(folder);
    await syncFolders(db, root);
    const tables = ["file", "session", "entry", "label", "tool_call", "usage", "session_model"];
    tables.push("subagent_run", "problem", "entry_text_docsize");
    for (const table of tables) expect([table, countOf(db, table) > 0]).toEqual([table, true]);

    rmSync(path);
    expect(await syncFolders(db, root)).toMatchObject({ ...nothing, files: 0, forgotten: 1 });
    for (const table of tables) expect([table, countOf(db, table)]).toEqual([table, 0]);
    const found = db.writer
      .prepare("SELECT count(*) FROM entry_text WHERE entry_text MATCH 'whole'")
      .pluck()
      .get();
    expect(found).toBe(0);
  });

  test("a root that does not exist is empty", async () => {
    const { db, folder } = await indexed();
    const report = await syncFolders(db, join(folder, "nowhere"));
    expect(report).toMatchObject({ ...nothing, files: 0, unlisted: [] });
    expect(countOf(db, "file")).toBe(3); // they are below another root
  });

  test("a root that was deleted is forgotten", async () => {
    const { db, root } = await indexed();
    rmSync(root, { recursive: true });
    expect(await syncFolders(db, root)).toMatchObject({ ...nothing, forgotten: 3 });
  });

  test("roots next to each other don't forget each other's files", async () => {
    const { db, folder, root } = await indexed();
    const other = `${root}-other`; // its path starts with the first one's
    talk({ id: "four" }).writeUnder(other);
    await syncFolders(db, other);
    expect(countOf(db, "file")).toBe(4);
    await syncFolders(db, root);
    expect(countOf(db, "file")).toBe(4);
    rmSync(other, { recursive: true });
    await syncFolders(db, root);
    expect(countOf(db, "file")).toBe(4);
    await syncFolders(db, [root, other]);
    expect(countOf(db, "file")).toBe(3);
    expect(dumpTables(db.writer)).toEqual(await rebuilt(join(folder, "rebuilt.db"), [root, other]));
  });

  test.skipIf(isRoot)("a folder that cannot be listed keeps its rows, and only they are kept", async () => {
    const { db, root, paths } = await indexed();
    const [kept] = paths;
    const locked = join(root, "--home-ada-shop--");
    const neighbour = join(root, "--home-ada-shop--2");
    mkdirSync(neighbour);
    const gone = join(neighbour, "gone.jsonl");
    talk({ id: "gone" }).write(gone);
    await syncFolders(db, root);
    rmSync(gone);
    chmodSync(locked, 0o000);
    try {
      const report = await syncFolders(db, root);
      expect(report).toMatchObject({ ...nothing, files: 0, forgotten: 1 });
      expect(report.unlisted.map(({ path }) => path)).toEqual([locked]);
      expect(pathsIn(db)).toContain(kept);
      expect(pathsIn(db)).not.toContain(gone);
      chmodSync(locked, 0o400); // can be listed, but nothing in it can be looked at
      await syncFolders(db, root);
      expect(pathsIn(db)).toContain(kept);
    } finally {
      chmodSync(locked, 0o700);
    }
  });

  test("a file that came back while others were read is not forgotten", async () => {
    const { db, folder, root, path, paths, expectRebuilt } = await indexed();
    renameSync(path, join(folder, "kept")); // deleted, its inode might go to the new file
    talk({ id: "new" }).writeUnder(root);
    await syncFolders(db, root, {
      onProgress: () => {
        talk({ id: "one" }).user("I am back.").write(path);
        execFileSync(process.execPath, [CHILD, join(folder, "index.db"), root]);
      },
    });
    expect(pathsIn(db)).toEqual(expect.arrayContaining(paths));
    await expectRebuilt();
  });
});

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

/** More sessions than one transaction takes. */
function manySessions(root: string): string[] {
  mkdirSync(root, { recursive: true });
  return Array.from({ length: 1_002 }, (_, n) => {
    const path = join(root, `${n}.jsonl`);
    session({ id: `${n}` })
      .user(`Number ${n}`)
      .write(path);
    return age(path, 1_000_000 - n);
  });
}

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

describe("a file that is rewritten while it is read", () => {
  test("is read again at the next look", async () => {
    const folder = temporaryFolder();
    const root = join(folder, "sessions");
    const path = age(talk().writeUnder(root));
    const db = await databaseIn(folder);
    const rows = prepareRows(db.writer);
    const [file] = discover([rootAt(root)]).files;
    const count = { read: { bytes: 0, lines: 0 }, verified: { bytes: 0, lines: 0 } };
    let rewritten = false;
    const interrupted: typeof rows = {
      ...rows,
      addEntry: (...parameters) => {
        rows.addEntry(...parameters);
        // What was read so far is of the old bytes; the new ones are as many, and more.
        const other = talk().text().replace("Is it whole?", "Is it other?").replace("It is.", "It was");
        if (!rewritten) writeFileSync(path, `${other}${talk().user("more").lines.at(-1)}\n`);
        rewritten = true;
      },
    };
    db.writer
      .transaction(() => ingest({ rows: interrupted, file: file as never, budget: 1e9, count }))
      .immediate();
    expect(rewritten).toBe(true);
    await syncFolders(db, root);
    expect(dumpTables(db.writer)).toEqual(await rebuilt(join(folder, "rebuilt.db"), root));
  });
});

describe("what cannot be read becomes a problem and stops nobody", () => {
  test("a link to nothing, until it leads somewhere", async () => {
    const { db, folder, root, expectRebuilt } = await indexed();
    const link = join(root, "link.jsonl");
    symlinkSync(join(folder, "target.jsonl"), link);
    expect(await syncFolders(db, root)).toMatchObject({ ...nothing, files: 4, skipped: 3, faulty: 1 });
    expect(problemsOf(db, link)).toEqual(["unreadable"]);
    await expectRebuilt();

    talk({ id: "four" }).write(join(folder, "target.jsonl"));
    await syncFolders(db, root);
    expect(problemsOf(db, link)).toEqual([]);
    await expectRebuilt();

    rmSync(join(folder, "target.jsonl"));
    expect(await syncFolders(db, root)).toMatchObject({ ...nothing, faulty: 1 });
    await expectRebuilt();
    rmSync(link);
    expect(await syncFolders(db, root)).toMatchObject({ ...nothing, forgotten: 1 });
  });

  test("a link to itself", async () => {
    const { db, root, expectRebuilt } = await indexed();
    symlinkSync("self.jsonl", join(root, "self.jsonl"));
    symlinkSync("round", join(root, "round"));
    expect(await syncFolders(db, root)).toMatchObject({ ...nothing, files: 4, faulty: 1 });
    expect(problemsOf(db, join(root, "self.jsonl"))).toEqual(["unreadable"]);
    await expectRebuilt();
  });

  test.skipIf(process.platform === "win32")("a pipe, also one that took a file's place", async () => {
    const { db, root, path, expectRebuilt } = await indexed();
    rmSync(path);
    execFileSync("mkfifo", [path]);
    execFileSync("mkfifo", [join(root, "pipe.jsonl")]);
    expect(await syncFolders(db, root)).toMatchObject({ ...nothing, files: 4, skipped: 2, faulty: 2 });
    expect(problemsOf(db, path)).toEqual(["not_a_file"]);
    expect(countOf(db, "entry")).toBe(4);
    await expectRebuilt();
  });

  test("a folder with the name of a session is a folder", async () => {
    const { db, root } = await indexed();
    talk({ id: "four" }).write(join(root, "folder.jsonl", "four.jsonl"));
    expect(await syncFolders(db, root)).toMatchObject({ ...nothing, files: 4, added: 1 });
  });

  test.skipIf(isRoot)("a file nobody may read, until somebody may", async () => {
    const { db, root, path, expectRebuilt } = await indexed();
    chmodSync(path, 0o000);
    expect(await syncFolders(db, root)).toMatchObject({ ...nothing, skipped: 2, faulty: 1 });
    expect(problemsOf(db, path)).toEqual(["unreadable"]);
    expect(countOf(db, "entry")).toBe(4);
    const message = db.writer.prepare("SELECT message FROM problem").pluck().get();
    expect(message).not.toContain(path);
    await expectRebuilt();
    chmodSync(path, 0o600);
    await syncFolders(db, root);
    await expectRebuilt();
    expect(countOf(db, "entry")).toBe(6);
  });
});

describe("rows", () => {
  test("of subagents are marked, also after a move", async () => {
    const { db, root, path } = await indexed();
    const folder = join(root, "--home-ada-shop--");
    const artifact = talk({ id: "four" }).write(join(folder, "subagent-artifacts", "four.jsonl"));
    const run = talk({ id: "five" }).write(join(folder, "one", "run-0", "five.jsonl"));
    await syncFolders(db, root);
    const marked = db.writer.prepare("SELECT path FROM file WHERE subagent = 1 ORDER BY path").pluck();
    expect(marked.all()).toEqual([artifact, run].sort());

    renameSync(path, join(folder, "subagent-artifacts", "one.jsonl"));
    renameSync(run, join(folder, "five.jsonl"));
    expect(await syncFolders(db, root)).toMatchObject({ ...nothing, moved: 2 });
    expect(marked.all()).toEqual([artifact, join(folder, "subagent-artifacts", "one.jsonl")]);
  });

  test("are numbered from the oldest file to the newest", async () => {
    const folder = temporaryFolder();
    const root = join(folder, "sessions");
    for (const [name, seconds] of [
      ["a", 100],
      ["b", 300],
      ["c", 200],
    ] as const) {
      age(talk({ id: name }).write(join(root, `${name}.jsonl`)), seconds);
    }
    const db = await databaseIn(folder);
    await syncFolders(db, root);
    const ids = db.writer.prepare(
      "SELECT session.id FROM entry JOIN session USING (file_id) ORDER BY entry.id",
    );
    expect(ids.pluck().all()).toEqual(["b", "b", "c", "c", "a", "a"]);
  });

  test("of a call get its result, whenever that comes", async () => {
    const folder = temporaryFolder();
    const root = join(folder, "sessions");
    const called = talk().assistant([
      { type: "toolCall", id: "c1", name: "read", arguments: { path: "a.ts" } },
    ]);
    const path = called.writeUnder(root);
    const db = await databaseIn(folder);
    await syncFolders(db, root);
    const call = db.writer.prepare(
      "SELECT name, path, is_error, r.line FROM tool_call LEFT JOIN entry r ON r.id = result",
    );
    expect(call.all()).toEqual([{ name: "read", path: "a.ts", is_error: null, line: null }]);
    called.toolResult("c1", "read", "no such file", { isError: true }).appendTo(path);
    await syncFolders(db, root);
    expect(call.all()).toEqual([{ name: "read", path: "a.ts", is_error: 1, line: 5 }]);
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
