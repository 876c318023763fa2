import { closeSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { text, toolCall } from "../../fixtures/blocks.ts";
import { type Session, type SessionOptions, session } from "../../fixtures/builder.ts";
import type { FilesOptions, FileTouch, FileTouches, Index } from "../../library/index.ts";
import { listFileTouches } from "../../query/files.ts";
import { toRoot } from "../../src/session/locations.ts";
import type { Statement } from "../../src/store/sql.ts";
import { Reader } from "../../src/store/sqlite/reader.ts";
import { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { databaseIn, syncFolders } from "../indexer/index-at.ts";
import { temporaryFolder } from "../temporary.ts";
import { failure, indexed, indexedFixtures, openOver } from "./opened-queries.ts";

const TAX = "/home/ada/shop/src/tax.ts";
const CART = "/home/ada/shop/src/cart.ts";

/** A session in /home/ada/shop that reads and edits tax.ts and reads cart.ts. */
const work = (id: string, options: SessionOptions = {}): Session =>
  session({ id, ...options })
    .user("Round the tax.")
    .tool("read", { path: "src/tax.ts" }, "export const tax = 1;")
    .tool("read", { path: "src/cart.ts" }, "export const cart = 1;")
    .tool("edit", { path: "src/tax.ts", oldText: "1", newText: "2" }, "Done.");

const brief = ({ session: { id }, touches }: FileTouches) => [id, touches.map(({ action }) => action)];

describe("a touch", () => {
  test("has its entry, action, time, tool and location", async () => {
    const talk = work("w");
    const { index, path } = await indexed(talk);
    const [read, , , , edit] = talk.entries.slice(1);
    const { sessions, total, touchCount } = await index.files("tax.ts");
    expect([sessions.length, total, touchCount]).toEqual([1, 1, 2]);
    const [found] = sessions as [FileTouches];
    expect(found.session.path).toBe(path);
    expect([found.touchCount, found.actions]).toEqual([
      2,
      [
        { name: "edit", count: 1 },
        { name: "read", count: 1 },
      ],
    ]);
    const same = { path: TAX, type: "message", role: "assistant", failed: false, onCurrentBranch: true };
    expect(found.touches).toEqual([
      { ...same, action: "edit", tool: "edit", ...placeOf(talk, edit), alsoIn: [] },
      { ...same, action: "read", tool: "read", ...placeOf(talk, read), alsoIn: [] },
    ]);
  });

  test("has the failure state of its result, or none without a result", async () => {
    const talk = session({ id: "f" })
      .tool("edit", { path: "src/tax.ts" }, "No such text.", { isError: true })
      .assistant([text("Again."), toolCall("c", "write", { path: "src/tax.ts" })]);
    const { index } = await indexed(talk);
    const { sessions } = await index.files("tax.ts");
    expect(sessions[0]?.touches.map(({ action, failed }) => [action, failed])).toEqual([
      ["write", undefined],
      ["edit", true],
    ]);
  });

  test("has the result of its own call among several", async () => {
    const calls = ["a", "b"].map((id) => toolCall(id, "read", { path: `src/${id}.ts` }));
    const talk = session({ id: "p" }).assistant(calls);
    talk.toolResult("b", "read", "gone", { isError: true }).toolResult("a", "read", "here");
    const { index } = await indexed(talk);
    const { sessions } = await index.files("src/*.ts");
    const failed = sessions[0]?.touches.map((touch) => [touch.path.at(-4), touch.failed]);
    expect(failed?.sort()).toEqual([
      ["a", false],
      ["b", true],
    ]);
  });

  test("may come from a user's command, or from a compaction's list, which has no result", async () => {
    const talk = session({ id: "u" })
      .bash("cat src/tax.ts", "…")
      .bash("rm src/tax.ts", "No such file", { exitCode: 1 })
      .compaction("Sums.", null, { details: { readFiles: ["src/tax.ts"], modifiedFiles: [] } });
    const { index } = await indexed(talk);
    const { sessions } = await index.files(TAX);
    expect(sessions[0]?.touches).toMatchObject([
      { type: "compaction", action: "read" },
      { role: "bashExecution", action: "delete", failed: true },
      { role: "bashExecution", action: "read", failed: false },
    ]);
    expect(sessions[0]?.touches[0]?.failed).toBeUndefined();
  });

  test("shows whether it is on the current branch", async () => {
    const talk = session({ id: "b" }).user("Start.");
    const start = talk.lastId;
    talk.tool("read", { path: "src/tax.ts" }, "…").branch(start);
    talk.tool("write", { path: "src/tax.ts" }, "…");
    const { index } = await indexed(talk);
    const { sessions } = await index.files("tax.ts");
    expect(sessions[0]?.touches.map(({ action, onCurrentBranch }) => [action, onCurrentBranch])).toEqual([
      ["write", true],
      ["read", false],
    ]);
  });

  test("in every fixture is at its reported location", async () => {
    const index = await indexedFixtures();
    const all = await index.files("*", { limit: 1000, touches: 1_000_000 });
    expect(all.total).toBe(all.sessions.length);
    expect(all.touchCount).toBeGreaterThan(20);
    for (const { session, touches, touchCount } of all.sessions) {
      expect(touches).toHaveLength(touchCount);
      for (const { path, byteOffset, entryId } of touches) {
        const line = lineAt(session.path, byteOffset);
        expect(line).toContain(path.split(/[\\/]/).at(-1));
        const { id } = JSON.parse(line);
        if (id !== undefined) expect(entryId).toBe(id); // entries of version 1 have none
      }
    }
  });
});

describe("sessions", () => {
  const at = (day: number) => `2026-01-0${day}T09:00:00.000Z`;

  test("are sorted by their newest touch, each with its newest touches first", async () => {
    const early = work("early", { timestamp: at(1) });
    const late = work("late", { timestamp: at(3) });
    const again = session({ id: "again", timestamp: at(2) }).tool("read", { path: TAX }, "…");
    again
      .later(3 * 24 * 60)
      .tool("write", { path: TAX }, "…")
      .tool("read", { path: "/other" }, "…");
    const { index } = await indexed(early, late, again);
    const { sessions } = await index.files("tax.ts");
    expect(sessions.map(brief)).toEqual([
      ["again", ["write", "read"]],
      ["late", ["edit", "read"]],
      ["early", ["edit", "read"]],
    ]);
    const one = await index.files("tax.ts", { touches: 1 });
    expect(one.sessions.map(brief)).toEqual([
      ["again", ["write"]],
      ["late", ["edit"]],
      ["early", ["edit"]],
    ]);
    expect(one.sessions.map(({ touchCount }) => touchCount)).toEqual([2, 2, 2]);
  });

  test("on all pages equal the whole list", async () => {
    const some = [1, 1, 1, 2, 3].map((day, n) => work(`s${n}`, { timestamp: at(day) }));
    const { index } = await indexed(...some);
    const whole = (await index.files("tax.ts")).sessions.map(brief);
    for (const limit of [1, 2, 4, 5, 6]) expect(await allPages(index, { limit })).toEqual(whole);
  });

  test("can be filtered by action, time, folder and agent", async () => {
    const shop = work("shop", { timestamp: at(1) });
    const blog = work("blog", { timestamp: at(5), cwd: "/home/ada/blog" });
    const { index } = await indexed(shop, blog);
    const ids = async (options: FilesOptions) =>
      (await index.files("tax.ts", options)).sessions.map(brief).sort();
    expect(await ids({ action: ["edit", "write"] })).toEqual([
      ["blog", ["edit"]],
      ["shop", ["edit"]],
    ]);
    expect(await ids({ action: ["delete"] })).toEqual([]);
    expect(await ids({ project: "blog", action: ["read"] })).toEqual([["blog", ["read"]]]);
    expect(await ids({ cwd: "/home/ada/shop", since: at(1) })).toEqual([["shop", ["edit", "read"]]]);
    expect(await ids({ until: at(3), action: ["read"] })).toEqual([["shop", ["read"]]]);
    expect(await ids({ since: shop.entries[3]?.timestamp as string, until: at(3) })).toEqual([
      ["shop", ["edit"]],
    ]);
    expect(await ids({ named: true })).toEqual([]);
  });

  test("of subagents are included with their callers, unless excluded", async () => {
    const root = temporaryFolder();
    const parent = session({ id: "mother" }).user("Do it.");
    const path = parent.write(join(root, "--p--", "mother.jsonl"));
    work("child").write(join(root, "--p--", "mother", "run1", "child.jsonl"));
    const index = await openOver([root]);
    await index.sync();
    const { sessions } = await index.files("tax.ts");
    expect(sessions.map(({ session }) => [session.id, session.subagent, session.startedBy])).toEqual([
      ["child", true, path],
    ]);
    expect((await index.files("tax.ts", { subagents: "no" })).sessions).toEqual([]);
    expect((await index.files("tax.ts", { subagents: "only" })).total).toBe(1);
  });

  test("below other roots are excluded", async () => {
    const folder = temporaryFolder();
    const db = join(folder, "index.db");
    for (const name of ["one", "two"]) {
      work(name).writeUnder(join(folder, name));
      await (await openOver([join(folder, name)], db)).sync();
    }
    const index = await openOver([join(folder, "one")], db);
    expect((await index.files("tax.ts")).sessions.map(brief)).toEqual([["one", ["edit", "read"]]]);
  });
});

describe("an entry copied by forks", () => {
  test("counts once, for the oldest session; the other locations are listed", async () => {
    const first = work("first");
    const fork = first.fork({ id: "fork" });
    const again = fork.fork({ id: "again" }).tool("write", { path: "src/tax.ts" }, "…");
    // The original is indexed last: row ids do not matter.
    const { index, paths } = await indexed(again, fork, first);
    const [againPath, forkPath, firstPath] = paths;
    const { sessions, total, touchCount } = await index.files("tax.ts");
    expect([total, touchCount]).toEqual([2, 3]);
    expect(sessions.map(brief)).toEqual([
      ["again", ["write"]],
      ["first", ["edit", "read"]],
    ]);
    expect(
      sessions.map(({ touches }) => touches.map(({ alsoIn }) => alsoIn.map(({ path }) => path))),
    ).toEqual([
      [[]],
      [
        [forkPath, againPath],
        [forkPath, againPath],
      ],
    ]);
    const [read] = first.entries.slice(1);
    expect(sessions[1]?.touches[1]).toMatchObject({
      ...placeOf(first, read),
      alsoIn: [
        { path: forkPath, sessionId: "fork", ...attributionOf(fork, read), onCurrentBranch: true },
        { path: againPath, sessionId: "again", ...attributionOf(again, read), onCurrentBranch: true },
      ],
    });
    expect(sessions[1]?.session.path).toBe(firstPath);
  });

  test("belongs to the oldest of the selected sessions", async () => {
    const first = work("first");
    const { index } = await indexed(first, first.fork({ id: "fork" }).name("Mine"));
    const { sessions } = await index.files("tax.ts", { named: true });
    expect(sessions.map(brief)).toEqual([["fork", ["edit", "read"]]]);
    expect(sessions[0]?.touches[0]?.alsoIn).toMatchObject([{ sessionId: "first" }]);
  });

  test("into another folder touches nothing there", async () => {
    const first = work("first");
    const { index } = await indexed(first, first.fork({ id: "fork", cwd: "/home/ada/blog" }));
    expect((await index.files("src/tax.ts")).sessions.map(brief)).toEqual([["first", ["edit", "read"]]]);
    expect(await index.files("/home/ada/blog/src/tax.ts")).toEqual({ sessions: [], total: 0, touchCount: 0 });
  });

  test("is listed as often as it occurs in the first file, each time with its own copies", async () => {
    const again = { id: "0000abcd", parentId: null, timestamp: "2026-01-05T09:00:00.000Z" };
    const first = session({ id: "first" });
    for (let n = 0; n < 2; n++) first.assistant([toolCall("c", "read", { path: TAX })], again);
    const { index } = await indexed(first, first.fork({ id: "fork" }));
    const { sessions, touchCount } = await index.files("tax.ts");
    expect([sessions.map(brief), touchCount]).toEqual([[["first", ["read", "read"]]], 2]);
    const places = sessions[0]?.touches.map(({ line, alsoIn }) => [line, ...alsoIn.map((at) => at.line)]);
    expect(places).toEqual([
      [3, 3],
      [2, 2],
    ]);
  });

  test("is distinguished by text from another with the same id and time", async () => {
    const place = { id: "0000abcd", parentId: null, timestamp: "2026-01-05T09:00:00.000Z" };
    const template = (id: string, say: string) =>
      session({ id }).assistant([text(say), toolCall("c", "read", { path: TAX })], place);
    const { index } = await indexed(template("one", "Look."), template("two", "See."));
    expect((await index.files("tax.ts")).total).toBe(2);
  });

  test("is distinguished from another with the same id, and from entries without one", async () => {
    const options = { idSeed: "same" };
    const one = work("one", { ...options, timestamp: "2026-01-05T09:00:00.000Z" });
    const two = work("two", { ...options, timestamp: "2026-01-05T10:00:00.000Z" });
    const anonymous = ["x", "y"].map((id) =>
      session({ id }).assistant([toolCall("c", "read", { path: TAX })], { id: undefined }),
    );
    const { index } = await indexed(one, two, ...anonymous);
    expect((await index.files("tax.ts")).sessions.map(({ session }) => session.id).sort()).toEqual([
      "one",
      "two",
      "x",
      "y",
    ]);
  });
});

test("a pattern may match many paths", async () => {
  const { index } = await indexed(work("w"));
  const { sessions } = await index.files("src/", { touches: 9 });
  expect(sessions[0]?.touches.map(({ path }) => path)).toEqual([TAX, CART, TAX]);
  expect((await index.files("nosuch.ts")).sessions).toEqual([]);
});

test.each<[string, FilesOptions, string]>([
  ["", {}, "BAD_OPTION"],
  [undefined as unknown as string, {}, "BAD_OPTION"],
  [5 as unknown as string, {}, "BAD_OPTION"],
  ["a", { action: ["look" as "read"] }, "BAD_OPTION"],
  ["a", { action: [] }, "BAD_OPTION"],
  ["a", { touches: 0 }, "BAD_OPTION"],
  ["a", { limit: 1001 }, "BAD_OPTION"],
  ["a", { role: "user" } as FilesOptions, "BAD_OPTION"],
  ["a", { cursor: "x" }, "BAD_CURSOR"],
])("%j with %j is rejected", async (pattern, options, code) => {
  const { index } = await indexed(work("w"));
  expect((await failure(index.files(pattern, options))).code).toBe(code);
});

test("no query scans all entries or all touches", async () => {
  const folder = temporaryFolder();
  const root = join(folder, "root");
  work("w").writeUnder(root);
  const database = await databaseIn(folder);
  await syncFolders(database, root);
  const recorded: Statement[] = [];
  const db = Reader.of(database.readerHandle, (statement) => void recorded.push(statement));
  const store = new SqliteStore(db, { roots: [toRoot(root)] });
  const { touchCount } = await listFileTouches(store, "*.ts", { action: ["read", "edit"] });
  expect(touchCount).toBe(3);
  const plans = recorded
    .filter(({ sql }) => /^\s*SELECT/.test(sql))
    .flatMap(({ sql, values }) =>
      database.readerHandle
        .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
        .all(...values)
        .map(({ detail }) => detail),
    );
  expect(plans).toContainEqual(expect.stringMatching(/^SEARCH touch USING .*touch_path \(path_id=\?\)/));
  for (const plan of plans)
    expect(plan).not.toMatch(/^SCAN (touch|entry|tool_call|current_range|file|session)\b/);
});

/** An entry of a session and its location after writing. */
function placeOf(talk: Session, entry: Record<string, unknown> | undefined): Partial<FileTouch> {
  return {
    entryId: entry?.id as string,
    timestamp: entry?.timestamp as string,
    ...attributionOf(talk, entry),
  };
}

function attributionOf(talk: Session, entry: Record<string, unknown> | undefined) {
  const line = talk.lines.indexOf(JSON.stringify(entry)) + 1;
  const before = talk.lines.slice(0, line - 1).map((each) => `${each}\n`);
  return { line, byteOffset: Buffer.byteLength(before.join("")) };
}

function lineAt(path: string, offset: number): string {
  const bytes = Buffer.alloc(1 << 20);
  const fd = openSync(path, "r");
  const length = readSync(fd, bytes, 0, bytes.length, offset);
  closeSync(fd);
  return bytes.toString("utf8", 0, length).split("\n")[0] ?? "";
}

async function allPages(index: Index, options: FilesOptions) {
  const all: unknown[] = [];
  let cursor: string | undefined;
  do {
    const page = await index.files("tax.ts", { ...options, cursor });
    expect(page.total).toBe(5);
    all.push(...page.sessions.map(brief));
    cursor = page.next;
  } while (cursor);
  return all;
}
