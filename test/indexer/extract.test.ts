import { describe, expect, test } from "vitest";
import { type Fields, image, text, thinking, toolCall } from "../../fixtures/blocks.ts";
import { extract, parseTime } from "../../indexer/extract.ts";
import { addEntryToSummary, createSummary, getModifiedTime, ModelCounter } from "../../indexer/summarize.ts";
import { parseEntry, parseHeader } from "../../src/session/parse.ts";
import { prepareText } from "../../src/store/words/prepare-text.ts";

const at = { byteOffset: 0, line: 2 };
const entryOf = (object: Fields) => parseEntry(object, at).value;
const read = (object: Fields) => extract(entryOf(object), at, "/home/ada/shop");
const message = (fields: Fields, rest: Fields = {}): Fields => ({
  type: "message",
  id: "a",
  ...rest,
  message: fields,
});
const words = (object: Fields) => read(object).words;

describe("an entry's row", () => {
  test("has its position in the tree, its role and its time", () => {
    const entry = message(
      { role: "user", content: "hello" },
      { parentId: "p", timestamp: "2026-01-05T09:00:00.000Z" },
    );
    expect(read(entry)).toMatchObject({
      id: "a",
      parentId: "p",
      type: "message",
      role: "user",
      timestamp: Date.UTC(2026, 0, 5, 9),
    });
  });

  test.each<[string, Fields, Fields]>([
    [
      "without id, parent and time",
      { type: "custom" },
      { id: null, parentId: null, timestamp: null, role: null },
    ],
    ["with a number for an id", { type: "custom", id: 5, parentId: "5" }, { id: 5, parentId: "5" }],
    ["with an invalid time", { type: "custom", timestamp: "soon" }, { timestamp: null }],
    ["of an unknown type", { type: "voice_note" }, { type: "voice_note" }],
    ["without a type", { note: 1 }, { type: "" }],
    ["with an unknown role", message({ role: "narrator" }), { role: "narrator" }],
    ["without a role", message({ content: "x" }), { role: null }],
    ["without its message", { type: "message" }, { role: null, words: null }],
  ])("is made of one %s", (_, entry, expected) => {
    expect(read(entry)).toMatchObject(expected);
  });

  test("is the same every time", () => {
    const entry = message({ role: "assistant", content: [text("a"), toolCall("c", "read", { path: "x" })] });
    expect(read(entry)).toEqual(read(entry));
  });
});

describe("an entry reports a failure", () => {
  test.each<[string, Fields, boolean]>([
    ["a tool's", { role: "toolResult", isError: true }, true],
    ["a command's", { role: "bashExecution", exitCode: 1 }, true],
    ["a killed command's", { role: "bashExecution", exitCode: -9 }, true],
    ["a model's", { role: "assistant", stopReason: "error" }, true],
    ["a model's, in words", { role: "assistant", stopReason: "aborted", errorMessage: "rate limit" }, true],
    [
      "not for a response that the user stopped",
      { role: "assistant", stopReason: "aborted", errorMessage: "Request was aborted." },
      false,
    ],
    ["not for a successful tool", { role: "toolResult", isError: false }, false],
    ["not for a successful command", { role: "bashExecution", exitCode: 0 }, false],
    ["not for a cancelled command", { role: "bashExecution", exitCode: null, cancelled: true }, false],
    ["not for a completed response", { role: "assistant", stopReason: "stop", errorMessage: "" }, false],
    ["not for a user", { role: "user", content: "error", isError: true }, false],
  ])("when it is %s", (_, fields, failed) => {
    expect(read(message(fields)).isFailed).toBe(failed);
  });

  test("never without a message", () => {
    expect(read({ type: "compaction", id: "a", isError: true }).isFailed).toBe(false);
  });
});

test("only a result has a tool", () => {
  expect(read(message({ role: "toolResult", toolName: "read" })).tool).toBe("read");
  expect(read(message({ role: "toolResult" })).tool).toBeNull();
  expect(read(message({ role: "assistant", toolName: "read" })).tool).toBeNull();
});

