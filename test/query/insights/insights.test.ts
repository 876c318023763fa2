import { appendFileSync, rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type Fields, toolCall } from "../../../fixtures/blocks.ts";
import { type Session, session } from "../../../fixtures/builder.ts";
import type { InsightFinding, InsightsOptions } from "../../../library/index.ts";
import { toFindings } from "../../../query/insights/findings.ts";
import type { Occurrence } from "../../../query/insights/occurrences.ts";
import { failure, indexed } from "../opened-queries.ts";

const JANUARY = { since: "2026-01-01T00:00:00Z", until: "2026-02-01T00:00:00Z", timeZone: "UTC" };
const ALL = { ...JANUARY, minOccurrences: 1, minSessions: 1, limit: 100 };
const FAILURES: InsightsOptions = { ...ALL, kind: ["failures"] };

/** A model response costs a dollar. */
const spent = (usd: number) => ({
  input: 10,
  output: 5,
  cacheRead: 30,
  cacheWrite: 10,
  cost: { total: usd },
});

let calls = 0;

/** Adds a call in a response that costs a dollar, and its result. */
function call(talk: Session, tool: string, args: object, result: string, fields: Fields = {}): Session {
  const id = `call${++calls}`;
  talk.assistant([toolCall(id, tool, { ...args })], { usage: spent(1) });
  return talk.toolResult(id, tool, result, fields);
}

const fails = { isError: true };
const edit = (talk: Session, before: string, after: string, fields = {}) =>
  call(talk, "edit", { path: "a.ts", oldText: before, newText: after }, "Done.", fields);
const inShop = (day: string, options = {}) =>
  session({
    id: `shop-${day}`,
    cwd: "/home/ada/shop",
    timestamp: `2026-01-${day}T09:00:00.000Z`,
    ...options,
  });

async function findAll(sessions: Session[], options: InsightsOptions = ALL) {
  const { index, ...rest } = await indexed(...sessions);
  return { index, ...rest, found: await index.insights(options) };
}

const of = (findings: readonly InsightFinding[], kind: InsightFinding["kind"]) =>
  findings.filter((finding) => finding.kind === kind);

describe("failures", () => {
  test("are counted by command for shells, by tool for others, with what they used", async () => {
    const talk = inShop("05").user("Go.");
    call(talk, "bash", { command: "cd x && npm test" }, "Error: 3 failed", { ...fails, durationMs: 7000 });
    call(talk, "edit", { path: "a.ts" }, "Could not find the text", fails);
    call(talk, "edit", { path: "a.ts" }, "Done.");
    const { found, path } = await findAll([talk], FAILURES);
    expect(of(found.findings, "failures")).toMatchObject([
      {
        subject: "npm test",
        tool: "bash",
        occurrences: 1,
        sessions: 1,
        costUsd: 1,
        ms: 12_000,
        calledAgain: 0,
      },
      { subject: "edit", tool: "edit", occurrences: 1, of: 2, calledAgain: 1 },
    ]);
    const [npm] = of(found.findings, "failures");
    expect(npm).not.toHaveProperty("of");
    expect(npm?.examples).toMatchObject([
      { path, line: 4, sessionId: "shop-05", title: "Go · a.ts", occurrences: 1 },
    ]);
  });

  test("of a shell that says nothing are left out", async () => {
    const talk = inShop("05").user("Go.");
    call(talk, "bash", { command: "grep x y" }, "(no output)\n\nCommand exited with code 1", fails);
    const { found } = await findAll([talk]);
    expect(found.findings).toEqual([]);
  });

  test("a response's cost is divided by its calls", async () => {
    const talk = inShop("05").user("Go.");
    talk.assistant([toolCall("a", "read", { path: "a" }), toolCall("b", "read", { path: "b" })], {
      usage: spent(1),
    });
    talk.toolResult("a", "read", "No such file", fails).toolResult("b", "read", "text");
    const { found } = await findAll([talk], FAILURES);
    expect(of(found.findings, "failures")).toMatchObject([{ subject: "read", costUsd: 0.5, of: 2 }]);
  });

  test("in copies of a fork count once, in the original session", async () => {
    const talk = inShop("05").user("Go.");
    call(talk, "read", { path: "a" }, "No such file", fails);
    const fork = talk.fork({ id: "fork", timestamp: "2026-01-06T09:00:00.000Z" });
    const { found, paths } = await findAll([talk, fork], FAILURES);
    expect(of(found.findings, "failures")).toMatchObject([
      { occurrences: 1, sessions: 1, examples: [{ path: paths[0] }] },
    ]);
  });
});

