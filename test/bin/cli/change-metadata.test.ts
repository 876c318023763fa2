import { execFile } from "node:child_process";
import { chmodSync, readFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { SessionMetadataJson } from "../../../bin/actions/session-metadata.ts";
import { session } from "../../../fixtures/builder.ts";
import { BUILT_PIDEX } from "../../built.ts";
import { cellsOf, linesOf, type Surface, strict } from "../cli.ts";
import { createWorkspace, isRoot, maskIdAndTime, shop, snapshotFolder } from "./metadata-workspace.ts";

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
    const written = maskIdAndTime(linesOf(readFileSync(path, "utf8")).at(-1) as string);
    const [cells = []] = cellsOf(piped.out);
    expect([cells[0], maskIdAndTime(cells[1] as string)]).toEqual([path, written]);
    expect(maskIdAndTime(sessions[0].lines[0])).toBe(written);
    expect(linesOf(maskIdAndTime(shown.out))).toEqual([`would append to ${path}:`, `  ${written}`]);
  });

  test("a second time writes nothing, and prints the same", async () => {
    const { put, run, json, folder } = createWorkspace();
    put(shop());
    const first = await run(argv);
    const before = snapshotFolder(folder);
    expect(await run(argv)).toEqual(first);
    expect((await json(...argv)).sessions[0].lines).toEqual([]);
    expect((await run(argv, { columns: 80 })).out).toMatch(/\) is unchanged: /);
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
    expect(await out("label", "shop", entry, "it", "works")).toBe(`${path}\t${entry} labeled it works\n`);
    expect(await out("name", "shop")).toBe("The till\n");
    expect(await out("tag", "shop")).toBe("a\nb\nc\n");
    expect(await out("label", "shop", entry)).toBe("it works\n");
    expect(await out("labels", "shop")).toContain("it works");
    expect(await out("tag", "shop", "--remove", "b", "--remove", "nosuch")).toBe(`${path}\ttagged a, c\n`);
    expect(await out("tag", "shop", "--set")).toBe(`${path}\tno tags\n`);
    expect(await out("name", "shop", "--clear")).toBe(`${path}\tno name\n`);
    expect(await out("label", "shop", entry, "--clear")).toBe(`${path}\t${entry} has no label\n`);
    await run(["pin", "shop"]);
    await run(["archive", "shop"]);
    expect(await out("pin", "shop", "--off")).toBe(`${path}\tnot pinned\n`);
    expect(await out("archive", "shop", "--off")).toBe(`${path}\tnot archived\n`);
    expect(await out("labels", "shop")).toBe("");
    await run(["name", "shop", "The till"]);
    await run(["label", "shop", entry, "works"]);
    await run(["pin", "shop"]);
    await run(["archive", "shop"]);
    expect(await out("name", "shop", "--remove")).toBe(`${path}\tno name\n`);
    expect(await out("label", "shop", entry, "--remove")).toBe(`${path}\t${entry} has no label\n`);
    expect(await out("pin", "shop", "--remove")).toBe(`${path}\tnot pinned\n`);
    expect(await out("archive", "shop", "--remove")).toBe(`${path}\tnot archived\n`);
  });

  test("removing the last tags names them", async () => {
    const { put, run } = createWorkspace();
    put(shop());
    const out = async (...argv: string[]) => (await run(["tag", "shop", ...argv], { columns: 80 })).out;
    await out("a", "b");
    expect(await out("--remove", "a,b,nosuch")).toBe(
      'Removed a, b from "hello" (shop), which has no tags now\n',
    );
    await out("a");
    expect(await out("--set")).toBe('Removed all tags of "hello" (shop)\n');
  });

  test("tags are added and removed at once, with one entry for each session", async () => {
    const { put, run, json } = createWorkspace();
    put(shop());
    await run(["tag", "shop", "old", "kept"]);
    const { sessions } = await json("tag", "shop", "--add", "new", "--remove", "#old", "--add", "newer");
    expect(sessions).toMatchObject([{ tags: ["kept", "new", "newer"], lines: [expect.any(String)] }]);
    expect((await run(["tag", "shop", "new", "kept", "--remove"])).out).toMatch(/\ttagged newer\n$/);
    expect((await run(["tag", "shop", "--remove", "absent", "--add", "newer"])).exit).toBe(0);
    expect((await run(["tag", "shop"])).out).toBe("newer\n");
  });

  test("several tags are separated with commas", async () => {
    const { put, run, json } = createWorkspace();
    put(shop());
    await run(["tag", "shop", "--add", "a,b, c,d"]);
    expect((await json("tag", "shop")).sessions[0].tags).toEqual(["a", "b", "c", "d"]);
    await run(["tag", "shop", "--remove", "a,#b", "--remove", "c"]);
    expect((await json("tag", "shop")).sessions[0].tags).toEqual(["d"]);
    await run(["tag", "shop", "x,y"]);
    expect((await json("tag", "shop", "x,y", "--remove")).sessions[0].tags).toEqual(["d"]);
  });

  test("a tag behind the value of --remove or --add is not taken for a session without a hint", async () => {
    const { put, run } = createWorkspace();
    put(shop());
    await run(["tag", "shop", "a", "b c"]);
    expect((await run(["tag", "shop", "--remove", "a", "b c"])).err).toContain(
      "With --remove, arguments are sessions. To remove several tags: --remove 'a,b c'\n",
    );
    expect((await run(["tag", "shop", "--add", "a", "b"])).err).toContain("To add several tags: --add a,b\n");
  });

  test("a mistyped session before --remove or --add is not taken for a tag", async () => {
    const { put, run } = createWorkspace();
    put(shop());
    for (const option of ["--remove", "--add"]) {
      const { exit, err } = await run(["tag", "shpo", option, "a"]);
      expect(exit).toBe(3);
      expect(err).toContain('no session matches "shpo"\n  Use a path, an id');
    }
  });

  test("a tag to remove that a session doesn't have is reported", async () => {
    const { put, run } = createWorkspace();
    const path = put(shop().name("The till"));
    await run(["tag", "shop", "a", "b"]);
    const removeAbsent = ["tag", "shop", "--remove", "x,b"];
    const note = 'note: "The till" (shop) has no tag "x"\n';
    expect(await run([...removeAbsent, "--dry-run"])).toMatchObject({ exit: 0, err: note });
    expect(await run(removeAbsent)).toEqual({ exit: 0, out: `${path}\ttagged a\n`, err: note });
    expect(await run(["tag", "shop", "--remove", "x"], { columns: 80 })).toEqual({
      exit: 0,
      out: '"The till" (shop) is unchanged: tagged a\n',
      err: note,
    });
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
  [2, ["tag", "shop", "#"], "a tag is empty"],
  [2, ["tag", "shop", "+todo"], "Tags are added without a sign: pidex tag SESSION todo"],
  [2, ["tag", "shop", "--add", "x", "--remove"], "no tag to remove"],
  [2, ["tag", "shop", "--add", "x", "--remove", "#"], "a tag is empty"],
  [3, ["tag", "shop", "--remove", "x", "y"], 'no session matches "y"'],
  [2, ["tag", "shop", "shop", "x"], '"shop" is a session, not a tag'],
  [2, ["tag", "shop", "@last"], '"@last" is a session, not a tag'],
  [2, ["tag", "shop", "x", "--set", "shop"], "pidex tag SESSION SESSION --add TAG"],
  [3, ["tag", "shop", "nosuch", "--add", "x"], "no session matches"],
  [2, ["tag", "shop", "--remove"], "no tag to remove"],
  [2, ["tag", "shop", "--remove", "--set", "a"], "cannot be used with"],
  [2, ["pin"], "missing required argument"],
  [2, ["move", "shop"], "missing required argument"],
  [2, ["move", "shop", ""], "the folder name is empty"],
  [2, ["delete", "shop"], "refusing to delete without confirmation"],
  [2, ["fork", "shop", "--cwd", ""], "must not be empty"],
  [3, ["name", "nosuch", "x"], "no session matches"],
  [3, ["label", "shop", "nosuch", "x"], 'the session has no entry "nosuch"'],
  [3, ["label", "shop", "nosuch"], 'the session has no entry "nosuch"'],
  [3, ["label", "shop", "a label"], "pidex label SESSION ENTRY LABEL; run pidex tree SESSION --all"],
  [2, ["label", "shop"], "pidex label SESSION ENTRY LABEL; run pidex tree SESSION --all"],
  [3, ["fork", "shop", "--at", "nosuch"], 'the session has no entry "nosuch"'],
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
  expect(linesOf(answer.err).length).toBeGreaterThanOrEqual(2);
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
  expect(maskIdAndTime(done.lines[0])).toBe(maskIdAndTime(sessions[0].lines[0]));
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
      BUILT_PIDEX,
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

test("a tag may be the beginning of an id only if it is short", async () => {
  const { put, run } = createWorkspace();
  put(shop());
  put(session({ id: "checkout-rounding", cwd: "/home/ada/shop" }).user("hello"));
  expect((await run(["tag", "shop", "checkout"])).err).toContain('"checkout" is a session, not a tag');
  expect((await run(["tag", "shop", "check"])).out).toContain("tagged check\n");
});

test("several sessions are tagged with --add, which accepts any tag", async () => {
  const { put, run } = createWorkspace();
  const path = put(shop());
  const other = put(session({ id: "blog", cwd: "/home/ada/blog" }).user("hello"));
  const { out } = await run(["tag", "shop", "blog", "--add", "#till", "--add", "shop"]);
  expect(cellsOf(out)).toEqual([
    [path, "tagged till, shop"],
    [other, "tagged till, shop"],
  ]);
});

test("a title that is a long first message is cut in what a terminal shows", async () => {
  const { put, run } = createWorkspace();
  const cut = `${"words ".repeat(9)}words…`;
  put(session({ id: "long", cwd: "/home/ada/shop" }).user("words ".repeat(300)).assistant("hi"));
  const terminal = { columns: 80, answer: "n" };
  const tagged = await run(["tag", "long", "a"], terminal);
  expect(tagged.out).toBe(`Tagged "${cut}" (long): a\n`);
  const deleted = await run(["delete", "long"], terminal);
  expect(linesOf(deleted.err)[0]).toMatch(new RegExp(`^long {2}${cut} {2}shop`));
});
