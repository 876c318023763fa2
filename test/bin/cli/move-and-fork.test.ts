import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { ForkedJson, MovedJson } from "../../../bin/cli/write-answers.ts";
import { session } from "../../../fixtures/builder.ts";
import { linesOf, strict } from "../cli.ts";
import { createWorkspace, maskIdAndTime, projectOf, shop, snapshotFolder } from "./metadata-workspace.ts";

describe("move", () => {
  test("changes the folder in the header, moves the file to the folder's session folder, and keeps every other byte", async () => {
    const { put, run, json, root, folder } = createWorkspace();
    const draft = shop();
    const path = put(draft);
    const to = join(folder, "new shop");
    mkdirSync(to);
    const before = readFileSync(path, "utf8");
    await run(["index"]);
    const untouched = snapshotFolder(root);
    const { moved: plan } = await json("move", "shop", to, "--dry-run");
    expect(snapshotFolder(root)).toEqual(untouched);
    const { exit, out, err } = await run(["move", "shop", to]);
    const target = join(root, projectOf(to), basename(path));
    expect([exit, out, err]).toEqual([0, `${target}\n`, ""]);
    expect(existsSync(path)).toBe(false);
    const [first = "", ...rest] = linesOf(readFileSync(target, "utf8"));
    expect(JSON.parse(first)).toEqual({ ...draft.header, cwd: to });
    expect(rest).toEqual(linesOf(before).slice(1));
    expect(plan).toEqual({ sessionId: "shop", from: path, path: target, header: first });
    strict(MovedJson).parse(plan);
    const { sessions } = await json("list", "--no-sync");
    expect(sessions).toMatchObject([{ id: "shop", cwd: to, path: target }]);
  });

  test("does not move the file out of a folder shared by projects, and reports a missing working directory", async () => {
    const { put, run, json, root } = createWorkspace();
    const path = put(shop(), join(root, "flat.jsonl"));
    const { moved } = await json("move", "shop", "/nowhere/at/all", "--dry-run");
    const { out, err } = await run(["move", "shop", "/nowhere/at/all"]);
    expect([out, moved.path]).toEqual([`${path}\n`, path]);
    expect(err).toContain("folder /nowhere/at/all does not exist");
    expect(linesOf(readFileSync(path, "utf8"))[0]).toBe(moved.header);
  });

  test.skipIf(process.platform === "win32")(
    "is refused while a program keeps the session open, which would go on in the old file",
    async () => {
      const { put, run, folder } = createWorkspace();
      const path = put(shop());
      const fd = openSync(path, "a");
      try {
        const { exit, err } = await run(["move", "shop", folder]);
        expect([exit, err]).toEqual([1, expect.stringContaining("open for writing")]);
      } finally {
        closeSync(fd);
      }
      expect(await run(["move", "shop", folder])).toMatchObject({ exit: 0 });
    },
  );
});

test.each([
  ["move", ["shop", "/"], /^Moved "hello" to \/\n$/],
  ["fork", ["shop"], /^Forked "hello" to \S+\n$/],
  ["fork", ["shop", "--name", "Second try"], /^Forked "hello" to \S+ as "Second try"\n$/],
])("%s is confirmed in a sentence on a terminal", async (command, args, sentence) => {
  const { put, run } = createWorkspace();
  put(shop());
  expect((await run([command, ...args], { columns: 80 })).out).toMatch(sentence);
});

