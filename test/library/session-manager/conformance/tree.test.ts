import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { session } from "../../../../fixtures/builder.ts";
import { expectDifference } from "../differences.ts";
import { implementations } from "../implementations.ts";
import { assistant, user } from "../messages.ts";
import { outcomeOf, stage } from "../stage.ts";

interface Node {
  entry: { id: string };
  children: Node[];
}

/** A tree as text: */
const words = (nodes: readonly Node[]): string =>
  nodes
    .map(({ entry, children }) => entry.id + (children.length > 0 ? `(${words(children)})` : ""))
    .join(" ");

/** Runs a call that may never return, and stops it. */
function ends(call: () => unknown): string {
  try {
    runInNewContext("call()", { call }, { timeout: 500 });
    return "returns";
  } catch (error) {
    return (error as { code?: string }).code === "ERR_SCRIPT_EXECUTION_TIMEOUT"
      ? "never returns"
      : `throws: ${error}`;
  }
}

const time = (n: number) => new Date(1_767_600_000_000 + n * 1000).toISOString();

describe.each(implementations)("$name: the tree", (it) => {
  const { SessionManager } = it;

  test("each entry is a child of the leaf and becomes the leaf", () => {
    const manager = SessionManager.inMemory("/home/ada/shop");
    expect(manager.getLeafId()).toBeNull();
    expect(manager.getLeafEntry()).toBeUndefined();
    const one = manager.appendMessage(user("one"));
    const two = manager.appendMessage(assistant("two"));
    expect(manager.getLeafId()).toBe(two);
    expect(manager.getLeafEntry()).toEqual(manager.getEntry(two));
    expect(manager.getEntry(two)?.parentId).toBe(one);
    expect(manager.getEntry("nosuch")).toBeUndefined();
    expect(manager.getEntry("__proto__")).toBeUndefined();
  });

  test("branch moves the leaf back, and the next entry is a sibling", () => {
    const manager = SessionManager.inMemory("/home/ada/shop");
    const one = manager.appendMessage(user("one"));
    const two = manager.appendMessage(assistant("two"));
    manager.branch(one);
    expect(manager.getLeafId()).toBe(one);
    expect(manager.getEntries()).toHaveLength(2);
    const three = manager.appendMessage(assistant("three"));
    expect(manager.getChildren(one).map(({ id }) => id)).toEqual([two, three]);
    expect(manager.getChildren(two)).toEqual([]);
    expect(manager.getChildren("nosuch")).toEqual([]);
    expect(manager.getBranch().map(({ id }) => id)).toEqual([one, three]);
    expect(manager.getBranch(two).map(({ id }) => id)).toEqual([one, two]);
    expect(manager.getBranch("nosuch")).toEqual([]);
    expect(words(manager.getTree())).toBe(`${one}(${two} ${three})`);
  });

  test("resetLeaf clears the leaf, and the next entry is a root", () => {
    const manager = SessionManager.inMemory("/home/ada/shop");
    const one = manager.appendMessage(user("one"));
    manager.resetLeaf();
    expect(manager.getLeafId()).toBeNull();
    expect(manager.getBranch()).toEqual([]);
    expect(manager.buildSessionContext()).toEqual({ messages: [], thinkingLevel: "off", model: null });
    const two = manager.appendMessage(user("two"));
    expect(manager.getEntry(two)?.parentId).toBeNull();
    expect(words(manager.getTree())).toBe(`${one} ${two}`);
  });

  test("moving the leaf writes nothing: a file opens at its last entry", () => {
    const { write } = stage();
    const draft = session().user("one").assistant("two").user("three");
    const file = write("a.jsonl", draft);
    const manager = SessionManager.open(file);
    manager.branch(draft.entries[0]?.id as string);
    expect(SessionManager.open(file).getLeafId()).toBe(draft.lastId);
  });

  test("an unknown entry is refused, and the leaf does not move", () => {
    const manager = SessionManager.inMemory("/home/ada/shop");
    const one = manager.appendMessage(user("one"));
    const calls = [
      () => manager.branch("nosuch"),
      () => manager.branchWithSummary("nosuch", "left"),
      () => manager.appendLabelChange("nosuch", "here"),
      () => manager.createBranchedSession("nosuch"),
    ];
    for (const call of calls) expect(call).toThrow("Entry nosuch not found");
    expect(manager.getLeafId()).toBe(one);
    expect(manager.getEntries()).toHaveLength(1);
    expect(manager.getLabel("nosuch")).toBeUndefined();
  });

  test("a label is an entry, and the last one on any branch counts", () => {
    const manager = SessionManager.inMemory("/home/ada/shop");
    const one = manager.appendMessage(user("one"));
    const label = manager.appendLabelChange(one, "first");
    expect(manager.getLeafId()).toBe(label);
    manager.branch(one);
    const second = manager.appendLabelChange(one, "second");
    manager.branch(label);
    expect(manager.getLabel(one)).toBe("second");
    const [root] = manager.getTree();
    expect(root).toMatchObject({ label: "second", labelTimestamp: manager.getEntry(second)?.timestamp });
    expect(root?.children.map(({ label }) => label)).toEqual([undefined, undefined]);
  });

  test.each([undefined, ""])("a label is cleared with %j", (nothing) => {
    const { write } = stage();
    const draft = session().user("one").assistant("two");
    const id = draft.lastId;
    const file = write("a.jsonl", draft.label(id, "here"));
    const manager = SessionManager.open(file);
    expect(manager.getLabel(id)).toBe("here");
    manager.appendLabelChange(id, nothing);
    expect(manager.getLabel(id)).toBeUndefined();
    const again = SessionManager.open(file);
    expect(again.getLabel(id)).toBeUndefined();
    expect(again.getTree()[0]?.children[0]?.label).toBeUndefined();
    expect(again.getTree()[0]?.children[0]?.labelTimestamp).toBeUndefined();
  });

  test("labels can be labeled, and outlive their targets", () => {
    const { write } = stage();
    const draft = session().user("one").assistant("two").label("gone0000", "lost");
    const label = draft.lastId;
    draft.label(label, "a label's label");
    const manager = SessionManager.open(write("a.jsonl", draft));
    expect(manager.getLabel("gone0000")).toBe("lost");
    expect(manager.getLabel(label)).toBe("a label's label");
  });

  test("a branch summary names the abandoned leaf", () => {
    const manager = SessionManager.inMemory("/home/ada/shop");
    const one = manager.appendMessage(user("one"));
    const two = manager.appendMessage(assistant("two"));
    const name = (id: unknown) =>
      id === one ? "the target" : id === two ? "the leaf that was left" : String(id);
    const fromId = (id: string) => name((manager.getEntry(id) as unknown as { fromId: string }).fromId);
    const summary = manager.branchWithSummary(one, "left");
    expect(manager.getEntry(summary)?.parentId).toBe(one);
    expect(manager.getLeafId()).toBe(summary);
    expectDifference("branch-summary-from", it, fromId(summary));
    manager.branch(two);
    const root = manager.branchWithSummary(null, "left all");
    expect(manager.getEntry(root)?.parentId).toBeNull();
    expectDifference("branch-summary-to-root", it, fromId(root));
    manager.resetLeaf();
    expectDifference("branch-summary-from-root", it, fromId(manager.branchWithSummary(one, "left none")));
  });

  test("children are sorted by time; orphans are roots", () => {
    const { write } = stage();
    const entry = (id: string, parentId: string | null, seconds: number) => ({
      type: "custom",
      customType: "x",
      id,
      parentId,
      timestamp: time(seconds),
    });
    const draft = session();
    for (const each of [
      entry("a", null, 9),
      entry("d", "a", 8),
      entry("b", "a", 2),
      entry("c", "a", 2),
      entry("self", "self", 3),
      entry("orphan", "gone", 1),
      entry("e", "orphan", 1),
    ]) {
      draft.entry(each);
    }
    const manager = SessionManager.open(write("a.jsonl", draft));
    expect(words(manager.getTree())).toBe("a(b c d) self orphan(e)");
  });

  test("invalid times do not throw", () => {
    const { write } = stage();
    const draft = session().user("one", { timestamp: "no time" });
    const one = draft.lastId;
    draft
      .assistant("two", { timestamp: undefined })
      .branch(one)
      .assistant("three", { timestamp: Number.POSITIVE_INFINITY });
    draft.branchSummary(one, "left", { timestamp: "0000-99-99" }).compaction("short", one, { timestamp: 5 });
    const manager = SessionManager.open(write("a.jsonl", draft));
    expect(manager.getTree()[0]?.children).toHaveLength(2);
    expect(manager.buildSessionContext().messages.map(({ role }) => role)).toEqual([
      "compactionSummary",
      "user",
      "assistant",
      "branchSummary",
    ]);
  });

  test("a duplicate id: the last entry is found, both are listed", () => {
    const { write } = stage();
    const draft = session().user("one").user("two", { id: "twin" }).user("three", { id: "twin" });
    const manager = SessionManager.open(write("a.jsonl", draft));
    expect(manager.getEntries()).toHaveLength(3);
    expect(manager.getEntry("twin")).toMatchObject({ message: { content: [{ text: "three" }] } });
    expect(words(manager.getTree()).replace(/[0-9a-f]{8}/g, "one")).toBe("one(twin) twin");
  });

  test("similar and falsy ids are distinct", () => {
    const { write } = stage();
    const draft = session();
    for (const id of [5, "5", "__proto__", "constructor", ""])
      draft.entry({ type: "custom", customType: "x", id });
    const manager = SessionManager.open(write("a.jsonl", draft));
    expect(manager.getEntry(5 as unknown as string)?.parentId).toBeNull();
    expect(manager.getEntry("5")?.parentId).toBe(5);
    expect(manager.getEntry("__proto__")?.parentId).toBe("5");
    expect(manager.getChildren("__proto__").map(({ id }) => id)).toEqual(["constructor"]);
    expect(manager.getEntries()).toHaveLength(5);
  });

  test("a cycle of parents", () => {
    const { write } = stage();
    const draft = session().user("one", { id: "a", parentId: "b" }).user("two", { id: "b", parentId: "a" });
    const manager = SessionManager.open(write("a.jsonl", draft));
    expectDifference(
      "parent-cycle",
      it,
      ends(() => manager.getBranch()),
    );
    expectDifference(
      "context-of-a-parent-cycle",
      it,
      ends(() => manager.buildSessionContext()),
    );
    expectDifference("tree-of-a-parent-cycle", it, words(manager.getTree()) || "no root");
  });

  test("a chain of 200,000 entries", () => {
    const { write } = stage();
    const lines = [session().lines[0]];
    for (let n = 0; n < 200_000; n++) {
      lines.push(
        `{"type":"custom","customType":"x","id":"${n}","parentId":${n ? `"${n - 1}"` : null},"timestamp":"${time(0)}"}`,
      );
    }
    const manager = SessionManager.open(write("a.jsonl", `${lines.join("\n")}\n`));
    let depth = 0;
    for (let [node] = manager.getTree() as Node[]; node; node = node.children[0]) depth++;
    expect(depth).toBe(200_000);
    expect(manager.getChildren("100")).toHaveLength(1);
    // pi needs a minute for more: it inserts each child before all others.
    if (it.name === "pidex") expect(manager.getBranch()).toHaveLength(200_000);
  });

  test("an entry with 150,000 children", () => {
    const { write } = stage();
    const lines = [session().lines[0], `{"type":"custom","id":"a","parentId":null,"timestamp":"${time(0)}"}`];
    for (let n = 0; n < 150_000; n++) {
      lines.push(`{"type":"custom","customType":"x","id":"${n}","parentId":"a","timestamp":"${time(0)}"}`);
    }
    const manager = SessionManager.open(write("a.jsonl", `${lines.join("\n")}\n`));
    const outcome = outcomeOf(() => expect(manager.getTree()[0]?.children).toHaveLength(150_000));
    expectDifference("many-children", it, outcome);
  });
});
