import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { extract } from "../../indexer/extract.ts";
import { MAX_NESTED_CALLS, parseNestedCalls } from "../../src/session/nested-calls.ts";
import { parseEntry } from "../../src/session/parse.ts";
import type { AssistantMessage, ToolCall, ToolResultMessage } from "../../src/session/session-types.ts";
import { extractEntryText } from "../../src/session/text.ts";

const at = { byteOffset: 0, line: 2 };

/** A line written by pi 1.5.2. */
const LINE = String.raw`{"type":"message","id":"b0dcea63","parentId":"63859344","timestamp":"2026-11-23T13:38:30.366Z","message":{"role":"toolResult","toolCallId":"call_change","toolName":"codemode","content":[{"type":"text","text":"Script completed\nWall time 0.1 seconds\nOutput:\n"},{"type":"text","text":"changed"}],"details":{"calls":[{"id":"call_change/1","name":"edit","args":"{\"path\":\"src/order.ts\",\"edits\":[{\"oldText\":\"0.19\",\"newText\":\"0.20\"}]}","status":"ok","durationMs":5.703133999999977},{"id":"call_change/2","name":"write","args":"{\"path\":\"docs/tax.md\",\"content\":\"# Tax\\n\\nThe rate is 20 %.\\n\"}","status":"ok","durationMs":1.2291179999999713},{"id":"call_change/3","name":"write","args":"{\"path\":\"src/generated.ts\",\"content\":\"// rate\\n// rate\\n// rate\\n// rate\\n// rate\\n// rate\\n// rate\\n// rate\\n// rate\\n// rate\\n// rate\\n// rate\\n// rate\\n// rate\\n// rate\\n// rate\\n// rate\\n// rat...","status":"ok","durationMs":1.1072970000000169}]},"isError":false,"durationMs":113,"timestamp":1795441110366,"nestedCalls":{"calls":[{"id":"call_change/1","name":"edit","status":"ok","arguments":{"path":"src/order.ts","edits":[{"oldText":"0.19","newText":"0.20"}]},"durationMs":6},{"id":"call_change/2","name":"write","status":"ok","arguments":{"path":"docs/tax.md","content":"# Tax\n\nThe rate is 20 %.\n"},"durationMs":1},{"id":"call_change/3","name":"write","status":"ok","argumentsBytes":27040,"durationMs":1}],"complete":false}}}`;

const call = (id: string, fields: object = {}) => ({ id, name: "read", status: "ok", ...fields });
const read = (calls: unknown[], fields: object = {}) =>
  parseNestedCalls({ toolCallId: "c", nestedCalls: { calls, complete: true }, ...fields });

describe("pi's record of nested calls", () => {
  test("is read, with overlong arguments as far as codemode shows them", () => {
    const { value, problems } = parseEntry(JSON.parse(LINE), at);
    expect(problems).toEqual([]);
    const message = value.type === "message" && value.message?.role === "toolResult" ? value.message : {};
    expect(parseNestedCalls(message)).toEqual({
      isComplete: false,
      omitted: 0,
      calls: [
        {
          id: "call_change/1",
          name: "edit",
          arguments: { path: "src/order.ts", edits: [{ oldText: "0.19", newText: "0.20" }] },
          argumentsBytes: undefined,
          status: "ok",
          durationMs: 6,
          error: undefined,
          depth: 0,
        },
        expect.objectContaining({ id: "call_change/2", depth: 0 }),
        expect.objectContaining({
          id: "call_change/3",
          arguments: { path: "src/generated.ts" },
          argumentsBytes: 27_040,
        }),
      ],
    });
  });

  test("has each call before its nested calls, at any depth", () => {
    const found = read([
      call("c/1"),
      call("c/2"),
      call("c/1/1"),
      call("c/2/1"),
      call("c/1/1/1"),
      call("c/1/2"),
    ]);
    expect(found?.calls.map(({ id, depth }) => `${id} ${depth}`)).toEqual([
      "c/1 0",
      "c/1/1 1",
      "c/1/1/1 2",
      "c/1/2 1",
      "c/2 0",
      "c/2/1 1",
    ]);
  });

  test("includes calls that pi omits, as far as codemode shows them, but no calls of models", () => {
    const details = {
      calls: [
        { id: "c/1", name: "read", args: "{}", status: "ok" },
        { id: "c/2", name: "ls", args: '{"path":"src"}', status: "error", error: "gone" },
        { id: "c/classify/1", name: "models.classify", args: "typesafe/jev", status: "ok" },
      ],
    };
    const found = read([], { details, nestedCalls: { calls: [call("c/1")], complete: false } });
    expect(found?.calls.map(({ id, status, arguments: args }) => [id, status, args])).toEqual([
      ["c/1", "ok", undefined],
      ["c/2", "error", { path: "src" }],
    ]);
  });

  test.each<[string, unknown]>([
    ["a plain array", [call("c/1"), call("c/1/1")]],
    ["lists within calls", { calls: [call("", { nestedCalls: [call("")] })] }],
    ["records within calls", { calls: [call("", { nestedCalls: { calls: [call("")] } })] }],
  ])("is read as %s too", (_, record) => {
    expect(parseNestedCalls({ nestedCalls: record })?.calls.map(({ depth }) => depth)).toEqual([0, 1]);
  });

  test.each<[string, object, string]>([
    ["its status", { status: "error" }, "error"],
    ["a flag", { status: undefined, isError: false }, "ok"],
    ["an error", { status: undefined, error: "gone" }, "error"],
    ["nothing", { status: undefined }, "unfinished"],
    ["a status that is not known", { status: "paused" }, "unfinished"],
  ])("derives the status of a call from %s", (_, fields, status) => {
    expect(read([call("c/1", fields)])?.calls[0]?.status).toBe(status);
  });
});

