import { execFile } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import {
  DeletedJson,
  ForkedJson,
  MovedJson,
  RestoredJson,
  SessionMetadataJson,
  TrashedJson,
} from "../../../bin/cli/write-answers.ts";
import { type Session, session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { cellsOf, HOME, linesOf, pidexAt, type Surface, strict } from "../cli.ts";

const isRoot = process.getuid?.() === 0;

/**
 * A home folder with pi's folders and a trash, without a `trash` command. Files have the times of their sessions, so none looks
 * active.
 */
function createWorkspace() {
  const folder = realpathSync(temporaryFolder());
  const agent = join(folder, "agent");
  const root = join(agent, "sessions");
  vi.stubEnv("HOME", folder);
  vi.stubEnv("XDG_DATA_HOME", join(folder, "data"));
  vi.stubEnv("PI_CODING_AGENT_DIR", agent);
  vi.stubEnv("PATH", "/usr/bin:/bin");
  onTestFinished(() => void vi.unstubAllEnvs());
  const put = (draft: Session, path = join(root, projectOf(draft.cwd), draft.fileName)): string => {
    draft.write(path);
    utimesSync(path, new Date(draft.timestamp), new Date(draft.timestamp));
    return path;
  };
  const run = pidexAt(root, folder);
  /** The result with `--json`. */
  const json = async (...argv: string[]) => JSON.parse((await run([...argv, "--json"])).out);
  return { folder, agent, root, put, run, json, trash: join(folder, "data", "Trash") };
}

const projectOf = (cwd: string): string => `--${cwd.slice(1).replaceAll("/", "-")}--`;

/** Every file below a folder except the index, with content and mtime. */
function snapshotFolder(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (name) => !/index\.db/.test(name),
  );
  return Object.fromEntries(
    files.map((name) => {
      const path = join(folder, name);
      const stat = statSync(path);
      return [name, stat.isFile() ? `${stat.mtimeMs} ${readFileSync(path, "latin1")}` : "folder"];
    }),
  );
}

/** A line without the fields that differ between runs. */
function butForIdAndTime(line: string): string {
  return line.replace(/"id":"[^"]*"/, '"id":"…"').replace(/"timestamp":"[^"]*"/, '"timestamp":"…"');
}

const shop = () => session({ id: "shop", cwd: "/home/ada/shop" }).user("hello").assistant("hi").user("bye");

/** Commands that change the metadata of the session `shop`, the entry each appends, and its output in a pipe. */
const CHANGES: [string[], object, string][] = [
  [["name", "shop", "The", "till"], { type: "session_info", name: "The till" }, "named The till"],
  [["name", "shop", "two\nlines"], { type: "session_info", name: "two lines" }, "named two lines"],
  [["pin", "shop"], { type: "custom", customType: "pidex", data: { pinned: true } }, "pinned"],
  [["archive", "shop"], { type: "custom", customType: "pidex", data: { archived: true } }, "archived"],
  [
    ["tag", "shop", "b", " a ", "b"],
    { type: "custom", customType: "pidex", data: { tags: ["b", "a"] } },
    "tagged b, a",
  ],
  [["tag", "shop", "--set", "x"], { type: "custom", customType: "pidex", data: { tags: ["x"] } }, "tagged x"],
];