test("failures that are the calls of a repeated error are listed only as that, which says why", async () => {
  const talk = inShop("05").user("Go.");
  call(talk, "read", { path: "a" }, "No such file", fails);
  call(talk, "bash", { command: "make" }, "Error: one", fails);
  call(talk, "bash", { command: "make" }, "Error: two\nmore", fails);
  call(talk, "bash", { command: "ls" }, "Error: two", fails);
  const { found } = await findAll([talk]);
  const names = found.findings.map(({ kind, subject }) => `${kind} ${subject}`).sort();
  expect(names.filter((name) => name.startsWith("failures"))).toEqual(["failures ls", "failures make"]);
  expect(names).toContain("repeated-errors No such file");
});

test("the same error in several sessions is one finding, with the sessions that have it most often first", async () => {
  const sessions = ["05", "06", "07"].map((day) => {
    const talk = inShop(day).user("Go.");
    call(
      talk,
      "bash",
      { command: "make" },
      `/tmp/${day}/x.c:${day}: fatal error: foo.h: No such file`,
      fails,
    );
    if (day === "06")
      call(talk, "bash", { command: "make" }, "/a/b.c:1: fatal error: foo.h: No such file", fails);
    return talk;
  });
  const { found, paths } = await findAll(sessions, JANUARY);
  expect(of(found.findings, "repeated-errors")).toMatchObject([
    {
      subject: "<path>:<n>: fatal error: foo.h: No such file",
      tool: "bash",
      occurrences: 4,
      sessions: 3,
      examples: [
        { path: paths[1], line: 6, occurrences: 2 },
        { path: paths[2], line: 4, occurrences: 1 },
        { path: paths[0], line: 4, occurrences: 1 },
      ],
    },
  ]);
});

describe("a repeated call", () => {
  const repeated = async (between: (talk: Session) => void, command = "make") => {
    const talk = inShop("05").user("Go.");
    call(talk, "bash", { command: "make" }, "Error: no", fails);
    between(talk);
    call(talk, "bash", { command }, "Error: no", fails);
    return of((await findAll([talk])).found.findings, "repeated-calls");
  };

  test("is the next call of the tool with equal arguments after a failure", async () => {
    const found = await repeated((talk) => call(talk, "read", { path: "a" }, "text"));
    expect(found).toMatchObject([{ subject: "make", occurrences: 1, stillFailed: 1, costUsd: 1 }]);
  });

  test("is not a call after a change, nor one with other arguments", async () => {
    expect(await repeated((talk) => edit(talk, "a", "b"))).toEqual([]);
    expect(await repeated(() => {}, "make all")).toEqual([]);
  });

  test("is still one after a change that failed", async () => {
    expect(await repeated((talk) => edit(talk, "a", "b", fails))).toHaveLength(1);
  });
});

describe("an undone edit", () => {
  const undone = async (...edits: [string, string, object?][]) => {
    const talk = inShop("05").user("Go.");
    for (const [before, after, fields] of edits) edit(talk, before, after, fields);
    const { found } = await findAll([talk]);
    const { changes } = found.totals.now;
    return { undone: found.totals.now.undone, changes, findings: of(found.findings, "undone-edits") };
  };

  test("is one that a later edit reversed, also with other lines around it", async () => {
    const result = await undone(["x\na\ny", "x\nb\ny"], ["1", "2"], ["b", "a"]);
    expect(result).toMatchObject({ undone: 1, changes: 1 });
    expect(result.findings).toMatchObject([
      { subject: "/home/ada/shop", occurrences: 1, costUsd: 2, examples: [{ line: 7 }] },
    ]);
  });

  test("is not one that was changed further, nor one that failed", async () => {
    expect(await undone(["a", "b"], ["b", "c"])).toMatchObject({ undone: 0, changes: 2 });
    expect(await undone(["a", "b", fails], ["b", "a"])).toMatchObject({ undone: 0, changes: 1 });
  });

  test("is undone by all edits that restore a part of it: none of them is an accepted change", async () => {
    const talk = inShop("05").user("Go.");
    const edits = [
      { oldText: "a", newText: "b" },
      { oldText: "1", newText: "2" },
    ];
    call(talk, "edit", { path: "a.ts", edits }, "Done.");
    edit(talk, "b", "a");
    edit(talk, "2", "1");
    const { found } = await findAll([talk]);
    expect(found.totals.now).toMatchObject({ undone: 1, changes: 0 });
    expect(of(found.findings, "undone-edits")).toMatchObject([
      { occurrences: 1, costUsd: 3, examples: [{ line: 7 }] },
    ]);
  });

  test.each([
    ["beside an empty list", (oldText: string, newText: string) => ({ edits: [], oldText, newText })],
    [
      "in a list written as JSON",
      (oldText: string, newText: string) => ({ edits: JSON.stringify([{ oldText, newText }]) }),
    ],
    ["in arguments of another agent", (old_str: string, new_str: string) => ({ old_str, new_str })],
  ])("may have its texts %s", async (_, toArguments) => {
    const talk = inShop("05").user("Go.");
    call(talk, "edit", { path: "a.ts", ...toArguments("a", "b") }, "Done.");
    call(talk, "edit", { path: "a.ts", ...toArguments("b", "a") }, "Done.");
    const { found } = await findAll([talk]);
    expect(found.totals.now).toMatchObject({ undone: 1, changes: 0 });
  });

  test("is undone once; redoing it undoes the reversal", async () => {
    expect(await undone(["a", "b"], ["b", "a"], ["a", "b"])).toMatchObject({ undone: 2, changes: 0 });
  });
});

