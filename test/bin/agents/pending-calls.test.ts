import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findCallingSessions } from "../../../bin/agents/pending-calls.ts";
import { type Session, session } from "../../../fixtures/builder.ts";
import { openIndex } from "../../../library/index.ts";
import { temporaryFolder } from "../../temporary.ts";

const TOOL = "search_sessions";
const MINUTE = 60_000;

/** A session that called tools `minutesAgo`. */
function caller(
  id: string,
  minutesAgo: number,
  calls: [id: string, name: string, given?: object][],
): Session {
  const timestamp = new Date(Date.now() - minutesAgo * MINUTE).toISOString();
  const content = calls.map(([id, name, args = {}]) => ({ type: "toolCall", id, name, arguments: args }));
  return session({ id, timestamp, step: 1 }).user("Go").message({ role: "assistant", content });
}

async function calling(...sessions: Session[]): Promise<string[]> {
  const folder = temporaryFolder();
  const index = await openIndex({ db: join(folder, "index.db"), roots: [join(folder, "sessions")] });
  onTestFinished(() => index.close());
  const ids = new Map(sessions.map((draft) => [draft.writeUnder(join(folder, "sessions")), draft.id]));
  await index.sync();
  return (await findCallingSessions(index, TOOL)).map((path) => ids.get(path) as string).sort();
}

test("a session has a pending call while its last call of the tool has no result", async () => {
  const waits = caller("waits", 1, [["a", `mcp__pidex__${TOOL}`]]);
  const answered = caller("answered", 1, [["a", `mcp__pidex__${TOOL}`]]);
  answered.toolResult("a", `mcp__pidex__${TOOL}`, "found");
  const continued = caller("went-on", 1, [["a", TOOL]]).user("Never mind");
  expect(await calling(waits, answered, continued)).toEqual(["waits"]);
});

test("other calls may have results, and entries other than messages may follow", async () => {
  const first = caller("first", 1, [
    ["a", "read"],
    ["b", TOOL],
  ])
    .toolResult("a", "read", "x")
    .name("Shop");
  const second = caller("second", 1, [
    ["a", "read"],
    ["b", TOOL],
  ]).toolResult("b", TOOL, "x");
  expect(await calling(first, second)).toEqual(["first"]);
});

test("a script or a proxy with the tool's name in its arguments counts as a call; another tool doesn't", async () => {
  const script = caller("script", 1, [["a", "codemode", { code: `await tools.mcp__pidex__${TOOL}({})` }]]);
  const other = caller("other", 1, [["a", "mcp__pidex__read_session", { session: "x" }]]);
  expect(await calling(script, other)).toEqual(["script"]);
});

test("a call without a result that is over an hour old doesn't count", async () => {
  expect(await calling(caller("ended", 61, [["a", TOOL]]), caller("slow", 59, [["a", TOOL]]))).toEqual([
    "slow",
  ]);
});

test("malformed messages and calls are skipped", async () => {
  const odd = caller("odd", 1, []).message({
    role: "assistant",
    content: [null, 5, { type: "toolCall" }, { type: "toolCall", id: 1, name: TOOL }],
  });
  const none = caller("none", 1, []).message({ role: "assistant", content: null });
  expect(await calling(odd, none)).toEqual(["odd"]);
});

test("sessions of subagents can have pending calls too", async () => {
  const folder = temporaryFolder();
  const index = await openIndex({ db: join(folder, "index.db"), roots: [join(folder, "sessions")] });
  onTestFinished(() => index.close());
  const path = join(folder, "sessions", "--home-ada-shop--", "subagent-artifacts", "a.jsonl");
  caller("sub", 1, [["a", TOOL]]).write(path);
  await index.sync();
  expect(await findCallingSessions(index, TOOL)).toEqual([path]);
});

test("a call before results of megabytes is found, and a torn line is skipped", async () => {
  const calls: [string, string][] = [
    ["a", "read"],
    ["b", TOOL],
  ];
  const long = caller("long", 1, calls).toolResult("a", "read", "x".repeat(3 << 20));
  const torn = caller("torn", 1, [["a", TOOL]])
    .name("Shop")
    .cut(4);
  const none = caller("none", 1, calls).toolResult("b", TOOL, "x".repeat(3 << 20));
  expect(await calling(long, torn, none)).toEqual(["long", "torn"]);
});
