import { describe, expect, test } from "vitest";
import type { Fields } from "../../fixtures/blocks.ts";

import type { SessionEvent } from "../../indexer/events.ts";
import { extract } from "../../indexer/extract.ts";
import { parseEntry } from "../../src/session/parse.ts";
import { isBilled } from "../../src/store/billing-record.ts";

const at = { byteOffset: 10, line: 2 };

/** The result of reading a line with this entry, with the problems of parsing and extraction. */
function read(object: Fields) {
  const { value, problems } = parseEntry(object, at);
  const extracted = extract(value, at, "", problems);
  return { ...extracted, problems: [...problems, ...extracted.problems] };
}

const event = (fields: Partial<SessionEvent>): SessionEvent => ({
  key: null,
  kind: "assistant",
  run: null,
  agent: null,
  tool: null,
  stop: null,
  provider: "",
  model: "",
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  cacheWrite1h: 0,
  reasoning: 0,
  cost: 0,
  providerCost: null,
  ...fields,
});

const USAGE = {
  input: 10,
  output: 20,
  cacheRead: 30,
  cacheWrite: 40,
  cacheWrite1h: 15,
  reasoning: 12,
  totalTokens: 100,
  cost: { input: 0.1, output: 0.2, cacheRead: 0.3, cacheWrite: 0.4, total: 1, totalFromProvider: 1.01 },
};
const SPENT: Partial<SessionEvent> = {
  input: 10,
  output: 20,
  cacheRead: 30,
  cacheWrite: 40,
  cacheWrite1h: 15,
  reasoning: 12,
  cost: 1_000_000_000,
  providerCost: 1_010_000_000,
};

// An event without id and time has no key.
const message = (fields: Fields): Fields => ({ type: "message", message: fields });
const toolResult = (fields: Fields): Fields =>
  message({ role: "toolResult", toolCallId: "c", toolName: "subagent", ...fields });
const scout = {
  agent: "scout",
  model: "claude-haiku-4-5",
  usage: { input: 5, output: 6, cost: 0.25, turns: 2 },
};
const worker = { agent: "worker", usage: { input: 0, output: 0, cacheRead: 7, cacheWrite: 8, cost: 0.5 } };

const SCOUTS: Partial<SessionEvent> = {
  kind: "subagent",
  run: 0,
  agent: "scout",
  tool: "subagent",
  model: "claude-haiku-4-5",
  input: 5,
  output: 6,
  cost: 250_000_000,
};
const WORKERS: Partial<SessionEvent> = {
  kind: "subagent",
  run: 1,
  agent: "worker",
  tool: "subagent",
  cacheRead: 7,
  cacheWrite: 8,
  cost: 500_000_000,
};