describe("words", () => {
  test("are separated by part", () => {
    const content = [
      thinking("I wonder"),
      text("I say"),
      toolCall("c", "grep", { pattern: "find", deep: { n: 7 } }),
    ];
    expect(words(message({ role: "assistant", content }))).toEqual({
      said: "I say",
      thought: "I wonder",
      called: "grep find\n7",
      output: "",
    });
  });

  test("are prepared for the index", () => {
    expect(words(message({ role: "user", content: "parseEntries 数据库" }))?.said).toBe(
      prepareText("parseEntries 数据库"),
    );
  });

  test.each<[string, Fields]>([
    ["only an image", message({ role: "user", content: [image()] })],
    ["a system prompt", message({ role: "system", content: "You are" })],
    ["a model change", { type: "model_change", provider: "anthropic", modelId: "m" }],
    ["an extension's state", { type: "custom", customType: "todo", data: { text: "milk" } }],
    ["a cleared label", { type: "label", targetId: "a" }],
    ["a cleared name", { type: "session_info", name: "" }],
    ["an empty message", message({ role: "user", content: null })],
  ])("of %s are empty", (_, entry) => {
    expect(words(entry)).toBeNull();
  });

  const long = (length: number) => `${"a ".repeat(length / 2)}omega`;
  test.each<[string, Fields, number]>([
    ["messages", message({ role: "user", content: long(200_000) }), 80_000],
    ["a tool's output", message({ role: "toolResult", content: long(200_000) }), 10_000],
    [
      "a failed tool's output",
      message({ role: "toolResult", isError: true, content: long(200_000) }),
      10_000,
    ],
    ["a file that was read", message({ role: "toolResult", toolName: "read", content: long(200_000) }), 800],
    ["a shell command's output", message({ role: "bashExecution", output: long(200_000) }), 10_000],
  ])("of %s are limited to the head and the tail", (_, entry, most) => {
    const { said = "", output = "" } = words(entry) ?? {};
    expect(said.length + output.length).toBeLessThanOrEqual(most + " ª ".length);
    expect(said + output).toMatch(/^a a [\s\S]*omega$/);
  });
});

describe("tool calls", () => {
  const calls = (...content: Fields[]) => read(message({ role: "assistant", content })).toolCalls;

  test("and their results have the same call id", () => {
    const [call, other] = calls(toolCall("toolu_1", "read", {}), toolCall("toolu_2", "read", {}));
    const result = read(message({ role: "toolResult", toolCallId: "toolu_1", isError: true })).toolResult;
    expect(result).toEqual({ call: call?.call, isError: true, duration: null });
    expect(other?.call).not.toBe(call?.call);
    expect(Number.isSafeInteger(call?.call)).toBe(true);
  });

  test("without id, name and arguments are kept", () => {
    expect(calls({ type: "toolCall" })).toEqual([{ call: expect.any(Number), name: "" }]);
  });

  test("are found in assistant messages only", () => {
    expect(read(message({ role: "user", content: [toolCall("1", "read", {})] })).toolCalls).toEqual([]);
  });
});

test.each<[string, Fields, unknown]>([
  ["set", { targetId: "t", label: "best" }, { targetId: "t", label: "best" }],
  ["set on a number", { targetId: 5, label: "best" }, { targetId: 5, label: "best" }],
  ["cleared by its absence", { targetId: "t" }, { targetId: "t", label: null }],
  ["cleared by an empty one", { targetId: "t", label: "" }, { targetId: "t", label: null }],
  ["cleared by null", { targetId: "t", label: null }, { targetId: "t", label: null }],
  ["without a target", { label: "best" }, null],
])("a label %s", (_, fields, label) => {
  expect(read({ type: "label", id: "a", ...fields }).label).toEqual(label);
});

test.each([
  ["2026-01-05T09:00:00.000Z", Date.UTC(2026, 0, 5, 9)],
  ["yesterday", null],
  ["", null],
  [undefined, null],
])("the time of %j is %j", (timestamp, time) => {
  expect(parseTime(timestamp)).toBe(time);
});

