import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { expectDifference } from "../differences.ts";
import { implementations } from "../implementations.ts";
import { assistant, bash, custom, system, toolResult, user } from "../messages.ts";
import { linesOf, outcomeOf, stage } from "../stage.ts";

const types = (path: string | undefined) => linesOf(path).map(({ type }) => type);

describe.each(implementations)("$name: when a session is written", (it) => {
  const { SessionManager } = it;

  test("setup alone leaves no file", () => {
    const { cwd, home } = stage();
    const manager = SessionManager.create(cwd);
    manager.appendModelChange("anthropic", "claude-sonnet-4-5");
    manager.appendThinkingLevelChange("high");
    manager.appendMessage(system("Be brief."));
    manager.appendMessage(custom("a note"));
    manager.appendMessage(toolResult("a result"));
    manager.appendMessage(bash("ls"));
    manager.appendSessionInfo("shop");
    manager.appendCustomEntry("state", { n: 1 });
    expect(existsSync(manager.getSessionFile() as string)).toBe(false);
    expect(manager.getSessionFile()).toContain(home);
    expect(manager.getEntries()).toHaveLength(8);
  });

  test("the first message writes the header and all entries before it", () => {
    const { cwd } = stage();
    const manager = SessionManager.create(cwd);
    manager.appendThinkingLevelChange("high");
    manager.appendMessage(user("Why does checkout fail?"));
    const lines = linesOf(manager.getSessionFile());
    expectDifference("first-write", it, lines.length === 0 ? "no file" : `a file of ${lines.length} lines`);
    manager.appendMessage(assistant("The tax is added twice."));
    expect(types(manager.getSessionFile())).toEqual([
      "session",
      "thinking_level_change",
      "message",
      "message",
    ]);
    expect(linesOf(manager.getSessionFile())).toEqual(
      JSON.parse(JSON.stringify([manager.getHeader(), ...manager.getEntries()])),
    );
  });

  test("later, each entry of any type adds one line", () => {
    const { cwd } = stage();
    const manager = SessionManager.create(cwd);
    manager.appendMessage(user("one"));
    manager.appendMessage(assistant("two"));
    const file = manager.getSessionFile() as string;
    const before = readFileSync(file, "utf8");
    manager.appendThinkingLevelChange("low");
    const after = readFileSync(file, "utf8");
    expect(after.startsWith(before)).toBe(true);
    expect(after.endsWith("\n")).toBe(true);
    expect(linesOf(file).at(-1)).toEqual(manager.getLeafEntry());
  });

  test("a file created meanwhile under the session's name", () => {
    const { cwd } = stage();
    const manager = SessionManager.create(cwd);
    const file = manager.getSessionFile() as string;
    writeFileSync(file, "somebody else's\n");
    outcomeOf(() => {
      manager.appendMessage(user("one"));
      manager.appendMessage(assistant("two"));
    });
    const isLeft = readFileSync(file, "utf8") === "somebody else's\n";
    expectDifference("first-write-over-a-file", it, isLeft ? "unchanged" : "appended to");
  });

  test("an append that fails", () => {
    const { cwd } = stage();
    const manager = SessionManager.create(cwd);
    manager.appendMessage(user("one"));
    const kept = manager.appendMessage(assistant("two"));
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    expect(() => manager.appendCustomEntry("state", cyclic)).toThrow(/circular/i);
    expectDifference(
      "failed-append",
      it,
      `${manager.getEntries().length} entries, and the leaf is ${manager.getLeafId() === kept ? "the previous entry" : "the failed entry"}`,
    );
    expect(linesOf(manager.getSessionFile())).toHaveLength(3);
  });

  test("a file that was deleted meanwhile", () => {
    const { cwd } = stage();
    const manager = SessionManager.create(cwd);
    manager.appendMessage(user("one"));
    manager.appendMessage(assistant("two"));
    rmSync(manager.getSessionFile() as string);
    manager.appendMessage(user("three"));
    expectDifference("file-deleted", it, types(manager.getSessionFile()).join(", "));
  });

  test("entries written by another process meanwhile", () => {
    const { cwd } = stage();
    const manager = SessionManager.create(cwd);
    manager.appendMessage(user("one"));
    const two = manager.appendMessage(assistant("two"));
    const other = SessionManager.open(manager.getSessionFile() as string);
    const three = other.appendMessage(user("three"));
    const four = manager.appendMessage(user("four"));
    expect(linesOf(manager.getSessionFile()).map(({ id }) => id)).toEqual([
      manager.getSessionId(),
      manager.getEntries()[0]?.id,
      two,
      three,
      four,
    ]);
    expect(manager.getEntry(four)?.parentId).toBe(two);
    expectDifference("entries-of-another-process", it, manager.getEntry(three) ? "read" : "not seen");
  });
});
