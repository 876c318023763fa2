import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { DeletedJson, RestoredJson, TrashedJson } from "../../../bin/cli/write-answers.ts";
import { session } from "../../../fixtures/builder.ts";
import { cellsOf, linesOf, strict } from "../cli.ts";
import { createWorkspace, shop, snapshotFolder } from "./metadata-workspace.ts";

describe("delete", () => {
  function withSubagent() {
    const workspace = createWorkspace();
    const path = workspace.put(shop());
    const subagents = path.slice(0, -".jsonl".length);
    workspace.put(session({ id: "worker" }).user("task"), join(subagents, "run-0", "worker.jsonl"));
    return { ...workspace, path, subagents };
  }

  test("moves the session and the folder of its subagents to the trash, and removes them from the index", async () => {
    const { run, json, path, subagents, trash } = withSubagent();
    const bytes = readFileSync(path);
    const { exit, out, err } = await run(["delete", "shop", "--yes"]);
    const files = join(trash, "files");
    expect([exit, err]).toEqual([0, ""]);
    expect(cellsOf(out)).toEqual([
      [path, "freedesktop trash", join(files, basename(path))],
      [subagents, "freedesktop trash", join(files, basename(subagents))],
    ]);
    expect(readFileSync(join(files, basename(path)))).toEqual(bytes);
    expect((await json("list", "--no-sync", "--subagents", "yes")).total).toBe(0);
  });

  test("as a dry run changes nothing, needs no --yes, and prints what would be moved", async () => {
    const { run, json, path, subagents, folder } = withSubagent();
    await run(["index"]);
    const before = snapshotFolder(folder);
    const { dryRun, deleted } = await json("delete", "shop", "--dry-run");
    z.array(strict(DeletedJson)).parse(deleted);
    const gone = { to: "freedesktop trash" };
    expect([dryRun, deleted]).toEqual([
      true,
      [{ sessionId: "shop", path, ...gone, along: [{ path: subagents, ...gone }] }],
    ]);
    const shown = await run(["delete", "shop", "--dry-run", "--permanent"], { columns: 80 });
    expect(linesOf(shown.out)[0]).toBe('Would permanently delete "hello"');
    expect(snapshotFolder(folder)).toEqual(before);
  });

  test("deletes permanently only with --permanent, and leaves nothing", async () => {
    const { run, path, subagents, trash } = withSubagent();
    const { out } = await run(["delete", "shop", "--permanent", "--yes"]);
    expect(cellsOf(out).map((cells) => cells[1])).toEqual(["nowhere", "nowhere"]);
    expect([existsSync(path), existsSync(subagents), existsSync(trash)]).toEqual([false, false, false]);
  });

  test.each([
    ["y", true],
    [" YES ", true],
    ["", false],
    ["n", false],
    ["yesterday", false],
  ])("prompts on a terminal; the answer %j is %s", async (answer, isYes) => {
    const { run, path } = withSubagent();
    const { exit, out, err } = await run(["delete", "shop"], { columns: 80, answer });
    expect(err).toContain("hello");
    expect(err).toContain(`Move this session to the trash? [y/N] ${answer}`);
    expect([exit, existsSync(path), out === ""]).toEqual([isYes ? 0 : 1, !isYes, !isYes]);
    if (!isYes) expect(err).toContain("no sessions were deleted");
  });

  test("prompts once for several sessions, and names permanent deletion", async () => {
    const { put, run, path } = withSubagent();
    const other = put(session({ id: "blog", cwd: "/home/ada/blog" }).user("hello"));
    const argv = ["delete", "shop", "blog", "--permanent"];
    const { err } = await run(argv, { columns: 80, answer: "y" });
    expect(err.match(/\[y\/N\]/g)).toHaveLength(1);
    expect(err).toContain("Permanently delete these 2 sessions?");
    expect([existsSync(path), existsSync(other)]).toEqual([false, false]);
  });

  test("reports the deleted sessions if another one fails", async () => {
    const { put, run, folder } = createWorkspace();
    const path = put(session({ id: "aaa" }).user("hello"));
    const stays = put(session({ id: "bbb", cwd: "/home/ada/stays" }).user("hello"));
    writeFileSync(join(folder, "data"), "no trash here");
    mkdirSync(join(folder, "bin"));
    const stub = `#!/bin/sh\ncase "$1" in *stays*) exit 1 ;; esac\nmv "$1" '${folder}/kept'\n`;
    writeFileSync(join(folder, "bin", "trash"), stub, { mode: 0o755 });
    vi.stubEnv("PATH", `${join(folder, "bin")}:/usr/bin:/bin`);
    const { exit, out, err } = await run(["delete", "aaa", "bbb", "--yes"]);
    expect([exit, cellsOf(out)]).toEqual([1, [[path, "trash command", ""]]]);
    expect(err).toContain(`${stays} could not be moved to the trash`);
    expect(err).toContain("--permanent");
    expect([existsSync(path), existsSync(stays)]).toEqual([false, true]);
    expect((await run(["list", "--no-sync"])).out).toContain("bbb");
  });

  test("warns that an agent may have a recently written session open", async () => {
    const { put, run } = createWorkspace();
    const path = put(shop());
    const now = new Date();
    utimesSync(path, now, now);
    const { exit, err } = await run(["delete", "shop", "--yes"]);
    expect(exit).toBe(0);
    expect(err).toContain("an agent that has this session open will keep writing to the old file");
  });

  test("does not warn of what pidex itself wrote", async () => {
    const { put, run } = createWorkspace();
    const draft = shop();
    const path = put(draft);
    for (const argv of [
      ["name", "shop", "The till"],
      ["label", "shop", draft.lastId, "done"],
      ["pin", "shop"],
      ["tag", "shop", "till"],
    ])
      expect((await run(argv)).exit).toBe(0);
    const { exit, err } = await run(["delete", "shop", "--yes"]);
    expect([exit, err, existsSync(path)]).toEqual([0, "", false]);
  });

  test("warns although pidex named a session, if an agent wrote to it just before", async () => {
    const { put, run } = createWorkspace();
    const draft = shop();
    const path = put(draft);
    const timestamp = new Date().toISOString();
    const message = { role: "user", content: "more", timestamp: Date.now() };
    const entry = { type: "message", id: "0badcafe", parentId: draft.lastId, timestamp, message };
    appendFileSync(path, `${JSON.stringify(entry)}\n`);
    await run(["name", "shop", "The till"]);
    expect((await run(["delete", "shop", "--yes"])).err).toContain("an agent that has this session open");
  });
});

