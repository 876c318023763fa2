import { describe, expect, test } from "vitest";
import { text } from "../../fixtures/blocks.ts";
import { type Session, session } from "../../fixtures/builder.ts";
import { catalog } from "../../fixtures/catalog.ts";
import { buildSessionContext, type ContextMessage } from "../../src/session/context.ts";
import type { Entry, EntryId } from "../../src/session/entries.ts";
import { readWhole } from "./open-file.ts";

const entriesOf = (talk: Session): Entry[] =>
  readWhole(talk.bytes()).lines.flatMap(({ entry }) => (entry ? [entry] : []));

const contextOf = (talk: Session, leafId?: EntryId | null) => buildSessionContext(entriesOf(talk), leafId);

/** A context as `role */
const said = (talk: Session, leafId?: EntryId | null): string[] =>
  contextOf(talk, leafId).messages.map((message) => `${message.role}: ${textOf(message)}`);

function textOf(message: ContextMessage): unknown {
  if (typeof message.summary === "string") return message.summary;
  const content = message.content;
  return Array.isArray(content) ? content.map((block) => block.text).join(" ") : content;
}

/** a <- b <- c <- d, by ids: user, assistant, user, assistant. */
const talk = () =>
  session()
    .user("a", { id: "a" })
    .assistant("b", { id: "b" })
    .user("c", { id: "c" })
    .assistant("d", { id: "d" });
const all = ["user: a", "assistant: b", "user: c", "assistant: d"];

describe("the leaf", () => {
  test("is the last entry unless another is named", () => {
    expect(said(talk())).toEqual(all);
    expect(said(talk(), "b")).toEqual(all.slice(0, 2));
  });

  test("that is unknown means the last entry", () => {
    expect(said(talk(), "nobody")).toEqual(all);
  });

  test("null is an empty context", () => {
    expect(contextOf(talk(), null)).toEqual({ messages: [], thinkingLevel: "off", model: null });
  });

  test("of no entries is an empty context", () => {
    expect(buildSessionContext([])).toEqual({ messages: [], thinkingLevel: "off", model: null });
  });

  test("selects its own branch only", () => {
    expect(said(talk().branch("b").user("other"))).toEqual(["user: a", "assistant: b", "user: other"]);
  });

  test("in a cycle of parents includes each entry once", () => {
    const circle = session().user("a", { id: "a", parentId: "b" }).assistant("b", { id: "b" });
    expect(said(circle)).toEqual(["user: a", "assistant: b"]);
  });
});

describe("a compaction", () => {
  test.each<[string, string | null, string[]]>([
    ["keeps the entries from its first kept entry on", "c", ["user: c", "assistant: d"]],
    ["keeps everything from the root on", "a", all],
    ["with itself as first kept entry keeps nothing", "k", []],
    ["without a first kept entry keeps nothing", null, []],
    ["with an unknown first kept entry keeps nothing", "gone", []],
    ["with a later entry as first kept entry keeps nothing", "e", []],
  ])("%s", (_, firstKept, kept) => {
    const compacted = talk().compaction("sum", firstKept, { id: "k" }).user("e", { id: "e" });
    expect(said(compacted)).toEqual(["compactionSummary: sum", ...kept, "user: e"]);
  });

  test("with a first kept entry on another branch keeps nothing", () => {
    const branched = talk().branch("b").user("other").compaction("sum", "c");
    expect(said(branched)).toEqual(["compactionSummary: sum"]);
  });

  test("counts if it is the latest on the branch; an older one in the kept range adds nothing", () => {
    const twice = talk().compaction("old", "c").user("e", { id: "e" }).compaction("new", "b").user("f");
    expect(said(twice)).toEqual(["compactionSummary: new", ...all.slice(1), "user: e", "user: f"]);
  });

  test("on another branch has no effect", () => {
    expect(said(talk().compaction("sum", null).branch("d").user("e"))).toEqual([...all, "user: e"]);
  });

  test("has its time in milliseconds and the tokens before it", () => {
    const timestamp = "2026-03-01T00:00:00.000Z";
    const [message] = contextOf(talk().compaction("sum", null, { timestamp })).messages;
    expect(message).toEqual({
      role: "compactionSummary",
      summary: "sum",
      tokensBefore: 120_000,
      timestamp: Date.parse(timestamp),
    });
  });

  test("puts its system message first; system messages of the kept range are dropped, later ones stay", () => {
    const system = (content: string) => ({ role: "system", content });
    const compacted = session()
      .message(system("first"), { id: "s" })
      .user("a")
      .compaction("sum", "s", { systemMessage: system("then") })
      .message(system("later"))
      .user("b");
    expect(said(compacted)).toEqual([
      "system: then",
      "compactionSummary: sum",
      "user: a",
      "system: later",
      "user: b",
    ]);
    expect(said(compacted, "s")).toEqual(["system: first"]);
  });
});

