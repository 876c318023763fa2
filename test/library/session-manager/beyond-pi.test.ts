import { spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { openIndex, SessionChangedError, SessionManager } from "../../../library/index.ts";
import { temporaryFolder } from "../../temporary.ts";

const user = (content: string) => ({ role: "user" as const, content, timestamp: 1 });
const linesOf = (path: string) => readFileSync(path, "utf8").split("\n").slice(0, -1);
const entriesOf = (path: string) => linesOf(path).map((line) => JSON.parse(line));

let folder: string;
let path: string;
let session: SessionManager;

/** A session with one message, in its own folder. */
beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder, "one.jsonl");
  session = SessionManager.open(path);
  session.appendMessage(user("Begin."));
});

describe("a second writer", () => {
  test("is adopted: its entries are in the tree, and the leaf does not move", () => {
    const other = SessionManager.open(path);
    const root = session.getLeafId() as string;
    const theirs = other.appendMessage(user("Theirs."));
    other.appendLabelChange(root, "seen");
    other.setName("Named elsewhere");
    const ours = session.appendMessage(user("Ours."));
    expect(session.getEntries().map(({ id }) => id)).toEqual(
      entriesOf(path)
        .slice(1)
        .map(({ id }) => id),
    );
    expect(session.getEntry(ours)?.parentId).toBe(root);
    expect(session.getEntry(theirs)?.parentId).toBe(root);
    expect([session.getLabel(root), session.getSessionName()]).toEqual(["seen", "Named elsewhere"]);
    expect(session.getLeafId()).toBe(ours);
  });

  test('is refused with onForeignEntries "throw", until reload()', () => {
    const strict = SessionManager.open(path, { onForeignEntries: "throw" });
    strict.appendMessage(user("Alone."));
    const theirs = session.appendMessage(user("Theirs."));
    const before = readFileSync(path, "utf8");
    for (const _ of [1, 2]) {
      expect(() => strict.appendMessage(user("Refused."))).toThrow(SessionChangedError);
    }
    expect(readFileSync(path, "utf8")).toBe(before);
    expect(strict.getEntryCount()).toBe(2);
    strict.reload();
    expect(strict.getEntry(theirs)).toBeDefined();
    strict.appendMessage(user("Now."));
    expect(entriesOf(path)).toHaveLength(5);
  });

  test("may replace the file by one with the same entries and more", () => {
    const copy = `${path}.copy`;
    copyFileSync(path, copy);
    appendFileSync(
      copy,
      `${JSON.stringify({ type: "custom", id: "more", parentId: null, timestamp: "", customType: "x" })}\n`,
    );
    renameSync(copy, path);
    session.appendMessage(user("Next."));
    expect(
      entriesOf(path)
        .map(({ id }) => id)
        .slice(2),
    ).toEqual(["more", session.getLeafId()]);
    expect(session.getEntry("more")).toBeDefined();
  });

  test.each<[string, (path: string) => void]>([
    ["cut off", (path) => truncateSync(path, 10)],
    ["emptied", (path) => truncateSync(path, 0)],
    [
      "another session",
      (path) => writeFileSync(path, '{"type":"session","id":"else","timestamp":"","cwd":""}\n'),
    ],
  ])("that left the file %s causes an error, and nothing is written", (_, change) => {
    change(path);
    const before = readFileSync(path, "utf8");
    expect(() => session.appendMessage(user("Lost?"))).toThrow();
    expect(readFileSync(path, "utf8")).toBe(before);
    expect(session.getEntryCount()).toBe(1);
  });

  test("that deleted the file causes no loss: the next append writes all entries", () => {
    rmSync(path);
    session.appendMessage(user("Still here."));
    expect(entriesOf(path).map(({ type }) => type)).toEqual(["session", "message", "message"]);
  });
});

