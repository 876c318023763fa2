import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Session, type SessionOptions, session } from "../../../../fixtures/builder.ts";
import { folderName } from "../../../../fixtures/names.ts";
import { peerHooks } from "../../../peer/peers.ts";
import { expectDifference } from "../differences.ts";
import { implementations } from "../implementations.ts";
import { stage } from "../stage.ts";

const at = (path: string, minutes: number): string => {
  utimesSync(path, 1_767_600_000 + minutes * 60, 1_767_600_000 + minutes * 60);
  return path;
};
const chat = (options: SessionOptions): Session => session(options).user("one").assistant("two");

describe.each(implementations)("$name: finding sessions", (it) => {
  const { SessionManager, findMostRecentSession } = it;

  test("the most recent session is the one with the latest file time", () => {
    const { cwd, writeHome } = stage();
    const early = chat({ cwd, timestamp: "2026-01-01T00:00:00.000Z" });
    const late = chat({ cwd, timestamp: "2026-03-01T00:00:00.000Z" });
    at(writeHome(early), 2);
    at(writeHome(late), 1);
    const manager = SessionManager.continueRecent(cwd);
    expect(manager.getSessionId()).toBe(early.id);
    expect(manager.getEntries()).toHaveLength(2);
    expect(manager.getCwd()).toBe(cwd);
  });

  test("continueRecent creates a session if there is none", () => {
    const { cwd, home } = stage();
    const manager = SessionManager.continueRecent(cwd);
    expect(manager.getEntries()).toEqual([]);
    expect(manager.getSessionDir()).toBe(home);
    expect(existsSync(manager.getSessionFile() as string)).toBe(false);
  });

  test("a file that is not a session is not continued", () => {
    const { cwd, home, write, writeHome } = stage();
    const draft = chat({ cwd });
    at(writeHome(draft), 1);
    for (const [n, [file, text]] of Object.entries([
      ["a.jsonl", ""],
      ["b.jsonl", "words\n"],
      ["c.jsonl", '{"type":"message","id":"a"}\n'],
      ["d.jsonl", '{"type":"session","id":5}\n'],
      ["e.txt", chat({ cwd }).text()],
      ["f.JSONL", chat({ cwd }).text()],
    ]) as [string, [string, string]][]) {
      at(write(`agent/sessions/${folderName(cwd)}/${file}`, text), 2 + Number(n));
    }
    mkdirSync(join(home, "folder.jsonl"));
    expect(SessionManager.continueRecent(cwd).getSessionId()).toBe(draft.id);
    expect(findMostRecentSession(home)).toBe(join(home, draft.fileName));
  });

  test("a folder with a broken link", () => {
    const { cwd, home, writeHome } = stage();
    const draft = chat({ cwd });
    writeHome(draft);
    symlinkSync(join(home, "nowhere"), join(home, "dangling.jsonl"));
    const isContinued = SessionManager.continueRecent(cwd).getSessionId() === draft.id;
    const isFound = findMostRecentSession(home) === join(home, draft.fileName);
    const outcome = `${isContinued ? "the newest" : "a new one"}, ${isFound ? "the newest" : "none"}`;
    expectDifference("dangling-link", it, outcome);
  });

  test("a folder without sessions, or a missing folder", () => {
    const { folder } = stage();
    expect(findMostRecentSession(folder)).toBeNull();
    expect(findMostRecentSession(join(folder, "nosuch"))).toBeNull();
  });

  test("a header after more than 1 MiB of other lines", () => {
    const { folder, write } = stage();
    const late = write("late/late.jsonl", chat({ before: ["#".repeat(1 << 20)] }));
    const found = findMostRecentSession(join(folder, "late"));
    expectDifference("header-after-1-mib", it, found === late ? "found" : "not found");
  });

  test("a header after more than 16 MiB of other lines", () => {
    const { folder, write } = stage();
    write("late/late.jsonl", chat({ before: Array(17).fill("#".repeat(1 << 20)) }));
    expect(findMostRecentSession(join(folder, "late"))).toBeNull();
  });

  test("a long header, and one after other lines", () => {
    const { folder, write } = stage();
    const long = at(write("a/long.jsonl", chat({ header: { note: "x".repeat(600) } })), 1);
    const behind = at(write("b/behind.jsonl", chat({ before: ["# title"] })), 1);
    const found = [
      findMostRecentSession(join(folder, "a")) === long,
      findMostRecentSession(join(folder, "b")) === behind,
    ];
    expectDifference("long-and-late-headers", it, found.map((is) => (is ? "found" : "not found")).join(", "));
  });

  test("in a folder shared by projects", () => {
    const { cwd, folder, write } = stage();
    const mine = at(write("flat/a.jsonl", chat({ cwd })), 1);
    at(write("flat/b.jsonl", chat({ cwd: "/home/ada/other" })), 2);
    at(write("flat/c.jsonl", chat({ header: { cwd: undefined } })), 3);
    const flat = join(folder, "flat");
    const word = (path: string | null | undefined) =>
      path === mine ? "this project's" : "another project's";
    expectDifference(
      "continue-in-a-shared-folder",
      it,
      word(SessionManager.continueRecent(cwd, flat).getSessionFile()),
    );
    expectDifference("most-recent-of-a-project", it, word(findMostRecentSession(flat, cwd)));
  });

  test("the default folder, passed explicitly, has one project", () => {
    const { cwd, home, write } = stage();
    const file = write(`agent/sessions/${folderName(cwd)}/b.jsonl`, chat({ cwd: "/home/ada/other" }));
    expect(SessionManager.continueRecent(cwd, home).getSessionFile()).toBe(file);
    expect(SessionManager.continueRecent(cwd, `${home}/`).getSessionFile()).toBe(file);
  });

  test.skipIf(process.platform === "win32")("a pipe with a session's name", () => {
    const { cwd, home, writeHome } = stage();
    const draft = chat({ cwd });
    writeHome(draft);
    execFileSync("mkfifo", [join(home, "pipe.jsonl")]);
    let outcome = "never returns";
    if (it.name === "pidex")
      outcome = findMostRecentSession(home) === join(home, draft.fileName) ? "skipped" : "found";
    else {
      // Opening a pipe would block this process forever.
      const source = `import(process.argv[1]).then((pi) => pi.findMostRecentSession(process.argv[2]))`;
      const args = ["--import", peerHooks, "-e", source, it.module as string, home];
      const ran = spawnSync(process.execPath, args, { timeout: 1500 });
      if (ran.signal === null) outcome = `ends: ${ran.stderr}`;
    }
    expectDifference("pipe-named-as-a-session", it, outcome);
  });

  test("findById", () => {
    const { cwd, folder, write, writeHome } = stage();
    const draft = chat({ cwd, id: "chosen" });
    const home = writeHome(draft);
    const flat = write("flat/a.jsonl", chat({ cwd: "/home/ada/other", id: "chosen" }));
    write("flat/b.jsonl", chat({ header: { cwd: undefined }, id: "homeless" }));
    const dir = join(folder, "flat");
    let outcome = "not available";
    if (SessionManager.findById) {
      outcome = "available";
      expect(SessionManager.findById(cwd, "chosen")).toBe(home);
      expect(SessionManager.findById(cwd, "chos")).toBeUndefined();
      expect(SessionManager.findById(cwd, "chosen", dir)).toBeUndefined();
      expect(SessionManager.findById("/home/ada/other", "chosen", dir)).toBe(flat);
      expect(SessionManager.findById(cwd, "homeless", dir)).toBeUndefined();
      expect(SessionManager.findById(cwd, "chosen", join(folder, "nosuch"))).toBeUndefined();
    }
    expectDifference("find-by-id", it, outcome);
  });
});