test("slow calls and responses count from a minute on, those of absent users and of waiting tools not", async () => {
  const talk = inShop("05", { step: 1 }).user("Go.");
  call(talk, "bash", { command: "npm test" }, "ok", { durationMs: 60_000 });
  call(talk, "bash", { command: "npm test" }, "ok", { durationMs: 59_999 });
  call(talk, "ask_user", {}, "yes", { durationMs: 600_000 });
  talk.user("Think.").later(2).assistant("Thought.");
  talk.user("Later.").later(61).assistant("Back.");
  const { found } = await findAll([talk]);
  expect(of(found.findings, "slow-calls")).toMatchObject([
    { subject: "npm test", occurrences: 1, ms: 60_000, costUsd: 0 },
  ]);
  expect(of(found.findings, "slow-responses")).toMatchObject([
    { subject: "anthropic/claude-sonnet-4-5", occurrences: 1, ms: 121_000 },
  ]);
});

test("compactions have the tokens sent before and after them", async () => {
  const talk = inShop("05")
    .user("Go.")
    .assistant("One.", { usage: { ...spent(1), cacheRead: 90_000 } });
  talk.compaction("Summary", talk.lastId, { usage: spent(3) }).assistant("Two.", { usage: spent(1) });
  talk.compaction("Summary", talk.lastId);
  const { found } = await findAll([talk]);
  expect(of(found.findings, "compactions")).toMatchObject([
    { occurrences: 2, repeatedly: 1, tokensBefore: 90_020, tokensAfter: 50, costUsd: 3 },
  ]);
});

test("the period before is counted in the same way, and compared", async () => {
  const december = inShop("05", { id: "december", timestamp: "2025-12-20T09:00:00.000Z" }).user("Go.");
  const january = inShop("05").user("Go.");
  for (const talk of [december, january]) call(talk, "read", { path: "a" }, "No such file", fails);
  call(january, "write", { path: "a" }, "Done.");
  const { found } = await findAll([december, january], FAILURES);
  expect(found.before).toEqual({ since: "2025-12-01T00:00:00.000Z", until: "2026-01-01T00:00:00.000Z" });
  expect(of(found.findings, "failures")).toMatchObject([
    { occurrences: 1, before: { occurrences: 1, sessions: 1, costUsd: 1 } },
  ]);
  expect(found.totals).toMatchObject({
    now: { sessions: 1, changes: 1, costPerChangeUsd: 2, messages: 2 },
    before: { sessions: 1, changes: 0, messages: 1 },
  });
});

test("models and projects have the cost of an accepted change, by what sessions did", async () => {
  const changing = inShop("05").user("Go.");
  edit(changing, "a", "b");
  call(changing, "read", { path: "a" }, "text");
  const talking = session({ id: "talk", cwd: "/home/ada/blog", timestamp: "2026-01-06T23:00:00.000Z" });
  talking.user("Hello.").assistant("Hello.", { usage: spent(4) });
  const { found } = await findAll([changing, talking]);
  expect(found.models).toMatchObject([
    { task: "talk", costUsd: 4, changes: 0 },
    { task: "changes", costUsd: 2, changes: 1, costPerChangeUsd: 2, responses: 2 },
  ]);
  expect(found.projects.map(({ project, changes }) => [project, changes])).toEqual([
    ["/home/ada/blog", 0],
    ["/home/ada/shop", 1],
  ]);
  expect(found.hours.map(({ name, turns }) => [name, turns])).toEqual([
    ["09", 1],
    ["23", 1],
  ]);
  expect(found.weekdays.map(({ name }) => name)).toEqual(["monday", "tuesday"]);
});