describe("the last line", () => {
  test("that is torn is not continued, and stays in the file", () => {
    appendFileSync(path, '{"type":"message","id":"torn","par');
    const before = readFileSync(path, "utf8");
    for (const writer of [session, SessionManager.open(path)]) writer.appendMessage(user("Next."));
    expect(readFileSync(path, "utf8").startsWith(`${before}\n{"type":"message"`)).toBe(true);
    expect(linesOf(path)).toHaveLength(5);
    expect(SessionManager.open(path).getEntryCount()).toBe(3);
  });

  test("without its newline is an entry, and the next starts a new line", () => {
    const line = JSON.stringify({
      type: "custom",
      id: "whole",
      parentId: null,
      timestamp: "",
      customType: "x",
    });
    appendFileSync(path, line);
    const before = readFileSync(path);
    const opened = SessionManager.open(path);
    expect(opened.getLeafId()).toBe("whole");
    expect(readFileSync(path)).toEqual(before); // opening writes nothing
    const next = opened.appendMessage(user("Next."));
    expect(entriesOf(path).at(-1)).toMatchObject({ id: next, parentId: "whole" });
    session.appendMessage(user("And."));
    expect(session.getEntry("whole")).toBeDefined();
  });

  test.skipIf(process.platform === "win32")(
    "cut off by a full disk is an error; memory is unchanged, and the next append is complete",
    () => {
      // At most 8 KiB per file: the system then writes only a part, as on a full disk.
      const script = `
      import { SessionManager } from ${JSON.stringify(join(import.meta.dirname, "../../../library/session-manager.ts"))};
      const session = SessionManager.open(${JSON.stringify(path)});
      try { session.appendMessage({ role: "user", content: "x".repeat(20_000), timestamp: 1 }); console.log("written"); }
      catch (error) { console.log(error.code, session.getEntryCount()); }`;
      const limited = `ulimit -f 8; exec "$0" --input-type=module-typescript -e "$1"`;
      const { stdout, stderr } = spawnSync("bash", ["-c", limited, process.execPath, script], {
        encoding: "utf8",
      });
      expect([stdout, stderr]).toEqual(["FILE_UNWRITABLE 1\n", ""]);
      expect(statSync(path).size).toBe(8192);
      session.appendMessage(user("Room again."));
      expect(SessionManager.open(path).getEntryCount()).toBe(2);
      expect(linesOf(path)).toHaveLength(4);
    },
  );
});

describe("a session opened with readOnly", () => {
  test("is never written", () => {
    const reader = SessionManager.open(path, { readOnly: true });
    const before = statSync(path);
    const writes: ((manager: SessionManager) => unknown)[] = [
      (manager) => manager.appendMessage(user("No.")),
      (manager) => manager.setName("No"),
      (manager) => manager.setTags(["no"]),
      (manager) => manager.branchWithSummary(null, "No"),
      (manager) => manager.createBranchedSession(manager.getLeafId() as string),
      (manager) => manager.moveTo("/home/eve"),
    ];
    for (const write of writes)
      expect(() => write(reader)).toThrow(expect.objectContaining({ code: "READ_ONLY" }));
    expect([statSync(path).mtimeMs, readdirSync(folder)]).toEqual([before.mtimeMs, ["one.jsonl"]]);
  });

  test("of an old version is upgraded in memory only", () => {
    const old =
      '{"type":"session","id":"old","timestamp":"2025-01-01T00:00:00.000Z","cwd":"/"}\n{"type":"message","timestamp":"2025-01-01T00:00:00.000Z","message":{"role":"user","content":"Hi","timestamp":1}}\n';
    writeFileSync(path, old);
    const reader = SessionManager.open(path, { readOnly: true });
    expect(reader.getEntries()).toMatchObject([{ id: expect.any(String), parentId: null }]);
    expect(readFileSync(path, "utf8")).toBe(old);
  });

  test("must exist, and creates no folder", () => {
    const missing = join(folder, "none", "x.jsonl");
    expect(() => SessionManager.open(missing, { readOnly: true })).toThrow(
      expect.objectContaining({ code: "NOT_FOUND" }),
    );
    expect(existsSync(dirname(missing))).toBe(false);
  });

  test("that is empty stays empty", () => {
    writeFileSync(path, "");
    SessionManager.open(path, { readOnly: true });
    expect(statSync(path).size).toBe(0);
  });
});