describe("usage is extracted from", () => {
  test.each<[string, Fields, Partial<SessionEvent>[]]>([
    [
      "an assistant message",
      message({ role: "assistant", provider: "anthropic", model: "m", usage: USAGE, stopReason: "stop" }),
      [{ ...SPENT, provider: "anthropic", model: "m", stop: "stop" }],
    ],
    [
      "a response by a model with the provider in its name",
      message({ role: "assistant", model: "openrouter/anthropic/m", usage: USAGE, stopReason: "stop" }),
      [{ ...SPENT, provider: "openrouter", model: "anthropic/m", stop: "stop" }],
    ],
    [
      "a response by a model with a slash in its name",
      message({
        role: "assistant",
        provider: "openrouter",
        model: "anthropic/m",
        usage: USAGE,
        stopReason: "stop",
      }),
      [{ ...SPENT, provider: "openrouter", model: "anthropic/m", stop: "stop" }],
    ],
    [
      "a response by another model than requested: for the one that responded",
      message({ role: "assistant", model: "router", responseModel: "m", usage: USAGE }),
      [{ ...SPENT, model: "m" }],
    ],
    ["a tool's result", toolResult({ usage: USAGE }), [{ ...SPENT, kind: "tool", tool: "subagent" }]],
    ["a compaction", { type: "compaction", usage: USAGE }, [{ ...SPENT, kind: "compaction" }]],
    ["a branch summary", { type: "branch_summary", usage: USAGE }, [{ ...SPENT, kind: "branch_summary" }]],
    ["a session summary", { type: "session_summary", usage: USAGE }, [{ ...SPENT, kind: "session_summary" }]],
    [
      "a usage entry",
      { type: "usage", kind: "title", provider: "openai", model: "m", usage: USAGE },
      [{ ...SPENT, kind: "usage:title", provider: "openai", model: "m" }],
    ],
    ["a usage entry without a kind", { type: "usage", usage: USAGE }, [{ ...SPENT, kind: "usage" }]],
    [
      "the results of subagents, one event each",
      toolResult({ details: { results: [scout, worker] } }),
      [SCOUTS, WORKERS],
    ],
    [
      "a tool's result that sums its subagents' up: the same money, by its parts",
      toolResult({ usage: USAGE, details: { results: [scout, worker] } }),
      [SCOUTS, WORKERS],
    ],
    [
      "a tool result with a sum and no subagent usage: the sum only",
      toolResult({ usage: USAGE, details: { results: [{ agent: "scout" }, { agent: "worker" }] } }),
      [{ ...SPENT, kind: "subagent", tool: "subagent" }],
    ],
    [
      "a tool result with a sum and the usage of some subagents: their parts, and the rest of the sum",
      toolResult({
        usage: { input: 12, output: 6, cost: { total: 0.75 } },
        details: { results: [scout, { agent: "worker" }] },
      }),
      [SCOUTS, { kind: "subagent", tool: "subagent", input: 7, cost: 500_000_000 }],
    ],
    [
      "the messages of a subagent that reports no usage",
      toolResult({
        details: {
          results: [
            {
              agent: "scout",
              messages: [
                { role: "user", usage: { cost: { total: 9 } } },
                { role: "assistant", usage: { input: 2, output: 6, cost: { total: 0.2 } } },
                "nothing",
                { role: "assistant", usage: { input: 3, output: 0, cost: { total: 0.05 } } },
              ],
            },
          ],
        },
      }),
      [{ ...SCOUTS, model: "" }],
    ],
    [
      "a subagent with a provider in its model name",
      toolResult({ details: { results: [{ ...scout, model: "anthropic/claude-haiku-4-5:low" }] } }),
      [{ ...SCOUTS, provider: "anthropic" }],
    ],
    [
      "a subagent with a thinking level in its model name",
      toolResult({ details: { results: [{ ...scout, model: "claude-haiku-4-5:low" }] } }),
      [SCOUTS],
    ],
  ])("%s", (_, entry, events) => {
    const extracted = read(entry);
    expect(extracted.events).toEqual(events.map(event));
    expect(extracted.problems).toEqual([]);
  });
});

describe("an event without figures has", () => {
  test.each<[string, Fields, Partial<SessionEvent>, string[]]>([
    ["a user's message", message({ role: "user", usage: USAGE }), { kind: "user" }, []],
    ["an answer without usage", message({ role: "assistant" }), {}, ["missing_figure"]],
    ["a response with usage null", message({ role: "assistant", usage: null }), {}, ["missing_figure"]],
    ["a compaction without usage", { type: "compaction" }, { kind: "compaction" }, []],
    ["a branch summary without usage", { type: "branch_summary" }, { kind: "branch_summary" }, []],
    ["a usage entry without usage", { type: "usage", kind: "warm" }, { kind: "usage:warm" }, []],
  ])("%s", (_, entry, expected, problems) => {
    const extracted = read(entry);
    expect(extracted.events).toEqual([event(expected)]);
    expect(extracted.events.some(isBilled)).toBe(false);
    expect(extracted.problems.map(({ code }) => code)).toEqual(problems);
  });
});

test.each<[string, Fields]>([
  ["a message of an unknown role", message({ role: "narrator", usage: USAGE })],
  ["a tool's result without usage", toolResult({ details: {} })],
  ["a custom entry", { type: "custom", usage: USAGE }],
  ["an unknown entry", { type: "voice_note", usage: USAGE }],
  ["an entry without its message", { type: "message" }],
  ["a subagent's result without usage", toolResult({ details: { results: [{ agent: "scout" }] } })],
  [
    "results without an agent",
    toolResult({ details: { results: [{ usage: { cost: 1 } }, null, 5, "x", []] } }),
  ],
  ["results that are not an array", toolResult({ details: { results: "none" } })],
  ["details that are a list", toolResult({ details: [{ agent: "scout", usage: { cost: 1 } }] })],
  [
    "results in a message that is not a tool result",
    message({ role: "custom", details: { results: [scout] } }),
  ],
])("no event is %s", (_, entry) => {
  expect(read(entry)).toMatchObject({ events: [], problems: [] });
});

