import { expect, test } from "vitest";
import type { Part } from "../../../bin/format/parts.ts";
import { formatPreview } from "../../../bin/format/preview.ts";
import { contentBlocks, findToolResult, toTranscript } from "../../../bin/format/transcript.ts";
import type { Entry } from "../../../library/index.ts";

const custom = (data: unknown, customType = "pidex") => ({ type: "custom", customType, data }) as Entry;
const noticeIn = ({ kind, parts }: ReturnType<typeof toTranscript>): string =>
  kind === "metadata" && parts[0]?.kind === "notice" ? parts[0].text : "";

test.each([
  [{ pinned: true }, "pinned"],
  [{ pinned: false }, "unpinned"],
  [{ archived: true }, "archived"],
  [{ archived: false, pinned: true }, "pinned; unarchived"],
  [{ tags: ["money", "bug\n\u202e"] }, "tags money, bug"],
  [{ tags: [] }, "no tags"],
])("changes of session metadata are described: %j", (data, words) => {
  expect(noticeIn(toTranscript(custom(data)))).toContain(words);
  expect(noticeIn(toTranscript(custom(data)))).not.toMatch(/[\n\u202e]/);
  expect(formatPreview(custom(data), 80)).toContain(words);
});

test.each<[string, Record<string, unknown>, string[]]>([
  ["the model", { model: "opus-5" }, ["opus-5"]],
  ["the thinking level and duration", { thinkingLevel: "high", durationMs: 4_210 }, ["thinking high", "4s"]],
  [
    "the requested thinking level, if it differs",
    { thinkingLevel: "minimal", providerThinkingLevel: "low" },
    ["thinking minimal (low at the provider)"],
  ],
  [
    "no thinking level if off",
    { model: "opus-5", thinkingLevel: "off", providerThinkingLevel: "none" },
    ["opus-5"],
  ],
  ["that the response is deferred", { stopReason: "deferred" }, ["deferred"]],
  ["no null fields", { model: "x", thinkingLevel: null, durationMs: null }, ["x"]],
])("the heading of a response contains %s", (_, message, facts) => {
  const entry = { type: "message", message: { role: "assistant", ...message } } as Entry;
  expect(toTranscript(entry).heading.facts).toEqual(facts);
});

test.each([[{ pinned: "yes" }], [{ tags: [1] }], [{}], [null], ["pinned"], [undefined]])(
  "invalid session metadata is shown as data: %j",
  (data) => {
    expect(toTranscript(custom(data)).kind).toBe("data");
    expect(toTranscript(custom({ pinned: true }, "another")).kind).toBe("data");
  },
);

test("every part of a response is in the model, in order", () => {
  const parts = partsOf({
    role: "assistant",
    content: [
      { type: "thinking", thinking: "hm" },
      { type: "text", text: "Look:" },
      { type: "toolCall", id: "c", name: "read", arguments: { path: "a.ts" } },
      { type: "image", mimeType: "image/png", data: "AAAA" },
      { type: "video" },
    ],
    errorMessage: "rate limit",
    stopReason: "aborted",
  });
  expect(parts).toEqual([
    { kind: "thinking", text: "hm" },
    { kind: "text", text: "Look:" },
    { kind: "call", id: "c", name: "read", arguments: { path: "a.ts" } },
    { kind: "image", image: { type: "image", mimeType: "image/png", data: "AAAA" }, position: 3 },
    { kind: "unknown-block", block: { type: "video" } },
    { kind: "error", text: "rate limit" },
  ]);
  const stopped = { role: "assistant", content: null, stopReason: "aborted" } as const;
  expect(partsOf(stopped)).toEqual([{ kind: "aborted" }]);
  expect(partsOf({ ...stopped, errorMessage: "Request was aborted." })).toEqual([{ kind: "aborted" }]);
});

test("a result has its output, its nested calls and its diff", () => {
  const entry = said({
    role: "toolResult",
    toolCallId: "c",
    toolName: "edit",
    isError: true,
    content: "no such text",
    details: { diff: "-a\n+b" },
    nestedCalls: { calls: [{ id: "c/1", name: "read", status: "ok" }] },
  });
  expect(toTranscript(entry)).toMatchObject({ kind: "tool", heading: { who: "edit failed", color: "red" } });
  const result = findToolResult(entry);
  expect(result).toMatchObject({ callId: "c", isError: true, diff: "-a\n+b" });
  expect(result?.content).toEqual([{ kind: "text", text: "no such text" }]);
  expect(result?.nested?.calls.map(({ name }) => name)).toEqual(["read"]);
  expect(findToolResult(said({ role: "user", content: "c" }))).toBeUndefined();
});

test("an entry without id, time and message is a notice with an invalid time", () => {
  const { kind, heading } = toTranscript({ type: "message" });
  expect(kind).toBe("notice");
  expect(heading.time.getTime()).toBeNaN();
  expect(heading.id).toBeUndefined();
});

test.each(["constructor", "__proto__", "toString", ""])("the type and role %j are unknown", (name) => {
  expect(toTranscript({ type: name } as Entry)).toMatchObject({ kind: "data", heading: { who: name } });
  expect(toTranscript(said({ role: name }))).toMatchObject({ kind: "unknown", heading: { who: name } });
});

test("the content blocks of an entry are those of its message, or its own", () => {
  const content = [{ type: "text", text: "a" }];
  expect(contentBlocks(said({ role: "user", content }))).toEqual(content);
  expect(contentBlocks({ type: "custom_message", content } as Entry)).toEqual(content);
  expect(contentBlocks(said({ role: "user", content: "a" }))).toEqual([]);
  expect(contentBlocks({ type: "message" })).toEqual([]);
});

function said(message: object): Entry {
  return { type: "message", message } as Entry;
}

function partsOf(message: object): Part[] {
  return toTranscript(said(message)).parts;
}