test("the working directory of an opened session is the header's, even if the header comes late", () => {
  const garbage = `${"#".repeat(1 << 20)}\n`.repeat(17);
  writeFileSync(path, garbage + readFileSync(path, "utf8").replace(JSON.stringify(process.cwd()), '"/shop"'));
  expect(SessionManager.open(path).getCwd()).toBe("/shop");
});

describe("an upgrade", () => {
  const header = '{"type":"session","id":"old","timestamp":"2025-01-01T00:00:00.000Z","cwd":"/"}';
  const message = (text: string) =>
    `{"type":"message","timestamp":"2025-01-01T00:00:00.000Z","message":{"role":"user","content":"${text}","timestamp":1}}`;

  test("keeps mode, owner and links, and leaves no other files", () => {
    const real = join(folder, "real.jsonl");
    const link = join(folder, "link.jsonl");
    writeFileSync(real, `${header}\n${message("Hi")}\n`);
    chmodSync(real, 0o640);
    symlinkSync(real, link);
    SessionManager.open(link);
    expect(entriesOf(real)).toMatchObject([{ version: 3 }, { id: expect.stringMatching(/^[0-9a-f]{8}$/) }]);
    expect(statSync(real).mode & 0o777).toBe(0o640);
    expect(readdirSync(folder).sort()).toEqual(["link.jsonl", "one.jsonl", "real.jsonl"]);
  });

  test("keeps the old file if it has lines that are not entries", () => {
    const old = `${header}\nno JSON\n${message("Hi")}\n{"torn`;
    for (const backups of [["old.jsonl.bak"], ["old.jsonl.bak", "old.jsonl.bak-2"]]) {
      writeFileSync(join(folder, "new.jsonl"), old);
      renameSync(join(folder, "new.jsonl"), join(folder, "old.jsonl"));
      expect(SessionManager.open(join(folder, "old.jsonl")).getEntryCount()).toBe(1);
      expect(
        readdirSync(folder)
          .filter((name) => name.includes(".bak"))
          .sort(),
      ).toEqual(backups);
      for (const name of backups) expect(readFileSync(join(folder, name), "utf8")).toBe(old);
      expect(linesOf(join(folder, "old.jsonl"))).toHaveLength(2);
    }
  });

  test("does not change a hard link to the old file", () => {
    const old = `${header}\n${message("Hi")}\n`;
    writeFileSync(join(folder, "a.jsonl"), old);
    linkSync(join(folder, "a.jsonl"), join(folder, "b.jsonl"));
    SessionManager.open(join(folder, "a.jsonl"));
    expect(readFileSync(join(folder, "b.jsonl"), "utf8")).toBe(old);
  });
});

