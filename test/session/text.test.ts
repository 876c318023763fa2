import { describe, expect, test } from "vitest";
import { image, text, thinking, toolCall } from "../../fixtures/blocks.ts";
import { catalog } from "../../fixtures/catalog.ts";
import type { Entry } from "../../src/session/entries.ts";
import { parseEntry } from "../../src/session/parse.ts";
import {
  type EntryText,
  extractContentText,
  extractEntryText,
  extractToolCalls,
} from "../../src/session/text.ts";
import { readWhole } from "./open-file.ts";

const entry = (fields: object): Entry => parseEntry({ ...fields }, { byteOffset: 0, line: 1 }).value;
const message = (role: string, fields: object): Entry =>
  entry({ type: "message", message: { role, ...fields } });
const nothing: EntryText = { said: "", thought: "", called: "", output: "" };

describe("the text of", () => {
  test.each<[string, Entry, Partial<EntryText>]>([
    [
      "a user message",
      message("user", { content: [text("one"), image(), text("two")] }),
      { said: "one two" },
    ],
    ["a user message that is a string", message("user", { content: "words" }), { said: "words" }],
    ["a custom role", message("custom", { customType: "x", content: "words" }), { said: "words" }],
    [
      "an assistant message",
      message("assistant", {
        content: [
          thinking("hm", "c2lnbmF0dXJl"),
          text("It is."),
          toolCall("toolu_1", "bash", { command: "ls" }),
          text("Done."),
          thinking("so"),
          { type: "video", text: "unknown" },
        ],
      }),
      { said: "It is.\nDone.", thought: "hm\nso", called: "bash ls" },
    ],
    ["an assistant's string", message("assistant", { content: "old" }), { said: "old" }],
    [
      "an assistant's error",
      message("assistant", { content: [text("so far")], errorMessage: "429 overloaded" }),
      { said: "so far\n429 overloaded" },
    ],
    [
      "a tool result",
      message("toolResult", { toolName: "read", content: [text("out"), image()], details: { diff: "no" } }),
      { output: "out" },
    ],
    [
      "a shell command",
      message("bashExecution", { command: "ls", output: "a.txt" }),
      { called: "ls", output: "a.txt" },
    ],
    ["a branch summary as a message", message("branchSummary", { summary: "went" }), { said: "went" }],
    ["a compaction summary as a message", message("compactionSummary", { summary: "was" }), { said: "was" }],
    ["a system prompt", message("system", { content: "You are" }), {}],
    ["an unknown role", message("narrator", { content: "Once" }), {}],
    ["a message that is missing", entry({ type: "message" }), {}],
    [
      "a compaction",
      entry({ type: "compaction", summary: "s", systemMessage: { role: "system", content: "no" } }),
      { said: "s" },
    ],
    [
      "a branch summary",
      entry({ type: "branch_summary", summary: "s", details: { files: ["no"] } }),
      { said: "s" },
    ],
    ["Atomic's session summary", entry({ type: "session_summary", summary: "s" }), { said: "s" }],
    [
      "a custom message",
      entry({ type: "custom_message", content: [text("c")], details: "no" }),
      { said: "c" },
    ],
    ["custom state", entry({ type: "custom", customType: "x", data: { secret: "no" } }), {}],
    ["a label", entry({ type: "label", targetId: "a", label: "here" }), { said: "here" }],
    ["a cleared label", entry({ type: "label", targetId: "a", label: null }), {}],
    ["a name", entry({ type: "session_info", name: "n" }), { said: "n" }],
    ["a usage note", entry({ type: "usage", note: "title" }), { said: "title" }],
    ["a context edit", entry({ type: "context_edit", replacement: { content: "no" } }), {}],
    ["a model change", entry({ type: "model_change", provider: "openai", modelId: "gpt-5.2" }), {}],
    ["an unknown type", entry({ type: "voice_note", text: "no" }), {}],
  ])("%s", (_, entry, expected) => {
    expect(extractEntryText(entry)).toEqual({ ...nothing, ...expected });
  });

  test("tool arguments is their strings and numbers, in order, 8 levels deep, without their names", () => {
    const args = { path: "a.ts", edits: [{ old: "x", line: 5, all: true, none: null }], deep: {} };
    let deep: object = args;
    for (let level = 0; level < 12; level++) deep = Object.assign(deep, { l: { word: `level-${level}` } }).l;
    const { called } = extractEntryText(message("assistant", { content: [toolCall("1", "edit", args)] }));
    expect(called.split("\n").slice(0, 3)).toEqual(["edit a.ts", "x", "5"]);
    expect(called).toContain("level-5");
    expect(called).not.toContain("level-10");
  });

  test("blocks without content is empty", () => {
    const content = [{ type: "text" }, { type: "thinking" }, { type: "toolCall" }, {}, null];
    expect(extractEntryText(message("assistant", { content })).said).toBe("");
    expect(extractContentText(undefined)).toBe("");
    expect(extractContentText(null)).toBe("");
  });

  test("every fixture is free of images and signatures", () => {
    for (const { session } of catalog) {
      for (const { entry } of readWhole(session.bytes()).lines) {
        const words = entry ? Object.values(extractEntryText(entry)).join(" ") : "";
        expect(words).not.toContain("iVBORw0KGgo");
        expect(words).not.toMatch(/[A-Za-z0-9+/]{200}/);
      }
    }
  });
});

describe("tool calls", () => {
  test("are those of assistant messages, with the fields that each has", () => {
    const content = [text("x"), toolCall("1", "ls", { path: "." }), { type: "toolCall", arguments: null }];
    expect(extractToolCalls(message("assistant", { content }))).toEqual([
      { id: "1", name: "ls", arguments: { path: "." } },
      { id: undefined, name: undefined, arguments: undefined },
    ]);
    expect(extractToolCalls(message("user", { content }))).toEqual([]);
    expect(extractToolCalls(message("assistant", { content: "toolCall" }))).toEqual([]);
    expect(extractToolCalls(entry({ type: "custom" }))).toEqual([]);
  });
});
