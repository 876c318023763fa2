import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { discover } from "../../indexer/discover.ts";
import { compareWithDisk } from "../../indexer/find-changes.ts";
import { ingest } from "../../indexer/ingest.ts";
import { prepareRowWriter } from "../../indexer/rows.ts";
import { syncChanges } from "../../indexer/sync.ts";
import { toRoot } from "../../src/session/locations.ts";
import { temporaryFolder } from "../temporary.ts";
import { dumpTables } from "./dump.ts";
import { databaseIn, rebuilt, syncFolders } from "./index-at.ts";
import { age, countOf, indexed, isRoot, NO_CHANGES, pathsIn, problemsOf, talk } from "./synced.ts";

describe("missing files are removed from the index", () => {
  test("a deleted file is removed with all its rows", async () => {
    const folder = temporaryFolder();
    const root = join(folder, "sessions");
    const full = talk().tool("read", { path: "a.ts" }, "text").label("nobody", "kept").raw("no JSON");
    full.toolResult("toolu_x", "subagent", "done", {
      details: { results: [{ agent: "scout", usage: { cost: 1 }, sessionFile: "/x.jsonl" }] },
    });
    const path = full.writeUnder(root);
    const db = await databaseIn(folder);
    await syncFolders(db, root);
    const tables = ["file", "session", "entry", "label", "tool_call", "event", "session_model"];
    tables.push(
      "usage_rollup",
      "run_file",
      "subagent_run",
      "problem",
      "entry_text_docsize",
      "current_range",
      "touch",
      "path",
    );
    for (const table of tables) expect([table, countOf(db, table) > 0]).toEqual([table, true]);

    rmSync(path);
    expect(await syncFolders(db, root)).toMatchObject({ ...NO_CHANGES, files: 0, forgotten: 1 });
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
    expect(report).toMatchObject({ ...NO_CHANGES, files: 0, unlisted: [] });
    expect(countOf(db, "file")).toBe(3); // the files are below another
  });

  test("files of a deleted root are removed from the index", async () => {
    const { db, root } = await indexed();
    rmSync(root, { recursive: true });
    expect(await syncFolders(db, root)).toMatchObject({ ...NO_CHANGES, forgotten: 3 });
  });

  test("a sync of one root keeps the files of another", async () => {
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

  test.skipIf(isRoot)("rows of a folder that cannot be listed are kept, and only those", async () => {
    const { db, root, paths } = await indexed();
    const [kept] = paths;
    const locked = join(root, "--home-ada-shop--");
    const neighbor = join(root, "--home-ada-shop--2");
    mkdirSync(neighbor);
    const gone = join(neighbor, "gone.jsonl");
    talk({ id: "gone" }).write(gone);
    await syncFolders(db, root);
    rmSync(gone);
    chmodSync(locked, 0o000);
    try {
      const report = await syncFolders(db, root);
      expect(report).toMatchObject({ ...NO_CHANGES, files: 0, forgotten: 1 });
      expect(report.unlisted.map(({ path }) => path)).toEqual([locked]);
      expect(pathsIn(db)).toContain(kept);
      expect(pathsIn(db)).not.toContain(gone);
      chmodSync(locked, 0o400); // can be listed, but its files cannot be accessed
      await syncFolders(db, root);
      expect(pathsIn(db)).toContain(kept);
    } finally {
      chmodSync(locked, 0o700);
    }
  });

  test("a file missing in the comparison is kept if it is back and another process has synced it", async () => {
    const { db, folder, root, path, paths, expectRebuilt } = await indexed();
    renameSync(path, join(folder, "kept")); // not deleted, because its inode might be reused by the new file
    talk({ id: "new" }).writeUnder(root);
    const scanned = await compareWithDisk(db, [toRoot(root)]);
    talk({ id: "one" }).user("I am back.").write(path);
    await syncFolders(await databaseIn(folder), root);
    await syncChanges(db, scanned);
    expect(pathsIn(db)).toEqual(expect.arrayContaining(paths));
    await expectRebuilt();
  });
});

describe("a file that is rewritten while it is read", () => {
  test("is read again by the next sync", async () => {
    const folder = temporaryFolder();
    const root = join(folder, "sessions");
    const path = age(talk().writeUnder(root));
    const db = await databaseIn(folder);
    const rowWriter = prepareRowWriter(db.writer);
    const [file] = (await discover([toRoot(root)])).files;
    const count = { read: { bytes: 0, lines: 0 }, verified: { bytes: 0, lines: 0 } };
    let rewritten = false;
    const interrupted: typeof rowWriter = {
      ...rowWriter,
      addEntry: (...parameters) => {
        rowWriter.addEntry(...parameters);
        // The part read so far has the old bytes; the new file is at least as long.
        const other = talk().text().replace("Is it whole?", "Is it other?").replace("It is.", "It was");
        if (!rewritten) writeFileSync(path, `${other}${talk().user("more").lines.at(-1)}\n`);
        rewritten = true;
      },
    };
    rowWriter.transaction(() => ingest({ rowWriter: interrupted, file: file as never, budget: 1e9, count }));
    expect(rewritten).toBe(true);
    await syncFolders(db, root);
    expect(dumpTables(db.writer)).toEqual(await rebuilt(join(folder, "rebuilt.db"), root));
  });
});

describe("an unreadable file becomes a problem and does not stop the sync", () => {
  test("a broken link, until its target exists", async () => {
    const { db, folder, root, expectRebuilt } = await indexed();
    const link = join(root, "link.jsonl");
    symlinkSync(join(folder, "target.jsonl"), link);
    expect(await syncFolders(db, root)).toMatchObject({ ...NO_CHANGES, files: 4, skipped: 3, faulty: 1 });
    expect(problemsOf(db, link)).toEqual(["unreadable"]);
    await expectRebuilt();

    talk({ id: "four" }).write(join(folder, "target.jsonl"));
    await syncFolders(db, root);
    expect(problemsOf(db, link)).toEqual([]);
    await expectRebuilt();

    rmSync(join(folder, "target.jsonl"));
    expect(await syncFolders(db, root)).toMatchObject({ ...NO_CHANGES, faulty: 1 });
    await expectRebuilt();
    rmSync(link);
    expect(await syncFolders(db, root)).toMatchObject({ ...NO_CHANGES, forgotten: 1 });
  });

  test("a link to itself", async () => {
    const { db, root, expectRebuilt } = await indexed();
    symlinkSync("self.jsonl", join(root, "self.jsonl"));
    symlinkSync("round", join(root, "round"));
    expect(await syncFolders(db, root)).toMatchObject({ ...NO_CHANGES, files: 4, faulty: 1 });
    expect(problemsOf(db, join(root, "self.jsonl"))).toEqual(["unreadable"]);
    await expectRebuilt();
  });

  test.skipIf(process.platform === "win32")("a pipe, also one that replaced a file", async () => {
    const { db, root, path, expectRebuilt } = await indexed();
    rmSync(path);
    execFileSync("mkfifo", [path]);
    execFileSync("mkfifo", [join(root, "pipe.jsonl")]);
    expect(await syncFolders(db, root)).toMatchObject({ ...NO_CHANGES, files: 4, skipped: 2, faulty: 2 });
    expect(problemsOf(db, path)).toEqual(["not_a_file"]);
    expect(countOf(db, "entry")).toBe(4);
    await expectRebuilt();
  });

  test("a folder with the name of a session is a folder", async () => {
    const { db, root } = await indexed();
    talk({ id: "four" }).write(join(root, "folder.jsonl", "four.jsonl"));
    expect(await syncFolders(db, root)).toMatchObject({ ...NO_CHANGES, files: 4, added: 1 });
  });

  test.skipIf(isRoot)("a file without read permission, until it has it", async () => {
    const { db, root, path, expectRebuilt } = await indexed();
    chmodSync(path, 0o000);
    expect(await syncFolders(db, root)).toMatchObject({ ...NO_CHANGES, skipped: 2, faulty: 1 });
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