describe("other entries", () => {
  test("a branch summary is a message unless it is empty", () => {
    const timestamp = "2026-03-01T00:00:00.000Z";
    const talk = session().branchSummary("x", "").branchSummary("y", "went there", { timestamp });
    expect(contextOf(talk).messages).toEqual([
      { role: "branchSummary", summary: "went there", fromId: "y", timestamp: Date.parse(timestamp) },
    ]);
  });

  test("a custom message has the role custom, unless it is excluded", () => {
    const timestamp = "2026-03-01T00:00:00.000Z";
    const talk = session()
      .customMessage("note", "in", { timestamp, details: { n: 1 } })
      .customMessage("note", "out", { excludeFromContext: true })
      .customMessage("note", [text("blocks")], { display: false })
      .entry({ type: "custom_message", customType: "note", content: null });
    const { messages } = contextOf(talk);
    const common = { role: "custom", customType: "note" };
    expect(messages).toMatchObject([
      { ...common, content: "in", display: true, details: { n: 1 }, timestamp: Date.parse(timestamp) },
      { ...common, content: [text("blocks")], display: false },
      { ...common, content: [] },
    ]);
    expect(messages).toHaveLength(3);
  });

  test("that are not sent to the model add nothing", () => {
    const quiet = talk()
      .custom("state", { n: 1 })
      .label("a", "here")
      .name("name")
      .usage("title", { input: 5 })
      .entry({ type: "session_summary", summary: "quiet" })
      .entry({ type: "context_compaction" })
      .entry({ type: "voice_note" })
      .entry({ type: "message" });
    expect(said(quiet)).toEqual(all);
  });

  test("a message without content has empty content of its role's type", () => {
    const empty = session();
    for (const role of ["user", "assistant", "toolResult", "system", "bashExecution"]) {
      empty.message({ role, content: null }).message({ role });
    }
    const contents = contextOf(empty).messages.map(({ content }) => content);
    expect(contents).toEqual([[], [], [], [], [], [], "", "", null, undefined]);
  });

  test("an invalid time is NaN, not an error", () => {
    const [message] = contextOf(session().customMessage("x", "y", { timestamp: "yesterday" })).messages;
    expect(message?.timestamp).toBeNaN();
  });
});

describe("a context edit", () => {
  const reply = [text("new")];

  test("replaces the content of its target: a string becomes a block for assistants and tool results", () => {
    const edited = talk().toolResult("t", "read", "out", { id: "t" }).customMessage("n", "note", { id: "n" });
    for (const id of ["a", "b", "t", "n"])
      edited.entry({ type: "context_edit", targetId: id, replacement: { content: "new" } });
    const contents = contextOf(edited).messages.map(({ content }) => content);
    expect(contents).toEqual(["new", reply, [text("c")], [text("d")], reply, "new"]);
  });

  test("with blocks replaces the blocks, with null removes the target", () => {
    expect(said(talk().contextEdit("a", reply).contextEdit("d", null))).toEqual([
      "user: new",
      "assistant: b",
      "user: c",
    ]);
  });

  test("counts if it is the latest for its target", () => {
    expect(said(talk().contextEdit("a", null).contextEdit("a", "one").contextEdit("a", "two"))[0]).toBe(
      "user: two",
    );
    expect(said(talk().contextEdit("a", "one").contextEdit("a", null))).toEqual(all.slice(1));
  });

  test("on another branch, or of an unknown target, or without a replacement has no effect", () => {
    expect(said(talk().contextEdit("a", null), "d")).toEqual(all);
    expect(said(talk().contextEdit("gone", null))).toEqual(all);
    expect(said(talk().entry({ type: "context_edit", targetId: "a" }))).toEqual(all);
    expect(said(talk().entry({ type: "context_edit", replacement: null }))).toEqual(all);
  });

  test("does not change summaries, system messages and shell commands, but can remove them", () => {
    const fixed = session()
      .message({ role: "system", content: "rules" }, { id: "s" })
      .bash("ls", "a.txt", { id: "b" })
      .branchSummary("x", "branch", { id: "x" });
    const before = contextOf(fixed).messages;
    for (const id of ["s", "b", "x"]) fixed.contextEdit(id, "new");
    expect(contextOf(fixed).messages).toEqual(before);
    for (const id of ["s", "b", "x"]) fixed.contextEdit(id, null);
    expect(contextOf(fixed).messages).toEqual([]);
  });

  test("does not change the entry itself", () => {
    const entries = entriesOf(talk().contextEdit("a", "new"));
    const before = structuredClone(entries);
    buildSessionContext(entries);
    expect(entries).toEqual(before);
  });
});

describe("model and thinking level", () => {
  test("come from the whole branch, also from before a compaction", () => {
    const path = session().model("openai", "gpt-5.2").thinking("high").user("a").compaction("sum", null);
    const { thinkingLevel, model } = contextOf(path);
    expect(thinkingLevel).toBe("high");
    expect(model).toEqual({ provider: "openai", modelId: "gpt-5.2" });
  });

  test("an assistant message sets the model, and a later change sets it again", () => {
    const path = session()
      .model("openai", "gpt-5.2")
      .assistant("x", { provider: "google", model: "gemini-3-pro" });
    expect(contextOf(path).model).toEqual({ provider: "google", modelId: "gemini-3-pro" });
    expect(contextOf(path.model("zai", "glm-4.7")).model).toEqual({ provider: "zai", modelId: "glm-4.7" });
  });

  test("of another branch do not count", () => {
    const path = session().user("a", { id: "a" }).thinking("high").model("openai", "x").branch("a").user("b");
    expect(contextOf(path)).toMatchObject({ thinkingLevel: "off", model: null });
  });
});

test("every fixture has a context at every entry, without an error", () => {
  for (const { session } of catalog) {
    const entries = entriesOf(session);
    for (const { id } of entries) expect(() => buildSessionContext(entries, id)).not.toThrow();
  }
});
