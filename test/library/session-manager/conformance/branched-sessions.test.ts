import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { session } from "../../../../fixtures/builder.ts";
import { expectDifference } from "../differences.ts";
import { implementations } from "../implementations.ts";
import { assistant, user } from "../messages.ts";
import { linesOf, stage } from "../stage.ts";

type Line = Record<string, unknown>;

describe.each(implementations)("$name: a session of one branch", (it) => {
  const { SessionManager } = it;

  /** One, two, then three on one branch and four on another. */
  function branched(cwd: string) {
    const manager = SessionManager.create(cwd);
    const one = manager.appendMessage(user("one"));
    const two = manager.appendMessage(assistant("two"));
    const three = manager.appendMessage(user("three"));
    manager.branch(two);
    const four = manager.appendMessage(user("four"));
    return { manager, one, two, three, four };
  }

  test("contains only the branch, and the manager switches to it", () => {
    const { cwd, home } = stage();
    const { manager, one, two, three, four } = branched(cwd);
    const before = manager.getSessionFile() as string;
    const bytes = readFileSync(before, "utf8");
    const entries = manager.getBranch(three);
    const file = manager.createBranchedSession(three) as string;
    expect(file).toBe(manager.getSessionFile());
    expect(file).not.toBe(before);
    expect(join(file, "..")).toBe(home);
    expect(basename(file)).toContain(manager.getSessionId());
    expect(manager.getHeader()).toMatchObject({ version: 3, cwd, parentSession: before });
    expect(manager.getEntries()).toEqual(entries);
    expect(manager.getEntries().map(({ id }) => id)).toEqual([one, two, three]);
    expect(manager.getLeafId()).toBe(three);
    expect(manager.getEntry(four)).toBeUndefined();
    expect(linesOf(file)).toEqual(JSON.parse(JSON.stringify([manager.getHeader(), ...entries])));
    manager.appendMessage(assistant("five"));
    expect(linesOf(file)).toHaveLength(5);
    expect(readFileSync(before, "utf8")).toBe(bytes);
  });

  test("has the current labels, as new entries with their original times", () => {
    const { write } = stage();
    const draft = session().user("one").assistant("two");
    const [one, two] = draft.entries.map(({ id }) => id as string) as [string, string];
    draft.label(one, "old").user("three", { parentId: two });
    const three = draft.lastId;
    draft.label(two, "gone").label(one, "new", { timestamp: "2026-02-02T00:00:00.000Z" }).label(two);
    draft.user("four").label(draft.lastId, "elsewhere");
    const manager = SessionManager.open(write("a.jsonl", draft));
    manager.createBranchedSession(three);
    const lines = linesOf(manager.getSessionFile()).slice(1);
    expect(lines.slice(0, 3).map(({ id }) => id)).toEqual([one, two, three]);
    expect(lines.slice(3)).toEqual([
      {
        type: "label",
        id: expect.stringMatching(/^[0-9a-f]{8}$/),
        parentId: three,
        timestamp: "2026-02-02T00:00:00.000Z",
        targetId: one,
        label: "new",
      },
    ]);
    expect(manager.getLabel(one)).toBe("new");
    expect(manager.getLabel(two)).toBeUndefined();
    expect(manager.getLeafId()).toBe(lines[3]?.id);
    expect(manager.getTree()[0]).toMatchObject({ label: "new", labelTimestamp: "2026-02-02T00:00:00.000Z" });
  });

  test("labels within the branch", () => {
    const { write } = stage();
    const draft = session().user("one");
    const one = draft.lastId;
    draft.label(one, "here");
    const label = draft.lastId;
    draft.assistant("two").compaction("short", label).user("three");
    const manager = SessionManager.open(write("a.jsonl", draft));
    manager.createBranchedSession(draft.lastId);
    const [, first, second, compaction] = linesOf(manager.getSessionFile()) as [Line, Line, Line, Line];
    expect([first.id, second.type, compaction.type]).toEqual([one, "message", "compaction"]);
    expectDifference(
      "branch-without-labels",
      it,
      second.parentId === one
        ? "its parent is the entry before the label"
        : "its parent is the omitted label",
    );
    expectDifference(
      "kept-from-a-label",
      it,
      compaction.firstKeptEntryId === second.id ? "keeps from the next entry" : "keeps nothing",
    );
  });

  test("without a message is not written yet", () => {
    const { cwd } = stage();
    const { manager } = branched(cwd);
    manager.resetLeaf();
    const level = manager.appendThinkingLevelChange("high");
    const file = manager.createBranchedSession(level) as string;
    expect(existsSync(file)).toBe(false);
    expect(manager.getEntries().map(({ id }) => id)).toEqual([level]);
    manager.appendMessage(user("one"));
    manager.appendMessage(assistant("two"));
    expect(linesOf(file).map(({ type }) => type)).toEqual([
      "session",
      "thinking_level_change",
      "message",
      "message",
    ]);
  });

  test("without a model response", () => {
    const { cwd } = stage();
    const { manager, one } = branched(cwd);
    const file = manager.createBranchedSession(one) as string;
    expectDifference("branch-without-answer", it, existsSync(file) ? "written" : "not written yet");
    manager.appendMessage(assistant("two"));
    expect(linesOf(file)).toHaveLength(3);
  });

  test("of a session in memory stays in memory", () => {
    const manager = SessionManager.inMemory("/home/ada/shop");
    const one = manager.appendMessage(user("one"));
    manager.appendMessage(assistant("two"));
    manager.appendLabelChange(one, "here");
    const before = manager.getSessionId();
    expect(manager.createBranchedSession(one)).toBeUndefined();
    expect(manager.getSessionId()).not.toBe(before);
    expect(manager.getHeader()).not.toHaveProperty("parentSession", expect.anything());
    expect(manager.getEntries().map(({ type }) => type)).toEqual(["message", "label"]);
    expect(manager.getLabel(one)).toBe("here");
  });
});