describe.each(CHANGES)("pidex %j", (argv, fields, output) => {
  test("appends this one line, and nothing else changes", async () => {
    const { put, run, root } = createWorkspace();
    const path = put(shop());
    const before = readFileSync(path, "utf8");
    const last = JSON.parse(linesOf(before).at(-1) as string);
    expect(await run(argv)).toEqual({ exit: 0, out: `${path}\t${output}\n`, err: "" });
    const added = readFileSync(path, "utf8").slice(before.length);
    expect(readFileSync(path, "utf8").startsWith(before)).toBe(true);
    const { type, ...rest } = fields as { type: string };
    const link = { id: expect.any(String), parentId: last.id, timestamp: expect.any(String) };
    expect(linesOf(added).map((line) => JSON.parse(line))).toEqual([{ type, ...link, ...rest }]);
    expect(Object.keys(snapshotFolder(root))).toHaveLength(2);
  });

  test("as a dry run prints the exact line, and writes nothing", async () => {
    const { put, run, json, folder } = createWorkspace();
    const path = put(shop());
    await run(["index"]);
    const before = snapshotFolder(folder);
    const piped = await run([...argv, "--dry-run"]);
    const shown = await run([...argv, "--dry-run"], { columns: 80 });
    const { dryRun, sessions } = await json(...argv, "--dry-run");
    expect(snapshotFolder(folder)).toEqual(before);
    expect([dryRun, sessions.length, sessions[0].lines.length]).toEqual([true, 1, 1]);
    await run(argv);
    const written = butForIdAndTime(linesOf(readFileSync(path, "utf8")).at(-1) as string);
    const [cells = []] = cellsOf(piped.out);
    expect([cells[0], butForIdAndTime(cells[1] as string)]).toEqual([path, written]);
    expect(butForIdAndTime(sessions[0].lines[0])).toBe(written);
    expect(linesOf(butForIdAndTime(shown.out))).toEqual([`would append to ${path}:`, `  ${written}`]);
  });

  test("a second time writes nothing, and prints the same", async () => {
    const { put, run, json, folder } = createWorkspace();
    put(shop());
    const first = await run(argv);
    const before = snapshotFolder(folder);
    expect(await run(argv)).toEqual(first);
    expect((await json(...argv)).sessions[0].lines).toEqual([]);
    expect((await run(argv, { columns: 80 })).out).toMatch(/ {2}unchanged: /);
    expect((await run([...argv, "--dry-run"])).err).toContain("no changes to");
    expect(snapshotFolder(folder)).toEqual(before);
  });

  test("is visible to the next command, and its JSON matches the documentation", async () => {
    const { put, run, json } = createWorkspace();
    put(shop());
    const { schema, dryRun, sessions } = await json(...argv);
    expect([schema, dryRun]).toEqual([1, false]);
    const [updated] = z.array(strict(SessionMetadataJson)).parse(sessions) as z.infer<
      typeof SessionMetadataJson
    >[];
    const { session: info } = JSON.parse((await run(["tree", "shop", "--no-sync", "--json"])).out);
    for (const key of ["name", "pinned", "archived", "tags"] as const)
      expect(info[key]).toEqual(updated?.[key]);
    const { session: again } = JSON.parse((await run(["tree", "shop", "--json"])).out);
    expect(again).toEqual(info);
    const [line = ""] = linesOf((await run([...argv, "--ndjson"])).out);
    expect(JSON.parse(line)).toMatchObject({ schema: 1, dryRun: false, path: updated?.path });
  });
});

describe("the current value is shown without arguments", () => {
  test("and removed with --clear, --off, --remove and --set", async () => {
    const { put, run } = createWorkspace();
    const draft = shop();
    const path = put(draft);
    const entry = draft.lastId;
    const out = async (...argv: string[]) => (await run(argv)).out;
    for (const [argv, err] of [
      [["name", "shop"], "no name\n"],
      [["tag", "shop"], "no tags\n"],
      [["label", "shop", entry], "no label\n"],
    ] as const) {
      expect(await run(argv)).toEqual({ exit: 0, out: "", err });
    }
    await run(["name", "shop", "The till"]);
    await run(["tag", "shop", "a", "b", "c"]);
    expect(await out("label", "shop", entry, "it", "works")).toBe(`${path}\t${entry} labelled it works\n`);
    expect(await out("name", "shop")).toBe("The till\n");
    expect(await out("tag", "shop")).toBe("a\nb\nc\n");
    expect(await out("label", "shop", entry)).toBe("it works\n");
    expect(await out("labels", "shop")).toContain("it works");
    expect(await out("tag", "shop", "--remove", "b", "nosuch")).toBe(`${path}\ttagged a, c\n`);
    expect(await out("tag", "shop", "--set")).toBe(`${path}\tno tags\n`);
    expect(await out("name", "shop", "--clear")).toBe(`${path}\tno name\n`);
    expect(await out("label", "shop", entry, "--clear")).toBe(`${path}\t${entry} has no label\n`);
    await run(["pin", "shop"]);
    await run(["archive", "shop"]);
    expect(await out("pin", "shop", "--off")).toBe(`${path}\tnot pinned\n`);
    expect(await out("archive", "shop", "--off")).toBe(`${path}\tnot archived\n`);
    expect(await out("labels", "shop")).toBe("");
  });

  test("also as JSON, without a write", async () => {
    const { put, json, folder } = createWorkspace();
    const draft = shop().name("The till");
    draft.label(draft.entries[0]?.id as string, "first");
    const path = put(draft);
    await json("index");
    const before = snapshotFolder(folder);
    const expected = {
      path,
      sessionId: "shop",
      name: "The till",
      pinned: false,
      archived: false,
      tags: [],
      lines: [],
    };
    expect((await json("name", "shop")).sessions).toEqual([expected]);
    expect((await json("tag", "shop")).sessions).toEqual([expected]);
    const entryId = draft.entries[0]?.id as string;
    const { sessions } = await json("label", "shop", entryId);
    expect(sessions).toEqual([{ ...expected, entryId, label: "first" }]);
    z.array(strict(SessionMetadataJson)).parse(sessions);
    expect(snapshotFolder(folder)).toEqual(before);
  });
});