test("findings need evidence; those that lost most money or time come first", async () => {
  const sessions = ["05", "06"].map((day) => {
    const talk = inShop(day).user("Go.");
    for (let n = 0; n < 2; n++) call(talk, "read", { path: "a" }, "No such file", fails);
    if (day === "05") for (let n = 0; n < 4; n++) call(talk, "grep", {}, "Error: one session", fails);
    for (let n = 0; n < 2; n++) call(talk, "bash", { command: "make" }, "ok", { durationMs: 90_000 });
    return talk;
  });
  const { found, index } = await findAll(sessions, JANUARY);
  expect(found.findings.map(({ kind, subject }) => `${kind} ${subject}`)).toEqual([
    "repeated-errors No such file",
    "slow-calls make",
  ]);
  expect(found.findings.some(({ tool }) => tool === "grep")).toBe(false);
  const limited = await index.insights({ ...JANUARY, limit: 1 });
  expect(limited.findings).toHaveLength(1);
  expect(limited.findingCount).toBe(found.findings.length);
  const kinds = await index.insights({ ...JANUARY, kind: ["slow-calls"] });
  expect(kinds.findings.map(({ kind }) => kind)).toEqual(["slow-calls"]);
});

test("a project's findings are those of its sessions", async () => {
  const shop = inShop("05").user("Go.");
  const blog = session({ id: "blog", cwd: "/home/ada/blog", timestamp: "2026-01-06T09:00:00.000Z" }).user(
    "Go.",
  );
  call(shop, "read", { path: "a" }, "No such file", fails);
  call(blog, "edit", { path: "a" }, "Could not find it", fails);
  const { found } = await findAll([shop, blog], { ...FAILURES, project: "blog" });
  expect(of(found.findings, "failures").map(({ subject }) => subject)).toEqual(["edit"]);
  expect(found.totals.now.sessions).toBe(1);
});

test("only what may be a finding is read back, and files that are gone are counted", async () => {
  const talk = inShop("05").user("Go.");
  for (let n = 0; n < 20; n++) call(talk, "read", { path: `${n}` }, "text");
  call(talk, "bash", { command: "make" }, "Error: no", fails);
  const { index, path, found } = await findAll([talk]);
  expect(found.read).toMatchObject({ entries: 2, omitted: 0, unreadable: 0 });
  appendFileSync(path, "\n");
  rmSync(path);
  const gone = await index.insights(ALL);
  expect(gone.read).toMatchObject({ entries: 0, unreadable: 2 });
  expect(of(gone.findings, "failures")).toMatchObject([{ subject: "bash", occurrences: 1 }]);
});

test("entries with a numeric time are read back", async () => {
  const time = Date.parse("2026-01-05T10:00:00.000Z");
  const talk = inShop("05").user("Go.");
  call(talk, "read", { path: "a" }, "No such file", { ...fails, timestamp: time });
  call(talk, "bash", { command: "make" }, "Error: no", { ...fails, timestamp: time / 1000 + 60 });
  const { found } = await findAll([talk]);
  expect(found.read).toMatchObject({ entries: 3, unreadable: 0 });
  expect(of(found.findings, "repeated-errors").map(({ subject }) => subject)).toEqual([
    "No such file",
    "Error: no",
  ]);
});

test("without all entries of the period before, findings that need them have no figures of it", async () => {
  const kinds: Pick<Occurrence, "kind" | "tool">[] = [
    { kind: "failures", tool: "bash" },
    { kind: "failures", tool: "read" },
    { kind: "undone-edits" },
    { kind: "compactions" },
  ];
  const occurrences = kinds.map((each, n) => ({ subject: "x", file: 1, line: n, cost: 1, ms: 1, ...each }));
  const limits = { examples: 1, minOccurrences: 1, minSessions: 1 };
  const findings = toFindings(occurrences, occurrences, { ...limits, isBeforeRead: false });
  expect(findings.map(({ kind, tool, before }) => [kind, tool, before?.occurrences]).sort()).toEqual([
    ["compactions", undefined, 1],
    ["failures", "bash", undefined],
    ["failures", "read", 1],
    ["undone-edits", undefined, undefined],
  ]);
  const all = toFindings(occurrences, occurrences, { ...limits, isBeforeRead: true });
  expect(all.map(({ before }) => before?.occurrences)).toEqual([1, 1, 1, 1]);
});

test("the cost per change is that of model responses, as in the tables", async () => {
  const talk = inShop("05").user("Go.");
  edit(talk, "a", "b");
  talk.compaction("Summary", talk.lastId, { usage: spent(3) });
  const { found } = await findAll([talk]);
  expect(found.totals.now).toMatchObject({ costUsd: 4, costPerChangeUsd: 1 });
  expect(found.projects).toMatchObject([{ costUsd: 1, costPerChangeUsd: 1 }]);
});

test("an empty index has no findings, and a wrong option is explained", async () => {
  const { index } = await indexed(inShop("05").user("Go."));
  const found = await index.insights();
  expect(found).toMatchObject({ findings: [], findingCount: 0, models: [], projects: [] });
  const error = await failure(index.insights({ kind: ["nothing" as "failures"] }));
  expect(error.code).toBe("BAD_OPTION");
});