describe("fork", () => {
  test("is neither pinned nor archived, and --name names it", async () => {
    const { put, run, json } = createWorkspace();
    const path = put(shop());
    for (const command of ["pin", "archive"]) await run([command, "shop"]);
    const { forked: plan } = await json("fork", "shop", "--name", "Second try", "--dry-run");
    const { forked } = await json("fork", "shop", "--name", "Second try");
    expect(plan.entryCount).toBe(forked.entryCount);
    const { sessions } = await json("list", "--archived", "yes");
    expect(sessions).toMatchObject([
      { path, pinned: true, archived: true },
      { path: forked.path, pinned: false, archived: false, name: "Second try" },
    ]);
  });

  test("creates a file beside the session with all its entries, and does not change the session", async () => {
    const { put, run, json, folder } = createWorkspace();
    const path = put(shop());
    const before = readFileSync(path, "utf8");
    const untouched = snapshotFolder(folder);
    const { forked: plan } = await json("fork", "shop", "--dry-run");
    expect(snapshotFolder(folder)).toEqual(untouched);
    const { exit, out } = await run(["fork", "shop"]);
    const [forkPath = ""] = linesOf(out);
    expect([exit, dirname(forkPath), plan.folder]).toEqual([0, dirname(path), dirname(path)]);
    const [header = "", ...entries] = linesOf(readFileSync(forkPath, "utf8"));
    expect(JSON.parse(header)).toMatchObject({ cwd: "/home/ada/shop", parentSession: path, version: 3 });
    expect(maskIdAndTime(plan.header)).toBe(maskIdAndTime(header));
    expect(entries).toEqual(linesOf(before).slice(1));
    expect(plan.entryCount).toBe(entries.length);
    expect(readFileSync(path, "utf8")).toBe(before);
    const { sessions } = await json("list", "--no-sync");
    expect(sessions.map((each: { path: string }) => each.path).sort()).toEqual([path, forkPath].sort());
    expect(sessions.some((each: { parentSessionPath?: string }) => each.parentSessionPath === path)).toBe(
      true,
    );
  });

  test("without new messages was modified before it was created, which show and exports explain", async () => {
    const { put, run } = createWorkspace();
    const draft = shop();
    put(draft);
    const fork = draft.fork({ id: "fork", timestamp: "2026-03-01T10:00:00.000Z" });
    put(fork);
    const copied = / (2026-01-05 \d\d:\d\d) \(copied by the fork\)$/m;
    for (const argv of [
      ["show", "fork"],
      ["export", "fork", "--format", "md"],
    ])
      expect((await run(argv)).out).toMatch(copied);
    put(fork.assistant("New."));
    expect((await run(["show", "fork"])).out).not.toContain("copied by the fork");
    expect((await run(["show", "shop"])).out).not.toContain("copied by the fork");
  });

  test("with --cwd is in the session folder of that directory, in the same root", async () => {
    const { put, json, root, folder, run } = createWorkspace();
    const flat = put(session({ id: "flat", cwd: "/home/ada/shop" }).user("hello"), join(root, "flat.jsonl"));
    const elsewhere = join(folder, "atomic");
    const path = put(shop(), join(elsewhere, "--home-ada-shop--", "x.jsonl"));
    const both = ["--root", elsewhere];
    const { forked } = await json("fork", path, "--cwd", "/home/ada/new", ...both);
    expect(forked).toMatchObject({ folder: join(elsewhere, "--home-ada-new--"), entryCount: 3, from: path });
    strict(ForkedJson).parse(forked);
    const forkPath = (await run(["fork", flat, "--cwd", "/home/ada/new"])).out.trim();
    expect(dirname(forkPath)).toBe(root);
    expect(JSON.parse(linesOf(readFileSync(forkPath, "utf8"))[0] as string).cwd).toBe("/home/ada/new");
  });

  test("for another folder is refused if only the project's own folder is writable", async () => {
    const { put, run, folder, root } = createWorkspace();
    mkdirSync(root, { recursive: true });
    const project = join(folder, "other", "--home-ada-shop--");
    const path = put(shop(), join(project, "x.jsonl"));
    const flags = ["--root", project];
    for (const argv of [
      ["fork", path, "--cwd", "/home/ada/new"],
      ["fork", path, "--cwd", "/home/ada/new", "--dry-run"],
    ]) {
      const { exit, err } = await run([...argv, ...flags]);
      expect(exit).not.toBe(0);
      expect(err).toContain(join(folder, "other", "--home-ada-new--"));
      expect(err).toContain("is outside the session folders: nothing was written");
    }
    expect(readdirSync(join(folder, "other"))).toEqual(["--home-ada-shop--"]);
    expect(readdirSync(project)).toEqual(["x.jsonl"]);
    const forkPath = (await run(["fork", path, ...flags])).out.trim();
    expect(dirname(forkPath)).toBe(project);
  });

  test("of a subagent session is not a subagent session", async () => {
    const { put, run, json, root } = createWorkspace();
    const worker = session({ id: "worker", cwd: "/home/ada/shop" }).user("task");
    put(worker, join(root, "--home-ada-shop--", "subagent-artifacts", "worker.jsonl"));
    const forkPath = (await run(["fork", "worker"])).out.trim();
    expect(dirname(forkPath)).toBe(join(root, "--home-ada-shop--"));
    expect((await json("tree", forkPath)).session.subagent).toBe(false);
  });

  test("with --at has the branch to that entry, and its labels", async () => {
    const { put, json, root, run } = createWorkspace();
    const draft = session({ id: "shop", cwd: "/home/ada/shop" }).user("hello").assistant("hi");
    const at = draft.lastId;
    draft.label(draft.entries[0]?.id as string, "start").user("not this");
    const path = put(draft);
    const before = readFileSync(path, "utf8");
    const { forked: plan } = await json("fork", "shop", "--at", at, "--dry-run");
    expect(readdirSync(dirname(path))).toHaveLength(1);
    const { forked } = await json("fork", "shop", "--at", at);
    expect(maskIdAndTime(plan.header)).toBe(maskIdAndTime(forked.header));
    const [header, ...entries] = linesOf(readFileSync(forked.path, "utf8")).map((line) => JSON.parse(line));
    expect(header).toMatchObject({ id: forked.sessionId, parentSession: path, cwd: "/home/ada/shop" });
    expect(entries.map(({ type }) => type)).toEqual(["message", "message", "label"]);
    expect([plan.entryCount, forked.entryCount]).toEqual([3, 3]);
    expect(readFileSync(path, "utf8")).toBe(before);
    const moved = (await run(["fork", "shop", "--at", at, "--cwd", "/home/ada/new"])).out.trim();
    expect(dirname(moved)).toBe(join(root, "--home-ada-new--"));
    expect(JSON.parse(linesOf(readFileSync(moved, "utf8"))[0] as string).cwd).toBe("/home/ada/new");
  });

  test("at an entry before the first message is refused, and creates no file", async () => {
    const { put, run } = createWorkspace();
    const draft = session({ id: "shop" }).model("anthropic", "claude-sonnet-4-5");
    const at = draft.lastId;
    const path = put(draft.user("hello"));
    const { exit, err } = await run(["fork", "shop", "--at", at]);
    expect([exit, readdirSync(dirname(path))]).toEqual([2, [basename(path)]]);
    expect(err).toContain("has no messages to fork");
  });
});