describe("figures", () => {
  const spent = (usage: unknown) => read(message({ role: "assistant", usage }));

  const whole = { input: 7, output: 8, cost: { total: 0.25 } };
  const WHOLE: Partial<SessionEvent> = { input: 7, output: 8, cost: 250_000_000 };

  test.each<[string, Fields, Partial<SessionEvent>]>([
    ["are read unchanged", whole, WHOLE],
    [
      "a missing total is the sum of the parts",
      { ...whole, cost: { input: 0.1, output: 0.2 } },
      { ...WHOLE, cost: 300_000_000 },
    ],
    ["a total of zero is zero", { ...whole, cost: { input: 0.1, total: 0 } }, { ...WHOLE, cost: 0 }],
    [
      "fractions are rounded",
      { input: 1.5, output: 0.1, cost: { total: 1e-12 } },
      { input: 2, output: 0, cost: 0 },
    ],
    ["a cost that is a number is the total", { ...whole, cost: 0.25 }, WHOLE],
    ["a tenth of a cent is exact", { ...whole, cost: { total: 0.001 } }, { ...WHOLE, cost: 1_000_000 }],
    [
      "0.1 and 0.2 make 0.3",
      { ...whole, cost: { input: 0.1, output: 0.2, cacheRead: 0 } },
      { ...WHOLE, cost: 300_000_000 },
    ],
    [
      "the total is the provider's if pi says so",
      { ...whole, cost: { total: 0.25, totalFromProvider: true } },
      { ...WHOLE, providerCost: 250_000_000 },
    ],
    [
      "and is not if pi says that it is not",
      { ...whole, cost: { total: 0.25, totalFromProvider: false } },
      WHOLE,
    ],
    [
      "the provider's figure is separate from the total",
      { ...whole, cost: { total: 0.25, totalFromProvider: 0.26 } },
      { ...WHOLE, providerCost: 260_000_000 },
    ],
    [
      "the provider's total is the sum of the parts if there is no total",
      { ...whole, cost: { input: 0.25, totalFromProvider: true } },
      { ...WHOLE, providerCost: 250_000_000 },
    ],
    [
      "the maximum that is accepted",
      { input: 1e12, output: 0, cost: { total: 1e4 } },
      { input: 1e12, cost: 1e13 },
    ],
  ])("%s", (_, usage, expected) => {
    expect(spent(usage)).toMatchObject({ events: [event(expected)], problems: [] });
  });

  test.each<[string, unknown, Partial<SessionEvent>, string]>([
    ["no cost", { input: 7, output: 8 }, { input: 7, output: 8 }, "usage without cost"],
    ["a cost of null", { input: 7, output: 8, cost: null }, { input: 7, output: 8 }, "usage without cost"],
    ["an empty cost", { input: 7, output: 8, cost: {} }, { input: 7, output: 8 }, "usage without cost"],
    ["no tokens", { cost: { total: 0.25 } }, { cost: 250_000_000 }, "usage without input, output"],
    ["nothing", {}, {}, "usage without input, output, cost"],
    ["no usage", undefined, {}, "the model response has no usage"],
  ])("%s is missing", (_, usage, expected, problem) => {
    const extracted = spent(usage);
    expect(extracted.events).toEqual([event(expected)]);
    expect(extracted.problems).toEqual([{ code: "missing_figure", ...at, message: problem }]);
  });

  test.each<[string, unknown, Partial<SessionEvent>, number]>([
    [
      "an invalid total is ignored, and the parts count",
      { ...whole, cost: { output: 0.2, total: -1 } },
      { ...WHOLE, cost: 200_000_000 },
      1,
    ],
    ["a cost that is a negative number is ignored", { ...whole, cost: -1 }, { ...WHOLE, cost: 0 }, 1],
    ["negative figures are ignored", { ...whole, input: -5 }, { ...WHOLE, input: 0 }, 1],
    ["strings are ignored", { ...whole, input: "12" }, { ...WHOLE, input: 0 }, 1],
    [
      "values of other types are ignored",
      { ...whole, input: 1e13, cost: { total: 1e4 + 1 } },
      { ...WHOLE, input: 0, cost: 0 },
      2,
    ],
    ["infinity is ignored", { ...whole, input: Number.POSITIVE_INFINITY }, { ...WHOLE, input: 0 }, 1],
    ["NaN is left out", { ...whole, input: Number.NaN }, { ...WHOLE, input: 0 }, 1],
    ["usage that is a number is ignored", 5, {}, 1],
    ["usage that is a string is ignored", "free", {}, 1],
    ["usage that is an array is ignored", [1, 2], {}, 1],
    ["usage that is a boolean is ignored", true, {}, 1],
  ])("%s, and not reported as missing", (_, usage, expected, problems) => {
    const extracted = spent(usage);
    expect(extracted.events).toEqual([event(expected)]);
    expect(extracted.problems.map(({ code }) => code)).toEqual(Array(problems).fill("invalid_field"));
  });

  test("a missing figure beside an invalid one is reported", () => {
    const { problems } = spent({ input: -5, cost: { total: "0.1" } });
    expect(problems.map(({ message }) => message.replace(/: .*/, ""))).toEqual([
      "message.usage.input",
      "message.usage.cost.total",
      "usage without output",
    ]);
  });

  test("an invalid figure of a subagent is omitted and reported with its location", () => {
    const { events, subagents, problems } = read(
      toolResult({
        details: { results: [worker, { ...scout, usage: { input: "many", output: 6, cost: "0.1" } }] },
      }),
    );
    expect(events[1]).toEqual(event({ ...SCOUTS, run: 1, input: 0, cost: 0 }));
    expect(subagents).toHaveLength(2);
    expect(problems.map(({ message }) => message.split(":")[0])).toEqual([
      "message.details.results.1.usage.input",
      "message.details.results.1.usage.cost",
    ]);
    expect(problems.every(({ byteOffset, line }) => byteOffset === 10 && line === 2)).toBe(true);
  });

  test("a completely invalid usage of a tool keeps that of its subagents", () => {
    const { events } = read(toolResult({ usage: "free", details: { results: [worker] } }));
    expect(events.map(({ cost }) => cost)).toEqual([500_000_000]);
  });
});

