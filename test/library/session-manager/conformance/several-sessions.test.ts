import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { session } from "../../../../fixtures/builder.ts";
import { expectDifference } from "../differences.ts";
import { implementations } from "../implementations.ts";
import { assistant, user } from "../messages.ts";
import { linesOf, outcomeOf, stage } from "../stage.ts";

const types = (path: string | undefined) => linesOf(path).map(({ type }) => type);

describe.each(implementations)("$name: one manager, several sessions", (it) => {
  const { SessionManager } = it;

  test("newSession starts over in the same folder", () => {
    const { cwd } = stage();
    const manager = SessionManager.create(cwd);
    manager.appendMessage(user("one"));
    const two = manager.appendMessage(assistant("two"));
    manager.appendLabelChange(two, "here");
    const first = manager.getSessionFile() as string;
    const file = manager.newSession({ id: "my.own-id_1", parentSession: first });
    expect(file).toBe(manager.getSessionFile());
    expect(basename(file as string)).toMatch(/^\d{4}-.*Z_my\.own-id_1\.jsonl$/);
    expect(manager.getSessionDir()).toBe(join(file as string, ".."));
    expect(manager.getSessionId()).toBe("my.own-id_1");
    expect(manager.getHeader()).toMatchObject({ id: "my.own-id_1", parentSession: first, cwd });
    expect(manager.getEntries()).toEqual([]);
    expect(manager.getLeafId()).toBeNull();
    expect(manager.getLeafEntry()).toBeUndefined();
    expect(manager.getLabel(two)).toBeUndefined();
    expect(manager.getTree()).toEqual([]);
    expect(existsSync(file as string)).toBe(false);
    expect(linesOf(first)).toHaveLength(4);
  });

  test("an id that is not valid in a file name", () => {
    const { cwd } = stage();
    const manager = SessionManager.create(cwd);
    const outcomes = ["../up", "a/b", "", "-a", "a-", "a b"].map((id) =>
      outcomeOf(() => manager.newSession({ id })),
    );
    const thrown = outcomes.filter((outcome) => outcome.startsWith("throws: ")).length;
    expectDifference("session-ids", it, `${thrown} of ${outcomes.length} refused`);
  });

  test("assertValidSessionId", () => {
    const outcomes = ["a", "A.b-c_9", "", ".", "a-", "ä"].map((id) =>
      outcomeOf(() => it.assertValidSessionId(id)),
    );
    expectDifference(
      "assert-valid-session-id",
      it,
      "assertValidSessionId" in it ? [...new Set(outcomes)].join("; ") : "not available",
    );
  });

  test("create and inMemory with an id and a parent", () => {
    const { cwd } = stage();
    const options = { id: "chosen", parentSession: "/a/b.jsonl" };
    const taken = [
      SessionManager.create(cwd, undefined, options),
      SessionManager.inMemory(cwd, options),
    ].filter(
      (manager) => manager.getSessionId() === "chosen" && manager.getHeader()?.parentSession === "/a/b.jsonl",
    );
    expectDifference("options-of-a-new-session", it, `used by ${taken.length} of 2`);
  });

  test("setSessionFile switches to another session, or to a new one at a missing path", () => {
    const { cwd, write, folder } = stage();
    const draft = session().user("three").assistant("four").user("five");
    const file = write("b.jsonl", draft);
    const manager = SessionManager.create(cwd);
    manager.appendMessage(user("one"));
    manager.appendMessage(assistant("two"));
    manager.setSessionFile(file);
    expect(manager.getSessionId()).toBe(draft.id);
    expect(manager.getEntries()).toHaveLength(3);
    expect(manager.getLeafId()).toBe(draft.lastId);
    expect(manager.getCwd()).toBe(cwd);
    manager.appendMessage(user("six"));
    expect(linesOf(file)).toHaveLength(5);
    const nowhere = join(folder, "c.jsonl");
    manager.setSessionFile(nowhere);
    expect(manager.getSessionFile()).toBe(nowhere);
    expect(manager.getEntries()).toEqual([]);
    manager.appendMessage(user("seven"));
    manager.appendMessage(assistant("eight"));
    expect(types(nowhere)).toEqual(["session", "message", "message"]);
  });

  test("a session in memory writes nothing", () => {
    const { cwd, agent } = stage();
    const manager = SessionManager.inMemory(cwd);
    const one = manager.appendMessage(user("one"));
    manager.appendMessage(assistant("two"));
    expect(manager.isPersisted()).toBe(false);
    expect(manager.getSessionFile()).toBeUndefined();
    expect(manager.getSessionDir()).toBe("");
    expect(manager.getHeader()).toMatchObject({ type: "session", cwd });
    expect(manager.newSession()).toBeUndefined();
    expect(manager.getEntry(one)).toBeUndefined();
    expect(existsSync(agent)).toBe(false);
    expect(SessionManager.inMemory().getCwd()).toBe(process.cwd());
  });

  test("a session in memory from existing entries", () => {
    const { cwd } = stage();
    const draft = session().user("one").assistant("two");
    const lines = it.parseSessionEntries(draft.text());
    const whole = SessionManager.inMemory(cwd, undefined, lines);
    const entries = SessionManager.inMemory(cwd, { id: "chosen" }, lines.slice(1));
    expectDifference(
      "in-memory-entries",
      it,
      `${whole.getEntries().length} and ${entries.getEntries().length} entries`,
    );
    if (whole.getEntries().length > 0) {
      expect(whole.getSessionId()).toBe(draft.id);
      expect(entries.getSessionId()).toBe("chosen");
      expect(entries.getLeafId()).toBe(draft.lastId);
    }
  });

  test("a session in memory can be read from a file, which is not written", () => {
    const { cwd, write } = stage();
    const draft = session().user("one").assistant("two");
    const file = write("a.jsonl", draft);
    const manager = SessionManager.inMemory(cwd);
    manager.appendMessage(user("other"));
    manager.setSessionFile(file);
    expect(manager.getSessionId()).toBe(draft.id);
    expect(manager.getEntries()).toHaveLength(2);
    expect(manager.isPersisted()).toBe(false);
    manager.appendMessage(user("three"));
    expect(manager.getEntries()).toHaveLength(3);
    expect(readFileSync(file, "utf8")).toBe(draft.text());
  });

  test("getEntryCount", () => {
    const { cwd } = stage();
    const manager = SessionManager.inMemory(cwd);
    manager.appendMessage(user("one"));
    expectDifference(
      "entry-count",
      it,
      "getEntryCount" in manager ? String(manager.getEntryCount()) : "not available",
    );
  });

  test("getEntries is a copy", () => {
    const manager = SessionManager.inMemory("/home/ada/shop");
    manager.appendMessage(user("one"));
    manager.getEntries().pop();
    expect(manager.getEntries()).toHaveLength(1);
  });
});
