import { describe, expect, test } from "vitest";
import type { Fields } from "../../fixtures/blocks.ts";
import { extract } from "../../indexer/extract.ts";
import type { UsageRow } from "../../indexer/usage.ts";
import { parseEntry } from "../../src/session/parse.ts";

const at = { byteOffset: 10, line: 2 };

/** What a line that holds this entry gives, problems of parsing and of extracting together. */
function read(object: Fields) {
  const { value, problems } = parseEntry(object, at);
  const extracted = extract(value, at, "");
  return { ...extracted, problems: [...problems, ...extracted.problems] };
}

const row = (fields: Partial<UsageRow>): UsageRow => ({
  source: "assistant",
  run: null,
  agent: null,
  provider: null,
  model: null,
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
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
  reasoning: 12,
  totalTokens: 100,
  cost: { input: 0.1, output: 0.2, cacheRead: 0.3, cacheWrite: 0.4, total: 1, totalFromProvider: 1.01 },
};
const SPENT = {
  input: 10,
  output: 20,
  cacheRead: 30,
  cacheWrite: 40,
  reasoning: 12,
  cost: 1_000_000_000,
  providerCost: 1_010_000_000,
};

const message = (fields: Fields): Fields => ({ type: "message", id: "a", message: fields });
const toolResult = (fields: Fields): Fields => message({ role: "toolResult", toolCallId: "c", ...fields });
const scout = {
  agent: "scout",
  model: "claude-haiku-4-5",
  usage: { input: 5, output: 6, cost: 0.25, turns: 2 },
};
const worker = { agent: "worker", usage: { cacheRead: 7, cacheWrite: 8, cost: 0.5 } };

const SCOUTS: Partial<UsageRow> = {
  source: "subagent",
  run: 0,
  agent: "scout",
  model: "claude-haiku-4-5",
  input: 5,
  output: 6,
  cost: 250_000_000,
};
const WORKERS: Partial<UsageRow> = {
  source: "subagent",
  run: 1,
  agent: "worker",
  cacheRead: 7,
  cacheWrite: 8,
  cost: 500_000_000,
};

describe("money is found on", () => {
  test.each<[string, Fields, Partial<UsageRow>[]]>([
    [
      "an assistant message",
      message({ role: "assistant", provider: "anthropic", model: "m", usage: USAGE }),
      [{ ...SPENT, provider: "anthropic", model: "m" }],
    ],
    ["a tool's result", toolResult({ usage: USAGE }), [{ ...SPENT, source: "tool" }]],
    ["a compaction", { type: "compaction", usage: USAGE }, [{ ...SPENT, source: "compaction" }]],
    ["a branch summary", { type: "branch_summary", usage: USAGE }, [{ ...SPENT, source: "branch_summary" }]],
    ["a session summary", { type: "session_summary", usage: USAGE }, [{ ...SPENT, source: "summary" }]],
    [
      "a usage entry",
      { type: "usage", kind: "title", provider: "openai", model: "m", usage: USAGE },
      [{ ...SPENT, source: "other", provider: "openai", model: "m" }],
    ],
    [
      "the results of subagents, one row each",
      toolResult({ details: { results: [scout, worker] } }),
      [SCOUTS, WORKERS],
    ],
    [
      "a tool's result that sums its subagents' up: the same money, by its parts",
      toolResult({ usage: USAGE, details: { results: [scout, worker] } }),
      [SCOUTS, WORKERS],
    ],
    [
      "a tool's result that sums up what not every subagent tells: the sum alone",
      toolResult({ usage: USAGE, details: { results: [scout, { agent: "worker" }] } }),
      [{ ...SPENT, source: "subagent" }],
    ],
  ])("%s", (_, entry, rows) => {
    const extracted = read(entry);
    expect(extracted.usage).toEqual(rows.map(row));
    expect(extracted.problems).toEqual([]);
  });
});

test.each<[string, Fields]>([
  ["a user's message", message({ role: "user", usage: USAGE })],
  ["a message of an unknown role", message({ role: "narrator", usage: USAGE })],
  ["a custom entry", { type: "custom", usage: USAGE }],
  ["an unknown entry", { type: "voice_note", usage: USAGE }],
  ["an assistant message without usage", message({ role: "assistant" })],
  ["an assistant message whose usage is null", message({ role: "assistant", usage: null })],
  ["an entry without its message", { type: "message" }],
  ["a subagent's result without usage", toolResult({ details: { results: [{ agent: "scout" }] } })],
  [
    "results that name no agent",
    toolResult({ details: { results: [{ usage: { cost: 1 } }, null, 5, "x", []] } }),
  ],
  ["results that are no list", toolResult({ details: { results: "none" } })],
  ["details that are a list", toolResult({ details: [{ agent: "scout", usage: { cost: 1 } }] })],
  ["results in a message that is no tool's", message({ role: "assistant", details: { results: [scout] } })],
])("no money is found on %s", (_, entry) => {
  expect(read(entry).usage).toEqual([]);
});

describe("figures", () => {
  const spent = (usage: unknown) => read(message({ role: "assistant", usage }));

  test.each<[string, Fields, Partial<UsageRow>, number]>([
    [
      "the parts make the total where it is missing",
      { cost: { input: 0.1, output: 0.2 } },
      { cost: 300_000_000 },
      0,
    ],
    ["a total of nothing is nothing", { cost: { input: 0.1, total: 0 } }, { cost: 0 }, 0],
    [
      "a bad total is left out, and the parts count",
      { cost: { output: 0.2, total: -1 } },
      { cost: 200_000_000 },
      1,
    ],
    ["no cost is no money", { input: 7, output: 8 }, { input: 7, output: 8 }, 0],
    ["a cost of null is no money", { input: 7, cost: null }, { input: 7 }, 0],
    ["a cost that is a number is no cost of a message", { input: 7, cost: 0.25 }, { input: 7 }, 1],
    ["negative figures are left out", { input: -5, output: 10 }, { output: 10 }, 1],
    ["strings are left out", { input: "12", output: 10 }, { output: 10 }, 1],
    ["nonsense is left out", { input: 1e13, output: 10, cost: { total: 1e7 } }, { output: 10 }, 2],
    ["infinity is left out", { input: Number.POSITIVE_INFINITY, output: 10 }, { output: 10 }, 1],
    ["NaN is left out", { input: Number.NaN, output: 10 }, { output: 10 }, 1],
    ["fractions are rounded", { input: 1.5, output: 0.1, cost: { total: 1e-12 } }, { input: 2 }, 0],
    ["a tenth of a cent is exact", { cost: { total: 0.001 } }, { cost: 1_000_000 }, 0],
    ["0.1 and 0.2 make 0.3", { cost: { input: 0.1, output: 0.2, cacheRead: 0 } }, { cost: 300_000_000 }, 0],
  ])("%s", (_, usage, expected, problems) => {
    const extracted = spent(usage);
    expect(extracted.usage).toEqual([row(expected)]);
    expect(extracted.problems.map(({ code }) => code)).toEqual(Array(problems).fill("invalid_field"));
  });

  test("usage that is no object is left out", () => {
    for (const usage of [5, "free", [1, 2], true]) {
      const extracted = spent(usage);
      expect(extracted.usage).toEqual([]);
      expect(extracted.problems).toHaveLength(1);
    }
  });

  test("a bad figure of a subagent is left out, and said where", () => {
    const { usage, subagents, problems } = read(
      toolResult({
        details: { results: [worker, { ...scout, usage: { input: "many", output: 6, cost: "0.1" } }] },
      }),
    );
    expect(usage[1]).toEqual(
      row({ source: "subagent", run: 1, agent: "scout", model: scout.model, output: 6 }),
    );
    expect(subagents).toHaveLength(2);
    expect(problems.map(({ message }) => message.split(":")[0])).toEqual([
      "message.details.results.1.usage.input",
      "message.details.results.1.usage.cost",
    ]);
    expect(problems.every(({ byteOffset, line }) => byteOffset === 10 && line === 2)).toBe(true);
  });

  test("the usage of a tool that is bad through and through leaves that of its subagents", () => {
    const { usage } = read(toolResult({ usage: "free", details: { results: [worker] } }));
    expect(usage.map(({ cost }) => cost)).toEqual([500_000_000]);
  });
});

test("a subagent's run names its files", () => {
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