describe("the key of an event", () => {
  const TIME = "2026-01-05T09:00:00.000Z";
  const answer = (fields: Fields = {}, place: Fields = {}) => ({
    ...message({
      role: "assistant",
      content: "So it is.",
      provider: "p",
      model: "m",
      usage: USAGE,
      ...fields,
    }),
    timestamp: TIME,
    ...place,
  });
  const keyOf = (entry: Fields) => read(entry).events[0]?.key;
  const question = (content: string) => ({ ...message({ role: "user", content }), timestamp: TIME });

  test.each<[string, Fields, Fields]>([
    ["the entry's id: pi gives out new ones when it upgrades", answer(), answer({}, { id: "b" })],
    ["it hangs elsewhere", answer(), answer({}, { parentId: "b" })],
    ["its text was changed, if it has figures", answer(), answer({ content: "[taken out]" })],
    ["why it ended", answer(), answer({ stopReason: "stop" })],
    [
      "its time is in its message only",
      answer(),
      answer({ timestamp: Date.parse(TIME) }, { timestamp: undefined }),
    ],
    ["figures that make no difference", answer(), answer({ usage: { ...USAGE, totalTokens: 0 } })],
  ])("is the same in copies that differ in %s", (_, one, other) => {
    expect(keyOf(one)).toEqual(expect.any(BigInt));
    expect(keyOf(one)).toBe(keyOf(other));
  });

  test.each<[string, Fields, Fields]>([
    ["the time", answer(), answer({}, { timestamp: "2026-01-05T09:00:00.001Z" })],
    ["the model", answer(), answer({ model: "n" })],
    ["the provider", answer(), answer({ provider: "q" })],
    ["tokens", answer(), answer({ usage: { ...USAGE, output: 21 } })],
    ["money", answer(), answer({ usage: { ...USAGE, cost: { total: 1.000000001 } } })],
    ["the text, without figures", question("one"), question("two")],
  ])("distinguishes unrelated events by %s", (_, one, other) => {
    expect(keyOf(one)).not.toBe(keyOf(other));
  });

  test("is null without a time and an id", () => {
    expect(keyOf(answer({}, { timestamp: undefined }))).toBeNull();
    expect(keyOf(answer({}, { timestamp: "soon" }))).toBeNull();
  });

  test("includes the text without a time", () => {
    const untimed = (content: string, id: string) => keyOf(answer({ content }, { timestamp: undefined, id }));
    expect(untimed("one", "a")).toEqual(expect.any(BigInt));
    expect(untimed("one", "a")).toBe(untimed("one", "b"));
    expect(untimed("one", "a")).not.toBe(untimed("two", "a"));
  });

  test("differs between the runs of a result", () => {
    const { events } = read({
      ...toolResult({ details: { results: [worker, worker] } }),
      timestamp: TIME,
    });
    expect(new Set(events.map(({ key }) => key)).size).toBe(2);
  });
});

