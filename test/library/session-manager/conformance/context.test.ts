import { describe, expect, test } from "vitest";
import { type Session, session } from "../../../../fixtures/builder.ts";
import { expectDifference } from "../differences.ts";
import { implementations } from "../implementations.ts";
import { assistant, custom, system, user } from "../messages.ts";
import { outcomeOf } from "../stage.ts";

/** A context as text: the text of each message, or its role. */
function said(messages: readonly unknown[]): string {
  const texts = (messages as { role: string; content?: unknown; summary?: string }[]).map(
    ({ role, content, summary }) => {
      if (summary !== undefined) return `<${summary}>`;
      if (typeof content === "string") return content;
      if (Array.isArray(content) && content.length > 0) return content.map(({ text }) => text).join("+");
      return `${role} ${JSON.stringify(content)}`;
    },
  );
  return texts.join(" ");
}

const ids = (draft: Session): string[] => draft.entries.map(({ id }) => id as string);

describe.each(implementations)("$name: the context", (it) => {
  const { SessionManager, buildSessionContext } = it;
  /** The context of hand-written entries, loosely typed. */
  const contextOf = (draft: Session, leafId?: string | null) =>
    buildSessionContext(draft.entries as unknown as Parameters<typeof buildSessionContext>[0], leafId);
  const saidOf = (draft: Session, leafId?: string | null) => said(contextOf(draft, leafId).messages);

  test("is empty without entries", () => {
    const empty = { messages: [], thinkingLevel: "off", model: null };
    expect(buildSessionContext([])).toEqual(empty);
    expect(buildSessionContext([], "nosuch")).toEqual(empty);
    expect(contextOf(session().user("one").thinking("high"), null)).toEqual(empty);
    expect(SessionManager.inMemory("/home/ada/shop").buildSessionContext()).toEqual(empty);
  });

  test("has the messages of the branch, in order", () => {
    const draft = session().user("one").assistant("two");
    const two = draft.lastId;
    draft.user("three").branch(two).user("four");
    expect(saidOf(draft)).toBe("one two four");
    expect(saidOf(draft, two)).toBe("one two");
    expect(saidOf(draft, ids(draft)[2])).toBe("one two three");
  });

  test("an unknown leaf, or an empty one, is the last entry", () => {
    const draft = session().user("one").assistant("two");
    expect(saidOf(draft, "nosuch")).toBe("one two");
    expect(saidOf(draft, "")).toBe("one two");
  });

  test("accepts a map of entries by id", () => {
    const draft = session().user("one").assistant("two");
    const entries = draft.entries as unknown as Parameters<typeof buildSessionContext>[0];
    const byId = new Map(entries.map((entry) => [entry.id, entry]));
    expect(said(buildSessionContext(entries, draft.lastId, byId as never).messages)).toBe("one two");
  });

  test("entries that are not messages add nothing", () => {
    const manager = SessionManager.inMemory("/home/ada/shop");
    manager.appendMessage(user("one"));
    manager.appendCustomEntry("state", { content: "no" });
    manager.appendSessionInfo("no");
    const two = manager.appendMessage(custom("two"));
    manager.appendLabelChange(two, "no");
    manager.appendThinkingLevelChange("high");
    expect(said(manager.buildSessionContext().messages)).toBe("one two");
  });

  test("level and model come from the whole branch; a model response sets the model too", () => {
    const draft = session().model("openai", "gpt-5.2").thinking("high").user("one");
    expect(contextOf(draft)).toMatchObject({
      thinkingLevel: "high",
      model: { provider: "openai", modelId: "gpt-5.2" },
    });
    draft.assistant("two", { provider: "zai", model: "glm-4.7" }).compaction("short", null).user("three");
    expect(contextOf(draft)).toMatchObject({
      thinkingLevel: "high",
      model: { provider: "zai", modelId: "glm-4.7" },
    });
    expect(contextOf(draft, ids(draft)[0]).thinkingLevel).toBe("off");
  });

  test("times: an entry's become milliseconds, a message keeps its own", () => {
    const draft = session().user("one", { timestamp: "2026-01-01T00:00:00.000Z" });
    const one = draft.lastId;
    draft.customMessage("note", "two", { timestamp: "2026-01-02T00:00:00.000Z", details: { a: 1 } });
    draft.branchSummary(one, "left", { timestamp: "2026-01-03T00:00:00.000Z" });
    draft.compaction("short", one, { timestamp: "2026-01-04T00:00:00.000Z" });
    expect(contextOf(draft).messages).toEqual([
      { role: "compactionSummary", summary: "short", tokensBefore: 120_000, timestamp: Date.UTC(2026, 0, 4) },
      { role: "user", content: [{ type: "text", text: "one" }], timestamp: Date.UTC(2026, 0, 1) },
      {
        role: "custom",
        customType: "note",
        content: "two",
        display: true,
        details: { a: 1 },
        timestamp: Date.UTC(2026, 0, 2),
      },
      { role: "branchSummary", summary: "left", fromId: one, timestamp: Date.UTC(2026, 0, 3) },
    ]);
  });

  test("an empty branch summary adds nothing", () => {
    expect(saidOf(session().user("one").branchSummary("root", ""))).toBe("one");
  });

  test("after a compaction: its summary, the kept entries, the later entries", () => {
    const draft = session().user("one").assistant("two").user("three");
    const three = draft.lastId;
    draft.assistant("four").compaction("short", three).user("five");
    expect(saidOf(draft)).toBe("<short> three four five");
    expect(saidOf(draft, three)).toBe("one two three");
  });

  test("the latest compaction on the branch counts, and older ones among its kept entries add nothing", () => {
    const draft = session().user("one");
    const one = draft.lastId;
    draft.assistant("two").compaction("first", one).user("three").compaction("second", one).user("four");
    expect(saidOf(draft)).toBe("<second> one two three four");
  });

  test.each([
    ["an unknown id", "nosuch"],
    ["null", null],
  ])("a compaction with %s as first kept entry keeps none", (_, kept) => {
    expect(saidOf(session().user("one").compaction("short", kept).user("two"))).toBe("<short> two");
  });

  test("a compaction with itself as first kept entry keeps none", () => {
    const draft = session().user("one").compaction("short", "self0000", { id: "self0000" }).user("two");
    expect(saidOf(draft)).toBe("<short> two");
  });

  test("a compaction on another branch adds nothing", () => {
    const draft = session().user("one");
    const one = draft.lastId;
    draft.compaction("short", one).branch(one).assistant("two");
    expect(saidOf(draft)).toBe("one two");
  });

  test("the system prompt that a compaction kept", () => {
    const draft = session()
      .user("one")
      .compaction("short", null, { systemMessage: system("Be brief.") });
    expectDifference("context-system-message", it, saidOf(draft));
  });

  test("system messages among kept entries", () => {
    const draft = session().user("one");
    const one = draft.lastId;
    draft.message(system("Be kind.")).compaction("short", one).message(system("Be brief."));
    expectDifference("context-kept-system-messages", it, saidOf(draft));
  });

  test("edits of the context", () => {
    const draft = session()
      .user("one")
      .assistant("two")
      .toolResult("t", "read", "three")
      .customMessage("note", "four");
    const [one, two, three, four] = ids(draft) as [string, string, string, string];
    draft
      .contextEdit(one, "1")
      .contextEdit(two, "2?")
      .contextEdit(two, "2")
      .contextEdit(three, null)
      .contextEdit(four, "4");
    expectDifference("context-edits", it, saidOf(draft));
    const { messages } = contextOf(draft, it.name === "pidex" ? undefined : two);
    expect(messages.map((message: { role: string }) => message.role).slice(0, 2)).toEqual([
      "user",
      "assistant",
    ]);
    if (it.name === "pidex") {
      expect(messages[0]).toMatchObject({ content: "1" });
      expect(messages[1]).toMatchObject({
        content: [{ type: "text", text: "2" }],
        model: "claude-sonnet-4-5",
      });
      expect(saidOf(draft, four)).toBe("one two three four");
    }
  });

  test("appending an edit", () => {
    const manager = SessionManager.inMemory("/home/ada/shop");
    const one = manager.appendMessage(user("one"));
    const two = manager.appendMessage(assistant("two"));
    const level = manager.appendThinkingLevelChange("high");
    manager.branch(one);
    const three = manager.appendMessage(assistant("three"));
    const outcome = outcomeOf(() => {
      const entry = manager.getEntry(manager.appendContextEdit(three, { content: "3" }));
      expect(entry).toMatchObject({
        type: "context_edit",
        targetId: three,
        replacement: { content: [{ type: "text", text: "3" }] },
      });
      expect(said(manager.buildSessionContext().messages)).toBe("one 3");
      manager.appendContextEdit(three, null);
      expect(said(manager.buildSessionContext().messages)).toBe("one");
      manager.appendContextEdit(one, { content: "1" });
      expect(said(manager.buildSessionContext().messages)).toBe("1");
      const count = manager.getEntries().length;
      expect(() => manager.appendContextEdit("nosuch", null)).toThrow("Entry nosuch not found");
      expect(() => manager.appendContextEdit(two, null)).toThrow(`Entry ${two} is not on the active branch`);
      manager.branch(level);
      expect(() => manager.appendContextEdit(level, null)).toThrow(
        `Entry ${level} does not contribute editable model content`,
      );
      expect(() => manager.appendContextEdit(one, {} as never)).toThrow(
        "Context edit replacement must be null or contain string/array content",
      );
      expect(manager.getEntries()).toHaveLength(count);
    });
    expectDifference("append-context-edit", it, outcome);
  });

  test("the entries of the context", () => {
    const draft = session().user("one").assistant("two").thinking("high");
    const level = draft.lastId;
    draft.compaction("short", level).user("three");
    const entries = draft.entries as unknown as Parameters<typeof buildSessionContext>[0];
    const types = (list: readonly { type: string }[]) => list.map(({ type }) => type).join(" ");
    expectDifference(
      "build-context-entries",
      it,
      it.buildContextEntries ? types(it.buildContextEntries(entries)) : "not available",
    );
    if (it.buildContextEntries) {
      expect(it.buildContextEntries(entries, null)).toEqual([]);
      const manager = SessionManager.inMemory("/home/ada/shop");
      manager.appendMessage(user("one"));
      manager.appendCompaction("short", null, 1);
      expect(types(manager.buildContextEntries())).toBe("compaction");
    }
  });

  test("the projection says which entry each message comes from", () => {
    const draft = session().user("one").thinking("high").assistant("two");
    const entries = draft.entries as unknown as Parameters<typeof buildSessionContext>[0];
    let outcome = "not available";
    if (it.buildSessionProjection) {
      const projection = it.buildSessionProjection(entries);
      outcome = projection.entries.map(({ messages }: { messages: unknown[] }) => messages.length).join(" ");
      expect(projection.entries.map((each: { sourceEntry: unknown }) => each.sourceEntry)).toEqual(entries);
      expect(projection).toMatchObject(contextOf(draft));
      const manager = SessionManager.inMemory("/home/ada/shop");
      manager.appendMessage(user("one"));
      expect(manager.buildSessionProjection()).toMatchObject({
        thinkingLevel: "off",
        entries: [{ messages: [user("one")] }],
      });
    }
    expectDifference("build-session-projection", it, outcome);
  });

  test("projectContextEntry and sessionEntryToContextMessages", () => {
    const draft = session().user("one").contextEdit("x", null);
    const outcome =
      "projectContextEntry" in it && "sessionEntryToContextMessages" in it ? "available" : "not available";
    if (outcome === "available") {
      const [entry, edit] = draft.entries as unknown as Parameters<typeof it.projectContextEntry>;
      expect(said(it.sessionEntryToContextMessages(entry))).toBe("one");
      expect(said(it.projectContextEntry(entry, undefined))).toBe("one");
      expect(it.projectContextEntry(entry, edit)).toEqual([]);
    }
    expectDifference("context-edit-functions", it, outcome);
  });

  test("missing content", () => {
    const draft = session();
    for (const role of ["user", "assistant", "toolResult"]) draft.message({ role, content: null });
    draft.message({ role: "user" });
    expectDifference("content-missing", it, saidOf(draft));
  });

  test("a message entry without its message", () => {
    const draft = session().user("one").entry({ type: "message" }).user("two");
    const outcome = outcomeOf(() => contextOf(draft));
    expectDifference("message-missing", it, outcome === "no error" ? saidOf(draft) : "throws");
  });

  test("a model response without a model", () => {
    const draft = session().assistant("one").message({ role: "assistant", content: [] });
    expectDifference("response-model-missing", it, JSON.stringify(contextOf(draft).model));
  });

  test("missing model and level", () => {
    const draft = session()
      .thinking("high")
      .entry({ type: "thinking_level_change" })
      .entry({ type: "model_change" });
    const { thinkingLevel, model } = contextOf(draft);
    expectDifference("settings-missing", it, JSON.stringify([thinkingLevel ?? "none", model]));
  });

  test("entries that Atomic excludes from the context", () => {
    const draft = session().user("one").customMessage("note", "two", { excludeFromContext: true });
    expectDifference("exclude-from-context", it, saidOf(draft));
  });

  test("the latest compaction among entries", () => {
    type Entries = Parameters<typeof it.getLatestCompactionEntry>[0];
    const draft = session().user("one").compaction("first", null).compaction("second", null).user("two");
    expect(it.getLatestCompactionEntry(draft.entries as unknown as Entries)).toBe(draft.entries[2]);
    expect(it.getLatestCompactionEntry([])).toBeNull();
  });
});
