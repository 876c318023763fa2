import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { session } from "../../../../fixtures/builder.ts";
import { expectDifference } from "../differences.ts";
import { implementations } from "../implementations.ts";
import { assistant, aUsage, system, user } from "../messages.ts";
import { linesOf, outcomeOf, stage } from "../stage.ts";

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe.each(implementations)("$name: the entries", (it) => {
  const { SessionManager } = it;

  test("the header has the version, an id that sorts by time, the time and the cwd", () => {
    const { cwd, home } = stage();
    const manager = SessionManager.create(cwd);
    const header = manager.getHeader();
    expect(header).toEqual({
      type: "session",
      version: it.CURRENT_SESSION_VERSION,
      id: manager.getSessionId(),
      timestamp: expect.stringMatching(ISO),
      cwd,
    });
    expect(manager.getSessionId()).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    const name = `${header?.timestamp.replace(/[:.]/g, "-")}_${header?.id}.jsonl`;
    expect(manager.getSessionFile()).toBe(join(home, name));
    expect(manager.getSessionDir()).toBe(home);
    expect(manager.getCwd()).toBe(cwd);
    expect(manager.isPersisted()).toBe(true);
    expect(it.CURRENT_SESSION_VERSION).toBe(3);
  });

  test("each append adds an entry of its type as a child of the previous one", () => {
    const { cwd } = stage();
    const manager = SessionManager.create(cwd);
    const ids = [
      manager.appendMessage(user("one")),
      manager.appendMessage(assistant("two")),
      manager.appendThinkingLevelChange("high"),
      manager.appendModelChange("openai", "gpt-5.2"),
      manager.appendCustomEntry("state", { a: [1] }),
      manager.appendCustomEntry("state"),
      manager.appendSessionInfo("  shop "),
      manager.appendCustomMessageEntry("note", "look", true, { by: "ext" }),
      manager.appendCustomMessageEntry("note", [{ type: "text", text: "look" }], false),
    ];
    const label = manager.appendLabelChange(ids[1] as string, "here");
    const compaction = manager.appendCompaction("short", ids[1] as string, 1234, { a: 1 }, true);
    const summary = manager.branchWithSummary(ids[1] as string, "left", { b: 2 }, false);
    const entries = linesOf(manager.getSessionFile()).slice(1);
    const base = (n: number) => ({
      id: ids[n],
      parentId: ids[n - 1] ?? null,
      timestamp: expect.stringMatching(ISO),
    });
    expect(entries.slice(0, 9)).toEqual([
      { type: "message", ...base(0), message: user("one") },
      { type: "message", ...base(1), message: assistant("two") },
      { type: "thinking_level_change", ...base(2), thinkingLevel: "high" },
      { type: "model_change", ...base(3), provider: "openai", modelId: "gpt-5.2" },
      { type: "custom", ...base(4), customType: "state", data: { a: [1] } },
      { type: "custom", ...base(5), customType: "state" },
      { type: "session_info", ...base(6), name: "shop" },
      {
        type: "custom_message",
        ...base(7),
        customType: "note",
        content: "look",
        display: true,
        details: { by: "ext" },
      },
      {
        type: "custom_message",
        ...base(8),
        customType: "note",
        content: [{ type: "text", text: "look" }],
        display: false,
      },
    ]);
    expect(entries.slice(9)).toMatchObject([
      { type: "label", id: label, parentId: ids[8], targetId: ids[1], label: "here" },
      {
        type: "compaction",
        id: compaction,
        parentId: label,
        summary: "short",
        firstKeptEntryId: ids[1],
        tokensBefore: 1234,
        details: { a: 1 },
        fromHook: true,
      },
      {
        type: "branch_summary",
        id: summary,
        parentId: ids[1],
        summary: "left",
        details: { b: 2 },
        fromHook: false,
      },
    ]);
    const every = [...ids, label, compaction, summary];
    expect(every.every((id) => /^[0-9a-f]{8}$/.test(id))).toBe(true);
    expect(new Set(every).size).toBe(every.length);
  });

  test("fields are in pi's order", () => {
    const { cwd } = stage();
    const manager = SessionManager.create(cwd);
    const one = manager.appendMessage(user("one"));
    manager.appendMessage(assistant("two"));
    manager.appendCustomEntry("state", 1);
    manager.appendCompaction("short", one, 1, { a: 1 }, true);
    manager.appendCustomMessageEntry("note", "look", true, {});
    manager.appendLabelChange(one, "x");
    manager.appendSessionInfo("shop");
    manager.branchWithSummary(one, "left", {}, true);
    const keys = linesOf(manager.getSessionFile()).map((line) => Object.keys(line).join(" "));
    expect(keys).toEqual([
      "type version id timestamp cwd",
      "type id parentId timestamp message",
      "type id parentId timestamp message",
      "type customType data id parentId timestamp",
      "type id parentId timestamp summary firstKeptEntryId tokensBefore details fromHook",
      "type customType content display details id parentId timestamp",
      "type id parentId timestamp targetId label",
      "type id parentId timestamp name",
      "type id parentId timestamp fromId summary details fromHook",
    ]);
  });

  test("a message is stored unchanged, with lone surrogates and NUL", () => {
    const { cwd } = stage();
    const manager = SessionManager.create(cwd);
    const odd = user("\ud800 \u0000 \u2028 \udfff \u{1f600}");
    const id = manager.appendMessage(odd);
    manager.appendMessage(assistant("two"));
    expect(manager.getEntry(id)).toMatchObject({ message: odd });
    expect(SessionManager.open(manager.getSessionFile() as string).getEntry(id)).toMatchObject({
      message: odd,
    });
  });

  test("a name with newlines in it", () => {
    const { cwd } = stage();
    const manager = SessionManager.create(cwd);
    manager.appendSessionInfo(" a\r\n\nb ");
    expectDifference("name-newlines", it, JSON.stringify(manager.getSessionName()));
    const file = stage().write("a.jsonl", session({ cwd }).user("one").name(" c\nd "));
    expect(SessionManager.open(file).getSessionName()).toBe("c\nd");
  });

  test("the last name on any branch counts, and an empty one clears it", () => {
    const { cwd } = stage();
    const manager = SessionManager.inMemory(cwd);
    expect(manager.getSessionName()).toBeUndefined();
    const one = manager.appendMessage(user("one"));
    manager.appendSessionInfo("first");
    manager.appendSessionInfo("second");
    manager.branch(one);
    manager.appendMessage(user("two"));
    expect(manager.getSessionName()).toBe("second");
    manager.appendSessionInfo("   ");
    expect(manager.getSessionName()).toBeUndefined();
  });

  test("usage of a summary's model call", () => {
    const { cwd } = stage();
    const manager = SessionManager.inMemory(cwd);
    const one = manager.appendMessage(user("one"));
    const compaction = manager.getEntry(
      manager.appendCompaction("short", one, 1, undefined, undefined, aUsage),
    );
    const summary = manager.getEntry(manager.branchWithSummary(one, "left", undefined, undefined, aUsage));
    const kept = [compaction, summary].filter((entry) => entry && "usage" in entry).length;
    expectDifference("usage-of-summaries", it, `is on ${kept} of 2 entries`);
  });

  test("a compaction that keeps no entries", () => {
    const { cwd } = stage();
    const manager = SessionManager.inMemory(cwd);
    manager.appendMessage(user("one"));
    const id = manager.appendCompaction("short", null as unknown as string, 1);
    const { firstKeptEntryId } = manager.getEntry(id) as unknown as { firstKeptEntryId: unknown };
    expectDifference(
      "compaction-keeps-nothing",
      it,
      firstKeptEntryId === id ? "its own id" : String(firstKeptEntryId),
    );
    expect(manager.buildSessionContext().messages).toMatchObject([{ role: "compactionSummary" }]);
  });

  test("the system prompt at a compaction", () => {
    const { cwd } = stage();
    const manager = SessionManager.inMemory(cwd);
    manager.appendMessage({ ...system("Be brief."), sections: { a: "A", b: "B" } });
    const one = manager.appendMessage(user("one"));
    manager.appendMessage({ ...system("Be kind."), sections: { a: null } });
    const entry = manager.getEntry(manager.appendCompaction("short", one, 1)) as unknown as Record<
      string,
      unknown
    >;
    const prompt = entry.systemMessage as Record<string, unknown> | undefined;
    expectDifference(
      "compaction-system-message",
      it,
      prompt ? JSON.stringify([prompt.content, prompt.sections]) : "is not kept",
    );
    if (prompt) expect(prompt.timestamp).toBe(Date.parse(String(entry.timestamp)));
  });

  test("usage outside messages", () => {
    const { cwd } = stage();
    const manager = SessionManager.inMemory(cwd);
    manager.appendMessage(user("one"));
    const outcome = outcomeOf(() => {
      const entry = manager.appendUsage("cache_warm", "anthropic", "claude-sonnet-4-5", aUsage, "kept warm");
      expect(entry).toMatchObject({ type: "usage", kind: "cache_warm", usage: aUsage, note: "kept warm" });
      expect(entry).toEqual(manager.getLeafEntry());
      expect(manager.appendUsage("title", "a", "b", aUsage)).not.toHaveProperty("note");
      expect(manager.buildSessionContext().messages).toHaveLength(1);
    });
    expectDifference("append-usage", it, outcome);
  });
});