describe("moving to another working directory", () => {
  beforeEach(() => {
    const before = process.env.PI_CODING_AGENT_DIR;
    process.env.PI_CODING_AGENT_DIR = folder;
    onTestFinished(() => {
      if (before === undefined) delete process.env.PI_CODING_AGENT_DIR;
      else process.env.PI_CODING_AGENT_DIR = before;
    });
  });

  test("changes only the header line, and moves the file to the new project's folder", () => {
    const manager = SessionManager.create("/home/ada/shop");
    const first = manager.appendMessage(user("Hi."));
    appendFileSync(manager.getSessionFile() as string, "no JSON\n\n");
    const before = readFileSync(manager.getSessionFile() as string, "utf8");
    const old = manager.getSessionFile() as string;
    const moved = manager.moveTo("/home/ada/store");
    expect(existsSync(old)).toBe(false);
    expect(moved).toBe(join(folder, "sessions", "--home-ada-store--", old.split("/").at(-1) as string));
    expect(readFileSync(moved, "utf8")).toBe(before.replace("/home/ada/shop", "/home/ada/store"));
    expect([manager.getCwd(), manager.getSessionFile(), manager.getLeafId()]).toEqual([
      "/home/ada/store",
      moved,
      first,
    ]);
    manager.appendMessage(user("On."));
    expect(SessionManager.open(moved).getEntryCount()).toBe(2);
    expect(manager.usesDefaultSessionDir()).toBe(true);
  });

  test("does not move a file from another folder, and overwrites no file", () => {
    expect(session.moveTo("/home/ada/store")).toBe(path);
    expect(entriesOf(path)[0].cwd).toBe("/home/ada/store");
    const manager = SessionManager.create("/home/ada/shop");
    manager.appendMessage(user("Hi."));
    const target = join(folder, "sessions", "--home-ada-store--");
    mkdirSync(target, { recursive: true });
    const name = (manager.getSessionFile() as string).split("/").at(-1) as string;
    writeFileSync(join(target, name), "another's");
    const before = readFileSync(manager.getSessionFile() as string, "utf8");
    expect(() => manager.moveTo("/home/ada/store")).toThrow(/already exists/);
    expect(readFileSync(join(target, name), "utf8")).toBe("another's");
    expect(readFileSync(manager.getSessionFile() as string, "utf8")).toBe(before);
  });

  test.each([
    { which: "the session's folder", swapped: "--home-ada-shop--" },
    { which: "the folder it would go to", swapped: "--home-ada-store--" },
  ])("moves nothing if $which became a link to a folder outside `within`", ({ swapped }) => {
    const sessions = join(folder, "sessions");
    const [outside, store] = [join(folder, "outside"), join(sessions, "--home-ada-store--")];
    mkdirSync(store, { recursive: true });
    const within = [`${sessions}/`];
    const manager = SessionManager.create("/home/ada/shop", undefined, { within });
    manager.appendMessage(user("Hi."));
    renameSync(join(sessions, swapped), outside);
    symlinkSync(outside, join(sessions, swapped));
    const before = readdirSync(folder, { recursive: true });
    expect(() => manager.moveTo("/home/ada/store")).toThrow(/leads outside the session folders: nothing was/);
    expect(readdirSync(folder, { recursive: true })).toEqual(before);
  });

  test("requires a session with a file", () => {
    const held = SessionManager.inMemory("/home/ada/shop");
    held.appendMessage(user("Hi."));
    expect(() => held.moveTo("/home/ada/store")).toThrow(expect.objectContaining({ code: "BAD_OPTION" }));
  });
});

describe("a listener for appends", () => {
  test("is called for each line, with file and byte offset", () => {
    const reported: [string, number][] = [];
    const manager = SessionManager.open(join(folder, "two.jsonl"), {
      onAppended: (file, offset) => reported.push([file, offset]),
    });
    const file = join(folder, "two.jsonl");
    manager.appendModelChange("anthropic", "opus");
    expect(reported).toEqual([]);
    manager.appendMessage(user("Überall"));
    appendFileSync(file, "torn");
    manager.appendMessage(user("Next."));
    expect(reported.map(([each]) => each)).toEqual([file, file]);
    expect(
      reported.map(([, offset]) =>
        readFileSync(file)
          .subarray(offset, offset + 8)
          .toString(),
      ),
    ).toEqual(['{"type":', '{"type":']);
    expect(reported.map(([, offset]) => offset)[0]).toBe(0);
    expect(readFileSync(file).subarray(reported[1]?.[1]).toString()).toContain("Next.");
  });

  test("cannot make an append fail", () => {
    const problems: Error[] = [];
    const manager = SessionManager.open(path, {
      onAppended: () => {
        throw new Error("not ready");
      },
      index: { syncFile: () => Promise.reject(new Error("locked")) },
      onProblem: (problem) => problems.push(problem),
    });
    manager.appendMessage(user("Next."));
    expect(entriesOf(path)).toHaveLength(3);
    expect(problems.map(({ message }) => message)).toEqual(["not ready"]);
  });

  test("causes a Node warning if onProblem throws too", async () => {
    const fails = () => {
      throw new Error("out of order");
    };
    const manager = SessionManager.open(path, { onAppended: fails, onProblem: fails });
    const warned = once(process, "warning");
    manager.appendMessage(user("Next."));
    expect(entriesOf(path)).toHaveLength(3);
    expect(await warned).toMatchObject([{ message: "out of order" }]);
  });

  test("can be an index while sessions are opened and closed", async () => {
    await using index = await openIndex({ db: join(folder, "index.db"), roots: [folder] });
    let left = 0;
    const syncFile = async (file: string) => {
      left++;
      await index.syncFile(file);
      left--;
    };
    const manager = SessionManager.open(path, { index: { syncFile } });
    manager.appendMessage(user("In the first."));
    const branched = manager.createBranchedSession(manager.getLeafId() as string) as string;
    manager.appendMessage(user("In the second."));
    while (left > 0) await new Promise(setImmediate);
    expect((await index.find(path)).messageCount).toBe(2);
    expect((await index.find(branched)).messageCount).toBe(3);
  });

  test("can be the index, which is then up to date without sync()", async () => {
    await using index = await openIndex({ db: join(folder, "index.db"), roots: [folder] });
    const synced: Promise<unknown>[] = [];
    const manager = SessionManager.open(path, {
      index: {
        syncFile: (file) => {
          const sync = index.syncFile(file);
          synced.push(sync);
          return sync;
        },
      },
    });
    for (let n = 0; n < 20; n++) manager.appendMessage(user(`Needle ${n}.`));
    while (synced.length < 2) await synced.at(-1);
    await Promise.all(synced);
    expect(synced).toHaveLength(2); // one call at a time, and one more for all requests that came meanwhile
    expect((await index.find(path)).messageCount).toBe(21);
  });
});