test("overlong names are truncated", () => {
  const long = "x".repeat(300);
  const { events } = read(message({ role: "assistant", model: long, provider: "\ud800", usage: USAGE }));
  expect(events).toEqual([event({ ...SPENT, model: "x".repeat(200), provider: "\ufffd" })]);
});

describe("a run without usage", () => {
  const run = (...usages: unknown[]) => ({
    agent: "scout",
    messages: usages.map((usage) => ({ role: "assistant", usage })),
  });
  const readResult = (fields: Fields) => read(toolResult(fields));

  test("has the sum of its messages, by totals or parts", () => {
    const usages = [
      { input: 1, output: 2, cost: { total: 0.5 } },
      { input: 3, output: 4, cost: { input: 1, output: 2 } },
    ];
    const { events, problems } = readResult({ details: { results: [run(...usages)] } });
    expect(events).toMatchObject([{ kind: "subagent", input: 4, output: 6, cost: 3_500_000_000 }]);
    expect(problems).toEqual([]);
  });

  test("has the sums of all kinds of tokens", () => {
    const usage = { input: 1, output: 20, cacheRead: 3, cacheWrite: 40, cacheWrite1h: 5, reasoning: 6 };
    const { events } = readResult({ details: { results: [run(usage, { ...usage, cost: { total: 1 } })] } });
    expect(events).toMatchObject([
      { input: 2, output: 40, cacheRead: 6, cacheWrite: 80, cacheWrite1h: 10, reasoning: 12, cost: 1e9 },
    ]);
  });

  test("keeps the sum beside it if its messages have no cost, or only zeros", () => {
    for (const cost of [undefined, { total: 0 }]) {
      const { events } = readResult({
        usage: USAGE,
        details: { results: [run({ input: 1, output: 1, cost })] },
      });
      expect(events.map(({ cost }) => cost)).toEqual([SPENT.cost]);
    }
  });

  test("has problems if its messages have invalid figures", () => {
    const { events, problems } = readResult({
      details: { results: [run({ input: 1, output: 1, cost: { total: -3 } })] },
    });
    expect(events.map(({ cost }) => cost)).toEqual([0]);
    expect(problems.map(({ code }) => code)).toContain("invalid_field");
  });
});

test("a subagent run has the paths of its files", () => {
  const { subagents } = read(
    toolResult({
      usage: USAGE,
      details: {
        results: [
          {
            ...scout,
            sessionFile: "/tmp/s.jsonl",
            artifactPaths: { jsonlPath: "/a/x.jsonl", outputPath: "/a/x.md" },
          },
          worker,
          { agent: "reviewer", sessionFile: 5, artifactPaths: "none" },
        ],
      },
    }),
  );
  expect(subagents).toEqual([
    { agent: "scout", sessionFile: "/tmp/s.jsonl", artifact: "/a/x.jsonl" },
    { agent: "worker", sessionFile: null, artifact: null },
    { agent: "reviewer", sessionFile: null, artifact: null },
  ]);
});
