/** Tools called by scripts: codemode records them in its own result, not as entries. */
import { appendFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { text, toolCall } from "../../fixtures/blocks.ts";
import { session } from "../../fixtures/builder.ts";
import { freightRate } from "../../fixtures/stories/codemode.ts";
import type { FileTouches, Hit, Index, ScanHit } from "../../library/index.ts";
import { parseNestedCalls } from "../../library/index.ts";
import { age } from "../indexer/synced.ts";
import { collect, indexed } from "./opened-queries.ts";

const FILES = {
  RATES: "/home/ada/till/src/freight-rates.ts",
  INVOICE: "/home/ada/till/src/invoice.ts",
  ABSENT: "/home/ada/till/src/vat.ts",
  GENERATED: "/home/ada/till/src/generated/rates.ts",
  LEDGER: "/home/ada/till/ledger",
  CSV: "/home/ada/till/ledger/2026.csv",
  COPY: "/home/ada/till/audit/copy.csv",
};
const LOOK_LINE = 6;
const CHANGE_LINE = 8;

const hitsOf = async (index: Index, query: string): Promise<Hit[]> =>
  (await index.search(query)).sessions.flatMap(({ hits }) => hits);

describe("files touched by a script's tools", () => {
  test.each<[string, [action: string, tool: string, line: number, failed: boolean | undefined][]]>([
    [
      FILES.RATES,
      [
        ["edit", "edit", CHANGE_LINE, false],
        ["read", "read", LOOK_LINE, false],
      ],
    ],
    [FILES.INVOICE, [["search", "bash", LOOK_LINE, false]]],
    [FILES.ABSENT, [["read", "read", LOOK_LINE, true]]],
    // A folder, with the files below it.
    [
      FILES.LEDGER,
      [
        ["read", "powershell", CHANGE_LINE, undefined],
        ["search", "grep", CHANGE_LINE, false],
      ],
    ],
    [FILES.CSV, [["read", "powershell", CHANGE_LINE, undefined]]],
    [FILES.COPY, [["write", "powershell", CHANGE_LINE, undefined]]],
    // Its arguments were too long for the record: the path is in the beginning that pi shows.
    [FILES.GENERATED, [["write", "write", CHANGE_LINE, false]]],
  ])("%s", async (file, expected) => {
    const { index } = await indexed(freightRate());
    const { sessions } = await index.files(file);
    const touches = (sessions[0] as FileTouches | undefined)?.touches.map(
      ({ action, tool, line, failed }) => [action, tool, line, failed],
    );
    expect(touches).toEqual(expected);
  });
});

describe("a search finds a script's result", () => {
  test.each<[string, number]>([
    ["zeroRated", CHANGE_LINE],
    ["tool:read freight-rates", LOOK_LINE],
    ["tool:powershell 2026.csv", CHANGE_LINE],
    ["tool:edit", CHANGE_LINE],
    ["is:error ENOENT", LOOK_LINE],
    ["file:vat.ts", LOOK_LINE],
    ["generated/rates", CHANGE_LINE],
  ])("by %s", async (query, line) => {
    const { index } = await indexed(freightRate());
    const hits = await hitsOf(index, query);
    expect(hits.map((hit) => hit.line)).toContain(line);
  });

  test("and shows the matching call", async () => {
    const { index } = await indexed(freightRate());
    const hits = await hitsOf(index, "zeroRated");
    expect(hits).toMatchObject([{ line: CHANGE_LINE, part: "call" }]);
    expect(hits[0]?.snippet.text).toContain("zeroRated");
  });

  test("by a regular expression over its calls", async () => {
    const { index } = await indexed(freightRate());
    const hits = await collect<ScanHit>(index.scan({ regex: "zero[R]ated" }));
    expect(hits.map((hit) => hit.line)).toEqual([CHANGE_LINE]);
  });

  test("with its tools among the facets", async () => {
    const { index } = await indexed(freightRate());
    const { facets } = await index.search("freight-rates", { facets: true });
    expect(facets?.tools.map(({ value }) => value)).toEqual(
      expect.arrayContaining(["codemode", "read", "edit", "powershell"]),
    );
  });
});

describe("usage", () => {
  test("counts calls by tool, with failures and durations", async () => {
    const { index } = await indexed(freightRate());
    const { rows } = await index.usage({ by: ["tool"] });
    const calls = rows
      .filter(({ key }) => key.tool !== null)
      .map(({ key, toolCalls, failedToolCalls, toolMs }) => [key.tool, toolCalls, failedToolCalls, toolMs])
      .sort();
    expect(calls).toEqual([
      ["audit", 1, 0, 1_250],
      ["bash", 1, 0, 38],
      ["codemode", 2, 0, 1_443],
      ["edit", 1, 0, 6],
      ["grep", 1, 0, 17],
      ["powershell", 1, 0, 0],
      ["read", 2, 1, 13],
      ["write", 1, 0, 1],
    ]);
  });

  test("attributes them to the model that wrote the script", async () => {
    const { index } = await indexed(freightRate());
    const { rows } = await index.usage({ by: ["model"] });
    expect(
      rows.map(({ key, toolCalls, failedToolCalls }) => [key.model, toolCalls, failedToolCalls]),
    ).toEqual([["openai/gpt-5.2", 10, 1]]);
  });

  test("lists them with the model response that called the script", async () => {
    const { index } = await indexed(freightRate());
    const events = await collect(index.usageEvents());
    const counts = events
      .filter(({ kind }) => kind === "assistant")
      .map(({ toolCalls, failedToolCalls }) => [toolCalls, failedToolCalls]);
    expect(counts.sort()).toEqual([
      [0, 0],
      [4, 1],
      [6, 0],
    ]);
  });

  test("counts copies in a fork once", async () => {
    const whole = freightRate();
    const { index } = await indexed(whole, whole.fork({ id: "fork" }));
    const { total } = await index.usage();
    expect([total.toolCalls, total.failedToolCalls]).toEqual([10, 1]);
  });

  test("counts the cost of called tools once: pi adds it to the script's result", async () => {
    const spent = {
      input: 10,
      output: 5,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 15,
      cost: { total: 0.25 },
    };
    const talk = session()
      .user("Ask the helper.")
      .assistant([toolCall("call_1", "codemode", { code: "await tools.helper({})" })])
      .toolResult("call_1", "codemode", "done", {
        usage: spent,
        nestedCalls: {
          calls: [{ id: "call_1/1", name: "helper", status: "ok", arguments: {}, usage: spent }],
          complete: true,
        },
      });
    const { index } = await indexed(talk);
    const { rows } = await index.usage({ by: ["kind"] });
    expect(rows.find(({ key }) => key.kind === "tool")?.costUsd).toBe(0.25);
  });

  test("also uses the duration that a result reports for a direct call", async () => {
    const talk = session({ step: 60 })
      .user("Read it.")
      .tool("read", { path: "a.ts" }, "a", { durationMs: 7 })
      .tool("read", { path: "b.ts" }, "b");
    const { index } = await indexed(talk);
    const { rows } = await index.usage({ by: ["tool"] });
    expect(rows.find(({ key }) => key.tool === "read")?.toolMs).toBe(60_007);
  });
});

test("the library reads the calls of an entry", async () => {
  const { index } = await indexed(freightRate());
  const entries = await collect(index.entries("@last"));
  const names = entries.flatMap(({ entry }) =>
    entry.type === "message" && entry.message?.role === "toolResult"
      ? (parseNestedCalls(entry.message)?.calls ?? []).map(({ name, depth }) => `${name} ${depth}`)
      : [],
  );
  expect(names).toEqual([
    "read 0",
    "bash 0",
    "read 0",
    "edit 0",
    "write 0",
    "audit 0",
    "grep 1",
    "powershell 1",
  ]);
});

test("stats count the calls", async () => {
  const { index } = await indexed(freightRate());
  expect(await index.stats()).toMatchObject({ toolCalls: 10, failedToolCalls: 1 });
});

test("SQL has them in tool_calls, distinguished from the model's own", async () => {
  const { index } = await indexed(freightRate());
  const { rows } = await index.sql(
    "SELECT tool, line, failed, result_line, elapsed_ms, nested, model, attribution FROM tool_calls ORDER BY line, ordinal",
  );
  expect(await collect(rows)).toEqual([
    ["codemode", 5, 0, 6, 133, 0, "gpt-5.2", "owner"],
    ["read", 6, 0, 6, 11, 1, "gpt-5.2", "owner"],
    ["bash", 6, 0, 6, 38, 1, "gpt-5.2", "owner"],
    ["read", 6, 1, 6, 2, 1, "gpt-5.2", "owner"],
    ["codemode", 7, 0, 8, 1_310, 0, "gpt-5.2", "owner"],
    ["edit", 8, 0, 8, 6, 1, "gpt-5.2", "owner"],
    ["write", 8, 0, 8, 1, 1, "gpt-5.2", "owner"],
    ["audit", 8, 0, 8, 1_250, 1, "gpt-5.2", "owner"],
    ["grep", 8, 0, 8, 17, 1, "gpt-5.2", "owner"],
    ["powershell", 8, null, null, null, 1, "gpt-5.2", "owner"],
  ]);
});

test("secrets in their arguments and errors are found", async () => {
  const token = `ghp_${"a1B2c3D4e5F6g7H8i9J0".repeat(2).slice(0, 36)}`;
  const talk = session()
    .user("Push it.")
    .assistant([toolCall("call_1", "codemode", { code: "await tools.bash({})" })])
    .toolResult("call_1", "codemode", "done", {
      nestedCalls: {
        calls: [{ id: "call_1/1", name: "bash", status: "ok", arguments: { command: `curl -H ${token}` } }],
        complete: true,
      },
    });
  const { index } = await indexed(talk);
  const found = await collect(index.secrets());
  expect(found.map(({ line }) => line)).toEqual([4]);
});

test("a script's result appended later is counted as if present from the start", async () => {
  const talk = session()
    .user("Look.")
    .assistant([text("One look."), toolCall("c", "codemode", { code: "x" })]);
  const { index, path } = await indexed(talk);
  const before = (await index.usage()).total.toolCalls;
  talk.toolResult("c", "codemode", "seen", {
    nestedCalls: {
      calls: [{ id: "c/1", name: "ls", status: "ok", arguments: { path: "src" } }],
      complete: true,
    },
  });
  appendFileSync(path, `${talk.lines.at(-1)}\n`);
  age(path);
  const report = await index.sync();
  expect([before, report.appended, (await index.usage()).total.toolCalls]).toEqual([1, 1, 2]);
  const verified = await index.verify();
  expect(verified.differences).toEqual([]);
});