describe("with any value in the record", () => {
  test("no error is thrown, and calls are valid", () => {
    const anything = fc.anything({ maxDepth: 4 });
    const record = fc.oneof(
      anything,
      fc.record({ calls: fc.oneof(anything, fc.array(anything)), complete: anything }),
    );
    fc.assert(
      fc.property(record, anything, anything, (nested, details, durationMs) => {
        const message = { role: "toolResult", toolCallId: "c", nestedCalls: nested, details, durationMs };
        const { value } = parseEntry({ type: "message", message }, at);
        extractEntryText(value);
        const row = extract(value, at, "");
        expect(row.nestedCalls.length).toBe(parseNestedCalls(message)?.calls.length ?? 0);
      }),
    );
  });

  test("the entry stays an entry, with fields of any type", () => {
    const odd = {
      durationMs: "x",
      thinkingLevel: 3,
      diagnostics: 1,
      rawStopReason: {},
      endTurn: "no",
      deferred: 0,
    };
    const content = [{ type: "toolCall", id: "c", name: "read", arguments: {}, namespace: 4 }];
    const { value } = parseEntry(
      {
        type: "message",
        id: "a",
        message: { role: "assistant", content, providerThinkingLevel: [], ...odd },
      },
      at,
    );
    expect(value).toMatchObject({ type: "message", message: { role: "assistant" } });
    expect(extractEntryText(value).called).toContain("read");
  });

  test("a chain of 100,000 calls is read up to the limit", () => {
    let chain: object[] = [];
    for (let n = 0; n < 100_000; n++) chain = [call("", { nestedCalls: chain })];
    const found = parseNestedCalls({ nestedCalls: chain });
    expect([found?.calls.length, found?.calls.at(-1)?.depth, found?.omitted]).toEqual([
      MAX_NESTED_CALLS,
      MAX_NESTED_CALLS - 1,
      1,
    ]);
  });

  test("calls beyond the limit are counted, and are a problem of their line", () => {
    const calls = Array.from({ length: 50_000 }, (_, n) => call(`c/${n + 1}`));
    const found = read(calls);
    expect([found?.calls.length, found?.omitted]).toEqual([MAX_NESTED_CALLS, 50_000 - MAX_NESTED_CALLS]);
    const message = { role: "toolResult", toolCallId: "c", nestedCalls: { calls, complete: true } };
    const { problems } = extract(parseEntry({ type: "message", message }, at).value, at, "");
    expect(problems).toMatchObject([{ code: "invalid_field", line: 2 }]);
    expect(problems[0]?.message).toBe("message.nestedCalls: more than 1000 calls, 49000 not indexed");
  });
});

test("an impossible duration is ignored", () => {
  const calls = [{ id: "c/1", name: "read", status: "ok", durationMs: 1e19 }];
  const message = { role: "toolResult", toolCallId: "c", nestedCalls: { calls, complete: true } } as never;
  expect(parseNestedCalls(message)?.calls.map(({ durationMs }) => durationMs)).toEqual([undefined]);
});

test("the namespace of a tool can be searched, if its name does not contain it", () => {
  const words = (name: string) => {
    const content = [{ type: "toolCall", id: "c", name, namespace: "docs", arguments: {} }];
    return extractEntryText(
      parseEntry({ type: "message", message: { role: "assistant", content } }, at).value,
    ).called;
  };
  expect([words("search"), words("mcp__docs__search")]).toEqual(["docs search ", "mcp__docs__search "]);
});

test("pi's types allow such messages", () => {
  const result: ToolResultMessage = {
    ...{
      role: "toolResult",
      toolCallId: "c",
      toolName: "codemode",
      content: [],
      isError: false,
      timestamp: 0,
    },
    durationMs: 12,
    nestedCalls: {
      calls: [{ id: "c/1", name: "read", status: "ok", arguments: { path: "a.ts" } }],
      complete: true,
    },
  };
  const answer: Pick<AssistantMessage, "durationMs" | "thinkingLevel" | "rawStopReason" | "endTurn"> = {
    ...{ durationMs: 4, thinkingLevel: "high", rawStopReason: "stop", endTurn: true },
  };
  const call: ToolCall = { type: "toolCall", id: "c", name: "search", namespace: "docs", arguments: {} };
  const entry = parseEntry(
    { type: "message", message: { role: "assistant", content: [call], ...answer } },
    at,
  );
  expect(entry.problems).toEqual([]);
  expect(parseNestedCalls(result)?.calls).toMatchObject([{ name: "read", arguments: { path: "a.ts" } }]);
});
