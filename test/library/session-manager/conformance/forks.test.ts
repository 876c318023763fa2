import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { session } from "../../../../fixtures/builder.ts";
import { expectDifference } from "../differences.ts";
import { implementations } from "../implementations.ts";
import { user } from "../messages.ts";
import { linesOf, outcomeOf, stage } from "../stage.ts";

describe.each(implementations)("$name: forkFrom", (it) => {
  const { SessionManager } = it;
  const draft = () => {
    const draft = session({ cwd: "/home/ada/old" }).user("one").assistant("two");
    const two = draft.lastId;
    return draft.user("three").branch(two).user("four").label(two, "here").name("Shop").custom("x", { a: 1 });
  };

  test("copies all branches into a new session of another cwd", () => {
    const { cwd, home, write } = stage();
    const source = write("a.jsonl", draft());
    const bytes = readFileSync(source, "utf8");
    const { mtimeMs } = statSync(source);
    const manager = SessionManager.forkFrom(source, cwd);
    const file = manager.getSessionFile() as string;
    expect(join(file, "..")).toBe(home);
    expect(manager.getHeader()).toEqual({
      type: "session",
      version: 3,
      id: manager.getSessionId(),
      timestamp: expect.any(String),
      cwd,
      parentSession: source,
    });
    expect(manager.getSessionId()).not.toBe(draft().id);
    expect(basename(file)).toBe(
      `${manager.getHeader()?.timestamp.replace(/[:.]/g, "-")}_${manager.getSessionId()}.jsonl`,
    );
    expect(readFileSync(file, "utf8").split("\n").slice(1)).toEqual(bytes.split("\n").slice(1));
    expect(manager.getLeafId()).toBe(draft().lastId);
    expect(manager.getSessionName()).toBe("Shop");
    expect(manager.getCwd()).toBe(cwd);
    manager.appendMessage(user("five"));
    expect(readFileSync(source, "utf8")).toBe(bytes);
    expect(statSync(source).mtimeMs).toBe(mtimeMs);
  });

  test("into a custom folder, which is created", () => {
    const { cwd, folder, write } = stage();
    const manager = SessionManager.forkFrom(write("a.jsonl", draft()), cwd, join(folder, "deep/er"));
    expect(manager.getSessionDir()).toBe(join(folder, "deep/er"));
    expect(existsSync(manager.getSessionFile() as string)).toBe(true);
  });

  test("a source without a final newline is copied completely", () => {
    const { cwd, write } = stage();
    const source = write("a.jsonl", draft().cut(1));
    const manager = SessionManager.forkFrom(source, cwd);
    expect(manager.getEntries()).toHaveLength(draft().entries.length);
    const added = readFileSync(source).length - draft().cut(1).bytes().length;
    expectDifference("newline-of-a-fork-source", it, added === 0 ? "unchanged" : "gets a newline");
    manager.appendMessage(user("five"));
    expect(linesOf(manager.getSessionFile())).toHaveLength(draft().entries.length + 2);
  });

  test.each([
    ["is empty", ""],
    ["is not a session", "words\n"],
    ["does not exist", undefined],
  ])("a source that %s is refused, and nothing is written", (_, text) => {
    const { cwd, folder, agent, write } = stage();
    const source = text === undefined ? join(folder, "no.jsonl") : write("a.jsonl", text);
    expect(() => SessionManager.forkFrom(source, cwd)).toThrow(
      `Cannot fork: source session file is empty or invalid: ${source}`,
    );
    expect(
      existsSync(agent)
        ? readdirSync(agent, { recursive: true }).filter((name) => String(name).endsWith(".jsonl"))
        : [],
    ).toEqual([]);
    if (text !== undefined) expect(readFileSync(source, "utf8")).toBe(text);
  });

  test("of a session of version 1", () => {
    const { cwd, write } = stage();
    const source = write(
      "a.jsonl",
      session({ version: 1 }).user("one").assistant("two").compaction("short", 2),
    );
    const bytes = readFileSync(source, "utf8");
    const manager = SessionManager.forkFrom(source, cwd);
    const [header, ...entries] = linesOf(manager.getSessionFile());
    expect(header).toMatchObject({ version: 3 });
    expect(readFileSync(source, "utf8")).toBe(bytes);
    const isChained = entries.every(
      (entry, n) => entry.id && entry.parentId === (entries[n - 1]?.id ?? null),
    );
    expectDifference("fork-of-version-1", it, isChained ? "upgraded" : "version 3, with entries without ids");
  });

  test("lines of another program, and an unreadable one", () => {
    const { cwd, write } = stage();
    const draft = session()
      .user("one")
      .raw('{ "type":"custom","customType":"x","id":"a","parentId":null,"n":1.0 }')
      .raw("{half")
      .assistant("two");
    const manager = SessionManager.forkFrom(write("a.jsonl", draft), cwd);
    const text = readFileSync(manager.getSessionFile() as string, "utf8");
    expect(manager.getEntries()).toHaveLength(3);
    expectDifference(
      "fork-of-odd-formatting",
      it,
      [
        text.includes('"n":1.0 }') ? "copied" : "serialized again",
        text.includes("{half") ? "with the unreadable line" : "without the unreadable line",
      ].join(", "),
    );
  });

  test("from a relative path", () => {
    const { cwd, write } = stage();
    const source = write("a.jsonl", draft());
    const manager = SessionManager.forkFrom(relative(process.cwd(), source), cwd);
    expectDifference(
      "fork-of-a-relative-path",
      it,
      manager.getHeader()?.parentSession === source ? "absolute" : "as given",
    );
  });

  test("with an id", () => {
    const { cwd, write } = stage();
    const manager = SessionManager.forkFrom(write("a.jsonl", draft()), cwd, undefined, { id: "chosen" });
    expectDifference(
      "fork-with-an-id",
      it,
      manager.getSessionId() === "chosen" ? "the given id" : "another id",
    );
    const wrong = outcomeOf(() =>
      SessionManager.forkFrom(write("a.jsonl", draft()), cwd, undefined, { id: "../a" }),
    );
    expectDifference("fork-with-an-invalid-id", it, wrong.split(":")[0] as string);
  });
});
