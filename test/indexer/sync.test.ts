import {
  appendFileSync,
  closeSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../temporary.ts";
import { dumpTables } from "./dump.ts";
import { databaseIn, rebuilt, syncFolders } from "./index-at.ts";
import { age, countOf, indexed, NO_CHANGES, problemsOf, talk } from "./synced.ts";

describe("work is proportional to what is new", () => {
  test("a first sync reads each file once", async () => {
    const { report, paths } = await indexed();
    const bytes = paths.reduce((sum, path) => sum + statSync(path).size, 0);
    expect(report).toMatchObject({ ...NO_CHANGES, files: 3, added: 3, bytesRead: bytes, linesRead: 9 });
  });

  test("a second sync reads no byte and no line", async () => {
    const { db, root } = await indexed();
    expect(await syncFolders(db, root)).toMatchObject({
      ...NO_CHANGES,
      files: 3,
      skipped: 3,
      bytesRead: 0,
      linesRead: 0,
    });
  });

  test("a second sync soon after the first only compares bytes", async () => {
    const folder = temporaryFolder();
    const path = talk().writeUnder(join(folder, "sessions"));
    const ahead = Date.now() / 1000 + 60; // a clock ahead of this machine's: never trusted
    utimesSync(path, ahead, ahead);
    const db = await databaseIn(folder);
    await syncFolders(db, join(folder, "sessions"));
    const report = await syncFolders(db, join(folder, "sessions"));
    expect(report).toMatchObject({ ...NO_CHANGES, skipped: 1, bytesRead: 0, linesRead: 0 });
    expect(report.bytesVerified).toBeGreaterThan(0);
  });

  test("an appended line costs reading exactly its bytes", async () => {
    const { db, root, sessions, path, expectRebuilt } = await indexed();
    const line = sessions[0]?.assistant("And one more: 数据库").lines.at(-1) as string;
    sessions[0]?.appendTo(path);
    expect(await syncFolders(db, root)).toMatchObject({
      ...NO_CHANGES,
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
      ...NO_CHANGES,
      appended: 1,
      bytesRead: line.length,
      linesRead: 1,
    });
    expect(problemsOf(db, path)).toEqual([]);
    await expectRebuilt();
  });

  test("a complete last line without a newline is read once", async () => {
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
      ...NO_CHANGES,
      skipped: 1,
      reindexed: 1,
      bytesRead: upgraded.length,
      linesRead: 3,
    });
    expect(dumpTables(db.writer)).toEqual(await rebuilt(join(folder, "rebuilt.db"), root));
  });

  test("a rewrite of the same size that sets the mtime back is found", async () => {
    const { db, root, path, expectRebuilt } = await indexed();
    const { atime, mtime } = statSync(path);
    writeFileSync(path, readFileSync(path, "utf8").replace("Is it whole?", "Is it other?"));
    utimesSync(path, atime, mtime);
    expect(await syncFolders(db, root)).toMatchObject({ ...NO_CHANGES, skipped: 2, reindexed: 1 });
    await expectRebuilt();
  });

  test("a renamed file is not read", async () => {
    const { db, root, path, expectRebuilt } = await indexed();
    const id = db.writer.prepare("SELECT id FROM file WHERE path = ?").pluck().get(path);
    const moved = join(root, "renamed.jsonl");
    renameSync(path, moved);
    expect(await syncFolders(db, root)).toMatchObject({
      ...NO_CHANGES,
      skipped: 2,
      moved: 1,
      bytesRead: 0,
      linesRead: 0,
    });
    expect(db.writer.prepare("SELECT path FROM file WHERE id = ?").pluck().get(id)).toBe(moved);
    await expectRebuilt();
  });

  test("only the new bytes of a renamed and grown file are read", async () => {
    const { db, root, sessions, path, expectRebuilt } = await indexed();
    const line = `${sessions[0]?.user("grown").lines.at(-1)}\n`;
    renameSync(path, join(root, "renamed.jsonl"));
    appendFileSync(join(root, "renamed.jsonl"), line);
    expect(await syncFolders(db, root)).toMatchObject({
      ...NO_CHANGES,
      moved: 1,
      bytesRead: line.length,
      linesRead: 1,
    });
    await expectRebuilt();
  });

  test("a renamed project folder moves with all its files", async () => {
    const { db, root, expectRebuilt } = await indexed();
    renameSync(join(root, "--home-ada-shop--"), join(root, "--home-ada-store--"));
    expect(await syncFolders(db, root)).toMatchObject({ ...NO_CHANGES, moved: 3, bytesRead: 0 });
    await expectRebuilt();
  });

  test("a raised extraction version reads every file again", async () => {
    const { db, root, expectRebuilt } = await indexed();
    db.writer.exec("UPDATE file SET extraction = 0; UPDATE session SET name = 'of old'");
    expect(await syncFolders(db, root)).toMatchObject({ ...NO_CHANGES, reindexed: 3, linesRead: 9 });
    await expectRebuilt();
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
    expect(await syncFolders(db, root)).toMatchObject({ ...NO_CHANGES, moved: 2 });
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

  test("of a call get its result, whenever it arrives", async () => {
    const folder = temporaryFolder();
    const root = join(folder, "sessions");
    const called = talk().assistant([
      { type: "toolCall", id: "c1", name: "read", arguments: { path: "a.ts" } },
    ]);
    const path = called.writeUnder(root);
    const db = await databaseIn(folder);
    await syncFolders(db, root);
    const call = db.writer.prepare(
      "SELECT name, is_error, r.line FROM tool_call LEFT JOIN entry r ON r.id = result",
    );
    expect(call.all()).toEqual([{ name: "read", is_error: null, line: null }]);
    called.toolResult("c1", "read", "no such file", { isError: true }).appendTo(path);
    await syncFolders(db, root);
    expect(call.all()).toEqual([{ name: "read", is_error: 1, line: 5 }]);
  });
});