test("labels are written in pi's format", async () => {
  const { put, run } = createWorkspace();
  const draft = shop();
  const path = put(draft);
  const [first = {}] = draft.entries;
  await run(["label", "shop", String(first.id), "start"]);
  await run(["label", "shop", String(first.id), "--clear"]);
  const [set, cleared] = linesOf(readFileSync(path, "utf8"))
    .slice(-2)
    .map((line) => JSON.parse(line));
  const link = { id: expect.any(String), timestamp: expect.any(String) };
  expect(set).toEqual({ type: "label", ...link, parentId: draft.lastId, targetId: first.id, label: "start" });
  expect(cleared).toEqual({ type: "label", ...link, parentId: set.id, targetId: first.id });
});

test("all sessions are found before the first is changed", async () => {
  const { put, run, folder } = createWorkspace();
  put(shop());
  put(session({ id: "blog", cwd: "/home/ada/blog" }).user("hello"));
  await run(["index"]);
  const before = snapshotFolder(folder);
  for (const command of [["pin"], ["archive"], ["delete", "--yes"]]) {
    const { exit, err } = await run([...command, "shop", "nosuch", "blog"]);
    expect([exit, err]).toEqual([3, expect.stringContaining('no session matches "nosuch"')]);
  }
  expect(snapshotFolder(folder)).toEqual(before);
  const { out } = await run(["pin", "shop", "blog", "shop"]);
  expect(cellsOf(out).map((cells) => cells[1])).toEqual(["pinned", "pinned"]);
});

test.each([
  [2, ["name", "shop", ""], "the name is empty"],
  [2, ["name", "shop", "x", "--clear"], "a name conflicts with --clear"],
  [2, ["label", "shop", "ENTRY", " "], "the label is empty"],
  [2, ["label", "shop", "ENTRY", "x", "--clear"], "a label conflicts with --clear"],
  [2, ["tag", "shop", "a", ""], "a tag is empty"],
  [2, ["tag", "shop", "--remove"], "no tag to remove"],
  [2, ["tag", "shop", "--remove", "--set", "a"], "cannot be used with"],
  [2, ["pin"], "missing required argument"],
  [2, ["move", "shop"], "missing required argument"],
  [2, ["move", "shop", ""], "the folder name is empty"],
  [2, ["delete", "shop"], "refusing to delete without confirmation"],
  [2, ["fork", "shop", "--cwd", ""], "must not be empty"],
  [3, ["name", "nosuch", "x"], "no session matches"],
  [3, ["label", "shop", "nosuch", "x"], "no entry nosuch in this session"],
  [3, ["label", "shop", "nosuch"], "no entry nosuch in this session"],
  [3, ["fork", "shop", "--at", "nosuch"], "no entry nosuch in this session"],
  [3, ["move", "nosuch", "/tmp"], "no session matches"],
])("exit %d and nothing written: pidex %j", async (exit, argv, message) => {
  const { put, run, folder } = createWorkspace();
  const draft = shop();
  put(draft);
  await run(["index"]);
  const before = snapshotFolder(folder);
  const answer = await run(argv.map((word) => (word === "ENTRY" ? draft.lastId : word)));
  expect([answer.exit, answer.out]).toEqual([exit, ""]);
  expect(answer.err).toContain(message);
  expect(linesOf(answer.err)).toHaveLength(2);
  expect(snapshotFolder(folder)).toEqual(before);
});

test("an old session is upgraded when it is written to, and only then", async () => {
  const { put, run, json } = createWorkspace();
  const path = put(session({ id: "old", version: 1 }).user("hello").assistant("hi"));
  const before = readFileSync(path);
  const { sessions } = await json("pin", "old", "--dry-run");
  expect(sessions[0].upgradedFrom).toBe(1);
  expect((await run(["pin", "old", "--dry-run"])).err).toContain("upgraded from version 1");
  expect(await json("pin", "old", "--off")).toMatchObject({ sessions: [{ lines: [] }] });
  await run(["name", "old"]);
  expect(readFileSync(path)).toEqual(before);
  const [done] = (await json("pin", "old")).sessions;
  expect(done.upgradedFrom).toBe(1);
  const [header, ...entries] = linesOf(readFileSync(path, "utf8")).map((line) => JSON.parse(line));
  expect(header.version).toBe(3);
  expect(entries).toHaveLength(3);
  expect(butForIdAndTime(done.lines[0])).toBe(butForIdAndTime(sessions[0].lines[0]));
});

