/** `pidex prune --configured`: what the three settings say. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { session } from "../../../fixtures/builder.ts";
import { createWorkspace } from "./metadata-workspace.ts";

const DAY_MS = 86_400_000;

beforeEach(() => {
  for (const name of ["COMPRESS_AFTER", "TRASH_AFTER", "MAX_SIZE"]) vi.stubEnv(`PIDEX_PRUNE_${name}`, "");
});

/** Creates sessions of a given age in days, by id. */
function createSessions(ages: Record<string, number>) {
  const workspace = createWorkspace();
  const paths: Record<string, string> = {};
  for (const [id, days] of Object.entries(ages)) {
    const timestamp = new Date(Date.now() - days * DAY_MS).toISOString();
    const each = session({ id, cwd: "/home/ada/shop", timestamp }).user(`hello ${id}`).assistant("hi");
    paths[id] = workspace.put(each);
  }
  const configure = (settings: Record<string, string>) => {
    for (const [name, value] of Object.entries(settings)) vi.stubEnv(`PIDEX_PRUNE_${name}`, value);
  };
  const path = (id: string): string => paths[id] as string;
  /** `[id, action]` of each session that would change. */
  const plan = async () => {
    const { sessions } = await workspace.json("prune", "--configured", "--dry-run");
    return sessions.map((each: { sessionId: string; action: string }) => [each.sessionId, each.action]);
  };
  return { ...workspace, path, configure, plan };
}

test("prune_compress_after compresses older sessions, oldest first, and the next run finds nothing", async () => {
  const { path, configure, plan, run } = createSessions({ new: 5, old: 30, older: 40 });
  configure({ COMPRESS_AFTER: "20d" });
  expect(await plan()).toEqual([
    ["older", "compress"],
    ["old", "compress"],
  ]);
  expect(existsSync(path("old"))).toBe(true);
  expect((await run(["prune", "--configured", "--yes"])).exit).toBe(0);
  const state = (id: string) => [existsSync(path(id)), existsSync(`${path(id)}.zst`)];
  expect([state("new"), state("old"), state("older")]).toEqual([
    [true, false],
    [false, true],
    [false, true],
  ]);
  expect(await plan()).toEqual([]);
});

test("prune_trash_after moves older sessions to the trash, compressed ones too, before others are compressed", async () => {
  const { path, configure, plan, run, trash } = createSessions({ new: 5, old: 30, oldest: 90 });
  await run(["prune", "oldest", "--compress", "--yes"]);
  configure({ TRASH_AFTER: "60d", COMPRESS_AFTER: "20d" });
  expect(await plan()).toEqual([
    ["oldest", "trash"],
    ["old", "compress"],
  ]);
  expect((await run(["prune", "--configured", "--yes"])).exit).toBe(0);
  expect(readdirSync(dirname(path("new"))).length).toBe(2);
  expect(readdirSync(join(trash, "files"))).toEqual([expect.stringMatching(/oldest\.jsonl\.zst$/)]);
});

test("prune_max_size moves the oldest sessions to the trash until the others take less, and their subagents along", async () => {
  const { path, configure, plan, run, put } = createSessions({ a: 10, b: 20, c: 30, d: 40 });
  const folder = path("c").slice(0, -".jsonl".length);
  const timestamp = new Date(Date.now() - 30 * DAY_MS).toISOString();
  const worker = session({ id: "worker", timestamp }).user("task".repeat(2000));
  const subagent = put(worker, join(folder, "run-0", "worker.jsonl"));
  const sizes = ["a", "b", "c", "d"].map((id) => statSync(path(id)).size);
  const total = sizes.reduce((sum, size) => sum + size, statSync(subagent).size);
  configure({ MAX_SIZE: `${total}B` });
  expect(await plan()).toEqual([]);
  configure({ MAX_SIZE: `${total - 1}B` });
  expect(await plan()).toEqual([["d", "trash"]]);
  // What is left fits once c is gone, with its subagent.
  configure({ MAX_SIZE: `${(sizes[0] as number) + (sizes[1] as number)}B`, COMPRESS_AFTER: "15d" });
  expect(await plan()).toEqual([
    ["d", "trash"],
    ["c", "trash"],
    ["b", "compress"],
  ]);
  expect((await run(["prune", "--configured", "--yes"])).exit).toBe(0);
  expect([existsSync(folder), existsSync(path("a")), existsSync(`${path("b")}.zst`)]).toEqual([
    false,
    true,
    true,
  ]);
});