describe("restore", () => {
  function withDeleted() {
    const workspace = createWorkspace();
    const path = workspace.put(
      shop()
        .name("Tax")
        .custom("pidex", { pinned: true, tags: ["till"] }),
    );
    workspace.put(session({ id: "worker" }).user("task"), join(path.slice(0, -6), "run-0", "worker.jsonl"));
    const before = readFileSync(path, "latin1");
    return { ...workspace, path, before };
  }

  test("restores a deleted session with its name, tags and pin", async () => {
    const { run, json, path, before, folder, root } = withDeleted();
    const files = snapshotFolder(root);
    await run(["delete", "shop", "--yes"]);
    expect((await json("list")).total).toBe(0);
    const { out, exit, err } = await run(["restore", "shop"]);
    expect([exit, err, linesOf(out)]).toEqual([0, "", [path, path.slice(0, -6)]]);
    expect(readFileSync(path, "latin1")).toBe(before);
    expect(snapshotFolder(root)).toEqual(files);
    const [found] = (await json("list", "--no-sync")).sessions;
    expect(found).toMatchObject({ name: "Tax", pinned: true, tags: ["till"], path });
    expect((await json("list", "--no-sync", "--subagents", "only")).total).toBe(1);
    expect((await run(["restore"])).err).toBe("no sessions in the trash\n");
    expect(await run(["restore", "@last"])).toMatchObject({
      exit: 3,
      err: expect.stringMatching(/^pidex: no sessions in the trash\n/),
    });
    expect(existsSync(join(folder, "data", "Trash", "info"))).toBe(true);
  });

  test("without an id lists what is in the trash, the last deleted first", async () => {
    const { run, json, path, put } = withDeleted();
    const other = put(session({ id: "other", cwd: "/blog" }).user("Kettles"));
    await run(["delete", "shop", "--yes"]);
    await run(["delete", "other", "--yes"]);
    const { trashed } = await json("restore");
    z.array(strict(TrashedJson)).parse(trashed);
    expect(
      trashed.map(({ sessionId, name, along }: z.infer<typeof TrashedJson>) => [
        sessionId,
        name,
        along.length,
      ]),
    ).toEqual([
      ["other", undefined, 0],
      ["shop", "Tax", 1],
    ]);
    const { out } = await run(["restore"]);
    expect(cellsOf(out).map(([id, , where]) => [id, where])).toEqual([
      ["other", other],
      ["shop", path],
    ]);
    expect(cellsOf(out).map(([, , , , bytes, title]) => [Number(bytes), title])).toEqual(
      trashed.map((each: z.infer<typeof TrashedJson>) => [
        statSync(each.trashPath).size,
        each.name ?? each.firstMessage,
      ]),
    );
    expect(await run(["trash"])).toEqual(await run(["restore"]));
    const shown = await run(["trash"], { columns: 80 });
    expect(linesOf(shown.out)[0]).toMatch(/^ID +DELETED +PROJECT +MSGS +SIZE +TITLE$/);
    expect(linesOf(shown.out)[1]).toMatch(/^other +\S+ +blog +1 +\d+ B +Kettles$/);
    const last = JSON.parse((await run(["restore", "@last", "--dry-run", "--json"])).out);
    z.array(strict(RestoredJson)).parse(last.restored);
    expect(last).toMatchObject({ dryRun: true, restored: [{ sessionId: "other", path: other }] });
    expect([existsSync(other), (await json("restore")).trashed.length]).toEqual([false, 2]);
  });

  test("overwrites no file, and reports missing and ambiguous sessions", async () => {
    const { run, path, put } = withDeleted();
    await run(["delete", "shop", "--yes"]);
    put(session({ id: "new" }).user("written since"), path);
    const taken = await run(["restore", "shop"]);
    expect(taken.exit).toBe(1);
    expect(taken.err).toContain(`file already exists: ${path}`);
    expect(readFileSync(path, "utf8")).toContain("written since");
    expect((await run(["restore", "nosuch"])).exit).toBe(3);
    const twin = put(session({ id: "shop-2", cwd: "/blog" }).user("another"));
    await run(["delete", twin, "--yes"]);
    const unclear = await run(["restore", "sho"]);
    expect([unclear.exit, unclear.err]).toEqual([
      2,
      expect.stringContaining('"sho" matches 2 sessions in the trash'),
    ]);
    expect((await run(["restore", twin])).out).toBe(`${twin}\n`);
  });

  test("is suggested after a deletion on a terminal", async () => {
    const { run, root, folder } = withDeleted();
    const { err } = await run(["delete", "shop"], { columns: 80, answer: "y" });
    const where = `--root ${root} --db ${join(folder, "index.db")}`;
    expect(linesOf(err).at(-1)).toBe(`To undo: pidex restore shop ${where}`);
  });
});