describe("session metadata", () => {
  test("is stored in the file, and the last value of each field counts", () => {
    session.setPinned(true);
    session.setTags(["tax", " tax ", "", "shop"]);
    session.setArchived(true);
    session.setPinned(false);
    expect(session.addTags("tax")).toBeUndefined();
    session.addTags("bug");
    session.removeTags("shop", "none");
    expect(session.removeTags("none")).toBeUndefined();
    const again = SessionManager.open(path);
    expect([again.getPinned(), again.getArchived(), again.getTags()]).toEqual([false, true, ["tax", "bug"]]);
    expect(
      entriesOf(path)
        .slice(2)
        .map(({ type, customType, data }) => [type, customType, data]),
    ).toEqual([
      ["custom", "pidex", { pinned: true }],
      ["custom", "pidex", { tags: ["tax", "shop"] }],
      ["custom", "pidex", { archived: true }],
      ["custom", "pidex", { pinned: false }],
      ["custom", "pidex", { tags: ["tax", "shop", "bug"] }],
      ["custom", "pidex", { tags: ["tax", "bug"] }],
    ]);
  });
});

describe("durability", () => {
  test.each(["os", "fsync"] as const)("%s writes the same lines", (durability) => {
    const file = join(folder, `${durability}.jsonl`);
    const manager = SessionManager.open(file, { durability });
    manager.appendMessage(user("One."));
    manager.appendMessage(user("Two."));
    expect(entriesOf(file).map(({ type }) => type)).toEqual(["session", "message", "message"]);
  });
});

test("a value that JSON cannot represent is an error, and changes neither memory nor file", () => {
  const circle: Record<string, unknown> = {};
  circle.circle = circle;
  const before = readFileSync(path, "utf8");
  expect(() => session.appendCustomEntry("x", circle)).toThrow(TypeError);
  expect(() => session.appendCustomEntry("x", 5n)).toThrow(TypeError);
  expect([session.getEntryCount(), readFileSync(path, "utf8")]).toEqual([1, before]);
});

test("a line longer than the index reads is kept completely", () => {
  const content = "x".repeat(65 << 20);
  session.appendMessage(user(content));
  session.appendMessage(user("Next."));
  const [, long] = SessionManager.open(path).getEntries();
  expect(long?.type === "message" && long.message.role === "user" && long.message.content.length).toBe(
    content.length,
  );
});