describe("a session's summary", () => {
  const summaryOf = (header: Fields, ...entries: Fields[]) => {
    const summary = createSummary(parseHeader({ type: "session", ...header }, at).value);
    for (const entry of entries) addEntryToSummary(summary, entryOf(entry), () => []);
    return summary;
  };
  const said = (role: string, fields: Fields = {}) => message({ role, ...fields });

  test("counts all messages, user messages and assistant messages", () => {
    const roles = ["user", "assistant", "assistant", "toolResult", "custom", "narrator"];
    const summary = summaryOf(
      {},
      ...roles.map((role) => said(role)),
      { type: "message" },
      { type: "custom" },
    );
    expect(summary).toMatchObject({ entry_count: 8, message_count: 7, user_count: 1, assistant_count: 2 });
  });

  test("takes the user's first words", () => {
    const blank = said("user", { content: [image()] });
    const first = said("user", { content: [text("one"), text("two")] });
    expect(summaryOf({}, said("assistant", { content: "hi" }), blank, first, blank).first_message).toBe(
      "one two",
    );
  });

  test("takes the latest name, or none if it is blank", () => {
    const named = (name?: unknown) => ({ type: "session_info", name });
    expect(summaryOf({}, named("a"), named("  b  ")).name).toBe("b");
    expect(summaryOf({}, named("a"), named(" ")).name).toBeNull();
    expect(summaryOf({}, named("a"), named()).name).toBeNull();
  });

  test("takes the latest model, also from assistant messages", () => {
    const change = { type: "model_change", provider: "openai", modelId: "gpt" };
    const answer = said("assistant", { provider: "anthropic", model: "claude" });
    expect(summaryOf({ provider: "old", modelId: "m" })).toMatchObject({ provider: "old", model: "m" });
    expect(summaryOf({}, answer, change)).toMatchObject({ provider: "openai", model: "gpt" });
    expect(summaryOf({}, change, answer)).toMatchObject({ provider: "anthropic", model: "claude" });
  });

  test("takes the provider from a model's name if there is no other source", () => {
    const named = { provider: "openrouter", model: "anthropic/m" };
    const changes = [{ model: "openrouter/anthropic/m" }, { modelId: "openrouter/anthropic/m" }];
    for (const change of changes) {
      expect(summaryOf({}, { type: "model_change", ...change })).toMatchObject(named);
    }
    expect(summaryOf({}, { type: "model_change", ...named })).toMatchObject(named);
    expect(summaryOf({}, said("assistant", { model: "openrouter/anthropic/m" }))).toMatchObject(named);
    expect(summaryOf({}, said("assistant", named))).toMatchObject(named);
  });

  test("ignores a model in the header that is not a string", () => {
    expect(summaryOf({ provider: null, modelId: { id: 1 } })).toMatchObject({ provider: null, model: null });
  });

  test("has the time of its newest message, in any order of times", () => {
    const timed = (role: string, timestamp: unknown, entry: Fields = {}) =>
      message({ role, content: "x", timestamp }, entry);
    const iso = { timestamp: "2026-01-05T09:00:00.000Z" };
    expect(summaryOf({}, timed("user", 2_000.7), timed("assistant", 1_000)).last_message).toBe(2_000);
    expect(summaryOf({}, timed("user", undefined, iso)).last_message).toBe(Date.UTC(2026, 0, 5, 9));
    expect(summaryOf({}, timed("toolResult", 9_000)).last_message).toBeNull();
    expect(summaryOf({}, message({ role: "user" }, iso)).last_message).toBeNull();
  });

  test("without messages has the time of its header, otherwise of its file", () => {
    const mtime = "5000000000000";
    expect(getModifiedTime(summaryOf({ timestamp: "2026-01-05T09:00:00.000Z" }), mtime)).toBe(
      Date.UTC(2026, 0, 5, 9),
    );
    expect(getModifiedTime(summaryOf({ timestamp: "yesterday" }), mtime)).toBe(5_000_000);
  });

  test("has its parent session, also from the old field", () => {
    expect(summaryOf({ parentSession: "/a", branchedFrom: "/b" }).parent_session).toBe("/a");
    expect(summaryOf({ branchedFrom: "/b" }).parent_session).toBe("/b");
    expect(summaryOf({ internal: true }).internal).toBe(1);
  });

  test("counts the messages of each model", () => {
    const count = new ModelCounter();
    const answer = (provider?: string, model?: string) => entryOf(said("assistant", { provider, model }));
    for (const entry of [answer("a", "m"), answer("b", "m"), answer("a", "m"), answer()]) count.add(entry);
    count.add(entryOf(said("user")));
    expect([...count.counts()]).toEqual([
      { provider: "a", model: "m", messages: 2 },
      { provider: "b", model: "m", messages: 1 },
      { provider: "", model: "", messages: 1 },
    ]);
  });
});