test.skipIf(isRoot)("a read-only file is an error with exit 1, and stays unchanged", async () => {
  const { put, run } = createWorkspace();
  const path = put(shop());
  chmodSync(path, 0o400);
  const { exit, out, err } = await run(["pin", "shop"]);
  expect([exit, out]).toEqual([1, ""]);
  expect(err).toContain(`${path} cannot be written`);
});

test("a recently written subagent session is not changed", async () => {
  const { root, run } = createWorkspace();
  const path = session({ id: "worker" })
    .user("task")
    .write(join(root, "--home-ada-shop--", "subagent-artifacts", "worker.jsonl"));
  const before = readFileSync(path);
  for (const argv of [
    ["name", "worker", "x"],
    ["move", "worker", "/tmp"],
    ["delete", "worker", "--yes"],
  ]) {
    const { exit, out, err } = await run(argv);
    expect([exit, out]).toEqual([1, ""]);
    expect(err).toContain("a subagent may be writing to");
  }
  expect(readFileSync(path)).toEqual(before);
  const longAgo = new Date(Date.now() - 90_000);
  utimesSync(path, longAgo, longAgo);
  expect((await run(["name", "worker", "x"])).exit).toBe(0);
});

test("concurrent writers lose no entry and tear no line", async () => {
  const { put, root, folder } = createWorkspace();
  const path = put(shop());
  const pidex = (...argv: string[]) =>
    promisify(execFile)(process.execPath, [
      join(HOME, "bin", "pidex.ts"),
      ...argv,
      ...["--root", root, "--db", join(folder, "index.db")],
    ]);
  const names = Array.from({ length: 4 }, (_, n) => `name ${n}`);
  await Promise.all(names.map((name) => pidex("name", "shop", name)));
  const entries = linesOf(readFileSync(path, "utf8")).map((line) => JSON.parse(line));
  const ids = new Set(entries.map(({ id }) => id));
  const written = entries.filter(({ type }) => type === "session_info");
  expect(written.map(({ name }) => name).sort()).toEqual(names);
  for (const { parentId } of written) expect(ids).toContain(parentId);
}, 60_000);

test("control characters in session text are escaped for the terminal", async () => {
  const { put, run } = createWorkspace();
  const evil = "a\x1b[31m\x9b2J\u202eb";
  const draft = session({ id: "evil" }).user(`hello ${evil}`, { id: evil });
  const path = put(draft);
  const surfaces: Surface[] = [{}, { columns: 80 }];
  for (const surface of surfaces) {
    for (const argv of [
      ["name", path, evil],
      ["label", path, evil, evil],
      ["tag", path, evil, "--dry-run"],
      ["tag", path, evil],
      ["fork", path, "--dry-run", "--at", evil],
      ["move", path, `/tmp/${evil}`, "--dry-run"],
      ["delete", path],
    ]) {
      for (const format of [[], ["--json"]]) {
        const { out, err } = await run([...argv, ...format], { ...surface, answer: "n" });
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
        expect(out + err).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]/);
      }
    }
  }
});

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
});

describe("fork", () => {
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
    expect(butForIdAndTime(plan.header)).toBe(butForIdAndTime(header));
    expect(entries).toEqual(linesOf(before).slice(1));
    expect(plan.entryCount).toBe(entries.length);
    expect(readFileSync(path, "utf8")).toBe(before);
    const { sessions } = await json("list", "--no-sync");
    expect(sessions.map((each: { path: string }) => each.path).sort()).toEqual([path, forkPath].sort());
    expect(sessions.some((each: { parentSessionPath?: string }) => each.parentSessionPath === path)).toBe(
      true,
    );
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
    expect(butForIdAndTime(plan.header)).toBe(butForIdAndTime(forked.header));
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
    expect(linesOf(shown.out)[1]).toBe("  would be permanently deleted");
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
    const shown = await run(["restore"], { columns: 80 });
    expect(linesOf(shown.out)[0]).toMatch(/^ID +DELETED +PROJECT +MESSAGES +TITLE$/);
    expect(linesOf(shown.out)[1]).toMatch(/^other +\S+ +blog +1 +Kettles$/);
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