test("a folder beside a session with a name of its own does not go along, so its sessions count", async () => {
  const { path, configure, plan, put, root } = createSessions({ a: 10 });
  const timestamp = new Date(Date.now() - 40 * DAY_MS).toISOString();
  const notes = put(session({ id: "notes", timestamp }).user("hello"), join(root, "p", "notes.jsonl"));
  const inside = put(
    session({ id: "inside", timestamp }).user("x"),
    join(root, "p", "notes", "inside.jsonl"),
  );
  const total = [path("a"), notes, inside].reduce((sum, each) => sum + statSync(each).size, 0);
  configure({ MAX_SIZE: `${total - statSync(notes).size - 1}B`, COMPRESS_AFTER: "30d" });
  expect(await plan()).toEqual([
    ["notes", "trash"],
    ["a", "trash"],
    ["inside", "compress"],
  ]);
});

test("pinned and tagged sessions are kept by every setting, and reported", async () => {
  const { path, configure, run, json } = createSessions({ a: 30, b: 40, c: 50 });
  await run(["pin", "b"]);
  await run(["tag", "c", "keep"]);
  configure({ TRASH_AFTER: "20d", MAX_SIZE: "1B", COMPRESS_AFTER: "10d" });
  const { sessions, kept } = await json("prune", "--configured", "--dry-run");
  expect(sessions).toMatchObject([{ sessionId: "a", action: "trash" }]);
  expect(kept).toEqual([
    { sessionId: "c", path: path("c"), reason: "tagged" },
    { sessionId: "b", path: path("b"), reason: "pinned" },
  ]);
  await run(["prune", "--configured", "--yes"]);
  expect(["a", "b", "c"].map((id) => existsSync(path(id)))).toEqual([false, true, true]);
});

test.each([
  [{}, "no prune settings"],
  [{ COMPRESS_AFTER: "soon" }, "PIDEX_PRUNE_COMPRESS_AFTER=soon is invalid"],
  [{ TRASH_AFTER: "-" }, "PIDEX_PRUNE_TRASH_AFTER=- is invalid"],
  [{ TRASH_AFTER: "6m" }, "PIDEX_PRUNE_TRASH_AFTER=6m is invalid"],
  [{ COMPRESS_AFTER: "0d" }, "PIDEX_PRUNE_COMPRESS_AFTER=0d is invalid"],
  [{ MAX_SIZE: "20" }, "PIDEX_PRUNE_MAX_SIZE=20 is invalid"],
  [{ MAX_SIZE: "0GB" }, "PIDEX_PRUNE_MAX_SIZE=0GB is invalid"],
  [{ MAX_SIZE: "20 apples" }, "PIDEX_PRUNE_MAX_SIZE=20 apples is invalid"],
])("settings %j are refused: %s", async (settings, message) => {
  const { path, configure, run } = createSessions({ a: 30 });
  configure(settings);
  const { exit, err } = await run(["prune", "--configured", "--yes"]);
  expect([exit, err]).toEqual([2, expect.stringContaining(message)]);
  expect(existsSync(path("a"))).toBe(true);
});

test.each([[["--project", "shop"]], [["--older-than", "5y"]], [["--subagents", "yes"]], [["a"]]])(
  "--configured with %j is a usage error",
  async (argv) => {
    const { path, configure, run } = createSessions({ a: 30 });
    configure({ TRASH_AFTER: "20d" });
    const { exit, err } = await run(["prune", "--configured", "--yes", ...argv]);
    expect([exit, err]).toEqual([2, expect.stringContaining("--configured")]);
    expect(existsSync(path("a"))).toBe(true);
  },
);
