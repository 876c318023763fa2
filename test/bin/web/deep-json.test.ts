/** Values nested too deeply for recursion: JSON.parse reads them, JSON.stringify can't write them. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { stringifyDeep } from "../../../bin/format/stringify-deep.ts";
import { session } from "../../../fixtures/builder.ts";
import { temporaryFolder } from "../../temporary.ts";
import { agentIndex } from "../agents/agent-index.ts";
import { pidexAt } from "../cli.ts";
import { serveSynced } from "./serve-synced.ts";

const LEVELS = 20_000;
const inArrays = `${"[".repeat(LEVELS)}1${"]".repeat(LEVELS)}`;
const inObjects = `${'{"a":'.repeat(LEVELS)}"end"${"}".repeat(LEVELS)}`;

const line = (id: string, parentId: string, rest: string) =>
  `{"type":"message","id":"${id}","parentId":"${parentId}","timestamp":"2026-01-05T10:00:00.000Z","message":{${rest}}}`;
const CALL = line(
  "b",
  "a",
  `"role":"assistant","content":[{"type":"toolCall","id":"c","name":"odd","arguments":${inObjects}}]`,
);
const RESULT = line(
  "c",
  "b",
  `"role":"toolResult","toolCallId":"c","toolName":"odd","content":[{"type":"text","text":"done"}],"details":${inArrays}`,
);
const NESTED = line(
  "c2",
  "b",
  `"role":"toolResult","toolCallId":"c","toolName":"odd","content":[],"nestedCalls":{"calls":[{"id":"c/1","name":"read","status":"ok","arguments":{"path":${inArrays}}}],"complete":true}`,
);
const UNKNOWN = line("d", "c", `"role":"odd","odd":${inObjects}`);

const story = () =>
  session({ id: "deep" })
    .user("the needle before", { id: "a" })
    .raw(CALL)
    .raw(RESULT)
    .raw(NESTED)
    .raw(UNKNOWN)
    .user("the needle after", { id: "e", parentId: "d" });

function over() {
  const folder = temporaryFolder();
  const root = join(folder, "root");
  story().writeUnder(root);
  return { root, run: pidexAt(root, folder) };
}

describe("an export continues past values nested too deeply for JSON.stringify", () => {
  test.each(["html", "md", "jsonl"])("%s", async (format) => {
    const { run } = over();
    for (const secrets of [[], ["--no-redact"]]) {
      const { exit, out, err } = await run(["export", "deep", "--all", "--format", format, ...secrets]);
      expect([exit, err]).toEqual([0, ""]);
      expect(out).toContain("the needle before");
      expect(out).toContain("the needle after");
    }
  });

  test("JSONL contains the whole value, which can be read again", async () => {
    const { run } = over();
    const { out } = await run(["export", "deep", "--all", "--format", "jsonl", "--no-redact"]);
    const lines = out.split("\n");
    // As booleans, because a difference is too long to print.
    const written = [CALL, RESULT, NESTED, UNKNOWN].map((each, n) => lines[n + 2] === each);
    expect(written).toEqual([true, true, true, true]);
  });

  test("in an export of search results too", async () => {
    const { run } = over();
    const { exit, out } = await run(["export", "--search", "needle", "--format", "jsonl"]);
    expect(exit).toBe(0);
    expect(out).toContain("the needle after");
  });
});

test.each([
  ["show", ["show", "deep", "--all"]],
  ["show in full", ["show", "deep", "--all", "--full"]],
  ["show as JSON", ["show", "deep", "--all", "--json"]],
  ["what the model sees", ["show", "deep", "--context"]],
  ["a look through the files", ["search", "--substring", "needle after"]],
])("on the command line no result is truncated: %s", async (_, argv) => {
  const { exit, out } = await over().run(argv);
  expect(exit).toBe(0);
  expect(out).toContain("needle after");
});

test("on the page the session has an outline, entries and previews", async () => {
  const { json } = await serveSynced(over().root);
  expect(await json("/api/outline?session=deep")).toMatchObject({ count: 6 });
  const { entries } = await json("/api/entries?session=deep&lines=2-7");
  expect(entries.map(({ line }: { line: number }) => line)).toEqual([2, 3, 4, 5, 6, 7]);
  const { previews } = await json("/api/previews?session=deep&lines=2-7");
  expect(previews).toHaveLength(6);
});

test("agents read past it", async () => {
  const { agents } = await agentIndex([story()]);
  const { data } = await agents.request("read", { session: "deep" });
  expect(JSON.stringify(data)).toContain("the needle after");
});

test("the loop writes the same as JSON.stringify", () => {
  const values = [
    { a: [1, "é\u2028\n", null, true, { b: [], c: {} }], u: undefined, date: new Date(0), '"': '"' },
    [undefined, [[]], -0, 1e21],
  ];
  for (const value of values) {
    const deep = JSON.parse(inArrays);
    const whole = stringifyDeep([value, deep]);
    expect(whole === `[${JSON.stringify(value)},${inArrays}]`).toBe(true);
  }
});
