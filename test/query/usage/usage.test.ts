import { appendFileSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { toolCall } from "../../../fixtures/blocks.ts";
import { type Session, session } from "../../../fixtures/builder.ts";
import type { UsageOptions } from "../../../library/index.ts";
import { temporaryFolder } from "../../temporary.ts";
import { collect, failure, indexed, openOver } from "../opened-queries.ts";

/** A usage object with a cost in dollars. */
const spent = (usd: number) => ({
  input: 10,
  output: 5,
  cacheRead: 30,
  cacheWrite: 10,
  cost: { total: usd },
});
const answer = (talk: Session, usd: number, fields = {}) =>
  talk.assistant("Done.", { usage: spent(usd), ...fields });

/** Two projects; one session is forked in the other project's folder. */
async function createWorkspace() {
  const shop = session({ id: "shop", cwd: "/home/ada/shop", timestamp: "2026-01-05T09:00:00.000Z" });
  answer(shop.user("One."), 1, { model: "opus", provider: "anthropic" });
  answer(shop, 2, { model: "sonnet", provider: "anthropic" });
  const fork = shop.fork({ id: "fork", cwd: "/home/ada/blog", timestamp: "2026-01-06T09:00:00.000Z" });
  answer(fork.user("Two."), 4, {
    model: "opus",
    provider: "anthropic",
    timestamp: "2026-01-06T10:00:00.000Z",
  });
  return indexed(shop, fork);
}

const keysAndCosts = async (
  index: Awaited<ReturnType<typeof createWorkspace>>["index"],
  options: UsageOptions,
) => {
  const { rows } = await index.usage({ timeZone: "UTC", ...options });
  return rows.map(({ key, costUsd }) => [...Object.values(key), costUsd]);
};

describe("a breakdown", () => {
  test("counts a fork's copies in the original session", async () => {
    const { index } = await createWorkspace();
    expect(await keysAndCosts(index, { by: ["project"] })).toEqual([
      ["/home/ada/blog", 4],
      ["/home/ada/shop", 3],
    ]);
    expect(await keysAndCosts(index, { by: ["model"] })).toEqual([
      ["anthropic/opus", 5],
      ["anthropic/sonnet", 2],
    ]);
    expect(await keysAndCosts(index, { by: ["day"] })).toEqual([
      ["2026-01-05", 3],
      ["2026-01-06", 4],
    ]);
  });

  test("crosses two dimensions, the most expensive group first", async () => {
    const { index } = await createWorkspace();
    expect(await keysAndCosts(index, { by: ["project", "model"] })).toEqual([
      ["/home/ada/blog", "anthropic/opus", 4],
      ["/home/ada/shop", "anthropic/sonnet", 2],
      ["/home/ada/shop", "anthropic/opus", 1],
    ]);
  });

  test("starts days in the given time zone", async () => {
    const { index } = await createWorkspace();
    expect(await keysAndCosts(index, { by: ["day"], timeZone: "Pacific/Kiritimati" })).toEqual([
      ["2026-01-05", 3],
      ["2026-01-06", 0], // the fork's turn, with a response on the next day there
      ["2026-01-07", 4],
    ]);
    expect(await keysAndCosts(index, { by: ["week"], weekStart: "tuesday" })).toEqual([
      ["2025-12-30", 3],
      ["2026-01-06", 4],
    ]);
  });

  test.each<[UsageOptions, number]>([
    [{ model: "OPUS" }, 5],
    [{ model: "anthropic/sonnet" }, 2],
    [{ provider: "anthropic" }, 7],
    [{ provider: "anthro" }, 0],
    [{ project: "shop" }, 3],
    [{ cwd: "/home/ada/blog" }, 4],
    [{ session: "fork" }, 4],
    [{ since: "2026-01-06T00:00:00Z" }, 4],
    [{ until: "2026-01-06T00:00:00Z" }, 3],
    [{ kind: "assistant" }, 7],
    [{ kind: "compaction" }, 0],
    [{ subagents: "only" }, 0],
    [{ branch: "abandoned" }, 0],
    [{ tool: "bash" }, 0],
    [{ agent: "scout" }, 0],
  ])("filtered by %j is %d", async (options, usd) => {
    const { index } = await createWorkspace();
    expect((await index.usage(options)).total.costUsd).toBe(usd);
    const events = await collect(index.usageEvents(options));
    expect(events.reduce((sum, { costUsd }) => sum + costUsd, 0)).toBe(usd);
  });

  test("keeps the newest periods or the most expensive rows, and sums up the rest", async () => {
    const { index } = await createWorkspace();
    const days = await index.usage({ by: ["day"], timeZone: "UTC", limit: 1 });
    expect(days).toMatchObject({ rowCount: 2, others: { costUsd: 3 }, total: { costUsd: 7 } });
    expect(days.rows).toMatchObject([{ key: { day: "2026-01-06" }, costUsd: 4, runningCostUsd: 7 }]);
    const models = await index.usage({ by: ["model"], limit: 1 });
    expect(models).toMatchObject({ rows: [{ costUsd: 5 }], others: { costUsd: 2 } });
  });

  test("by session has the session", async () => {
    const { index } = await createWorkspace();
    const { rows } = await index.usage({ by: ["session"] });
    expect(rows.map(({ session }) => [session?.id, session?.cwd])).toEqual([
      ["fork", "/home/ada/blog"],
      ["shop", "/home/ada/shop"],
    ]);
  });

  test("has events without a time in no period", async () => {
    const talk = answer(session({ id: "one" }), 1);
    answer(talk, 2, { timestamp: "never", message: {} });
    const { index } = await indexed(talk);
    const rows = await keysAndCosts(index, { by: ["day"] });
    expect(rows.at(-1)).toEqual([null, 2]);
    expect((await index.usage({ until: "2030" })).total.costUsd).toBe(1);
    expect((await index.usage()).total.costUsd).toBe(3);
  });

  test("has more sums than one batch, in one bucket and in total", async () => {
    const talk = session({ id: "long", timestamp: "2026-01-01T00:00:00.000Z" }).user("Go on.");
    const models = Array.from({ length: 10_100 }, (_, n) => `model-${n}`);
    for (const model of models) answer(talk, 1, { model, timestamp: "2026-01-01T01:00:00.000Z" });
    const hours = Array.from({ length: 10_100 }, (_, n) =>
      new Date(Date.UTC(2026, 0, 1, 2 + n)).toISOString(),
    );
    for (const timestamp of hours) answer(talk, 2, { model: "last", timestamp });
    const { index } = await indexed(talk);
    const { rows } = await index.usage({ by: ["hour", "model"], timeZone: "UTC" });
    expect(rows.filter(({ costUsd }) => costUsd === 1)).toHaveLength(10_100);
    expect(rows.filter(({ costUsd }) => costUsd === 2).map(({ key }) => key.hour)).toEqual(
      hours.map((hour) => hour.slice(0, 16).replace("T", " ")),
    );
    expect(rows).toHaveLength(20_200);
  });

  test("counts turns, calls, failures, waits and compactions", async () => {
    const talk = session({ id: "one", step: 10 }).user("Go.");
    talk.assistant([toolCall("a", "bash", {}), toolCall("b", "edit", {})], { usage: spent(1) });
    talk.toolResult("a", "bash", "no", { isError: true }).toolResult("b", "edit", "yes");
    answer(talk, 1).compaction("Short.", talk.lastId, { usage: spent(3) });
    const { index } = await indexed(talk);
    const { total } = await index.usage();
    expect(total).toMatchObject({
      turns: 1,
      messages: 2,
      toolCalls: 2,
      answeredToolCalls: 2,
      failedToolCalls: 1,
    });
    expect(total).toMatchObject({ toolFailureRate: 0.5, compactions: 1, events: 3, costUsd: 5 });
    expect(total.cacheHitRate).toBeCloseTo(0.6);
    expect([total.modelMs, total.toolMs]).toEqual([20_000, 30_000]);
    const { rows } = await index.usage({ by: ["tool"] });
    expect(rows.map(({ key, toolCalls, failedToolCalls }) => [key.tool, toolCalls, failedToolCalls])).toEqual(
      [
        [null, 0, 0],
        ["bash", 1, 1],
        ["edit", 1, 0],
      ],
    );
  });
});

describe("a budget", () => {
  test("applies to the current period in the given time zone", async () => {
    const { index } = await createWorkspace();
    const { budget } = await index.usage({
      budget: "10/week",
      now: "2026-01-07T00:00:00Z",
      timeZone: "UTC",
      since: "2026-01-06",
    });
    expect(budget).toMatchObject({
      from: "2026-01-05T00:00:00.000Z",
      spentUsd: 7,
      share: 0.7,
      projectedUsd: 24.5,
    });
    expect(budget?.exhausted).toBe("2026-01-07T20:34:17.142Z");
  });

  test.each(["200", "month/200", "-3/day", "0/day", "5/fortnight", ""])("is not %j", async (budget) => {
    const { index } = await createWorkspace();
    expect(await failure(index.usage({ budget }))).toMatchObject({ code: "BAD_OPTION" });
  });
});

test.each<[UsageOptions, RegExp]>([
  [{ timeZone: "Mars/Olympus" }, /is not a time zone/],
  [{ by: ["day", "month", "model"] }, /at most two dimensions/],
  [{ by: ["day", "day"] }, /must differ from the first/],
  [{ by: ["color" as never] }, /expected one of/],
  [{ limit: 0 }, /limit/],
  [{ since: "yesterdayish" }, /is not a date/],
])("%j is rejected with a reason", async (options, message) => {
  const { index } = await createWorkspace();
  const error = await failure(index.usage(options));
  expect([error.code, error.message]).toEqual(["BAD_OPTION", expect.stringMatching(message)]);
});

describe("a subagent's usage", () => {
  /** A caller and its subagent run, which has a session of its own in another project. */
  async function handedOver() {
    const root = join(temporaryFolder(), "sessions");
    const run = session({ id: "run", cwd: "/tmp/worktree", timestamp: "2026-01-05T10:00:00.000Z" });
    const path = join(root, "p", "subagent-artifacts", "1_scout.jsonl");
    answer(run.user("Task: look."), 2, { model: "haiku", provider: "anthropic" }).write(path);
    const caller = session({ id: "caller", cwd: "/home/ada/shop" }).user("Ask the scout.");
    caller.assistant([toolCall("c", "subagent", {})], { usage: spent(1) });
    const usage = { input: 10, output: 5, cacheRead: 30, cacheWrite: 10, cost: 2 };
    const results = [{ agent: "scout", model: "anthropic/haiku", usage, artifactPaths: { jsonlPath: path } }];
    caller.toolResult("c", "subagent", "seen", { details: { results } });
    caller.write(join(root, "p", "caller.jsonl"));
    const index = await openOver([root]);
    await index.sync();
    return { index, root, path };
  }

  test("belongs to the session that started it, wherever it is recorded", async () => {
    const { index, path } = await handedOver();
    const query = async () => [
      await keysAndCosts(index, { by: ["project"] }),
      (await keysAndCosts(index, { by: ["session"] })).map(([, usd]) => usd),
      await keysAndCosts(index, { by: ["agent"] }),
      await keysAndCosts(index, { by: ["kind"] }),
      await keysAndCosts(index, { by: ["tool"] }),
      (await index.usage({ agent: "scout" })).total.costUsd,
      (await index.usage({ project: "shop" })).total.costUsd,
      (await index.usage({ subagents: "no" })).total.costUsd,
      (await index.usage({ tool: "subagent" })).total.costUsd,
      (await index.usage()).total.turns,
    ];
    const there = await query();
    expect(there).toEqual([
      [["/home/ada/shop", 3]],
      [3],
      [
        ["scout", 2],
        [null, 1],
      ],
      [
        ["subagent", 2],
        ["assistant", 1],
      ],
      [
        ["subagent", 2],
        [null, 1],
      ],
      2,
      3,
      1,
      2,
      1,
    ]);
    rmSync(path);
    await index.sync();
    expect(await query()).toEqual(there);
  });

  test("is recognized wherever its session is, if a result reports it as a run", async () => {
    const root = join(temporaryFolder(), "sessions");
    const caller = answer(session({ id: "caller", cwd: "/home/ada/shop" }), 1);
    const run = caller.fork({ id: "run", timestamp: "2026-01-06T09:00:00.000Z", cwd: "/tmp/worktree" });
    const sessionFile = answer(run.user("Task: look."), 5).write(join(root, "p", "run.jsonl"));
    const results = [{ agent: "scout", usage: { input: 1, output: 1, cost: 5 }, sessionFile }];
    caller.toolResult("c", "subagent", "seen", { details: { results } });
    const path = caller.write(join(root, "p", "caller.jsonl"));
    const index = await openOver([root]);
    await index.sync();
    const query = async () => [
      await keysAndCosts(index, { by: ["project"] }),
      await keysAndCosts(index, { by: ["agent"] }),
      await keysAndCosts(index, { by: ["kind"] }),
      (await index.usage({ subagents: "only" })).total.costUsd,
    ];
    const there = await query();
    expect(there.slice(0, 2)).toEqual([
      [["/home/ada/shop", 6]],
      [
        ["scout", 5],
        [null, 1],
      ],
    ]);
    const spend = await index.spend(path);
    expect(spend.subagents.map(({ figures }) => figures.costUsd)).toEqual([5]);
    expect([spend.forks, spend.withChildren.costUsd]).toEqual([[], 6]);
    rmSync(sessionFile);
    await index.sync();
    expect(await query()).toEqual(there);
  });

  test("is counted once after the whole tree was moved", async () => {
    const { index, root } = await handedOver();
    const moved = join(dirname(root), "elsewhere");
    mkdirSync(dirname(moved), { recursive: true });
    renameSync(root, moved);
    const there = await openOver([moved]);
    await there.sync();
    expect((await there.usage()).total.costUsd).toBe(3);
    await index.sync();
    expect((await index.usage()).total.costUsd).toBe(0);
  });
});

describe("a part of the index", () => {
  test("counts an event at its first occurrence in the scope", async () => {
    const { index, root, paths } = await createWorkspace();
    const [shop, fork] = paths.map((path) => dirname(path)) as [string, string];
    const query = async (folder: string) => {
      const part = await openOver([folder], index.path);
      return [
        (await part.usage()).total.costUsd,
        await keysAndCosts(part, { by: ["day"] }),
        (await collect(part.usageEvents())).reduce((sum, { costUsd }) => sum + costUsd, 0),
      ];
    };
    expect(await query(shop)).toEqual([3, [["2026-01-05", 3]], 3]);
    expect(await query(fork)).toEqual([
      7,
      [
        ["2026-01-05", 3],
        ["2026-01-06", 4],
      ],
      7,
    ]);
    expect((await query(root))[0]).toBe(7);
  });
});

test("events without a time, reported by runs elsewhere, each count in a part of the index", async () => {
  const folder = temporaryFolder();
  const [root, other] = [join(folder, "a"), join(folder, "b")];
  const sessionFile = answer(session({ id: "run" }), 9).write(join(other, "run.jsonl"));
  const caller = session({ id: "caller" });
  for (const cost of [2, 3]) {
    const results = [{ agent: "scout", usage: { input: 1, output: 1, cost }, sessionFile }];
    caller.toolResult("c", "subagent", "seen", { details: { results }, timestamp: "never", message: {} });
  }
  caller.write(join(root, "caller.jsonl"));
  const all = await openOver([root, other]);
  await all.sync();
  expect((await all.usage()).total.costUsd).toBe(9);
  const part = await openOver([root], all.path);
  expect((await part.usage()).total.costUsd).toBe(5);
});

describe("the cost of a session", () => {
  test("excludes inherited usage, and that of its forks", async () => {
    const { index } = await createWorkspace();
    const shop = await index.spend("shop");
    expect(shop).toMatchObject({
      own: { costUsd: 3 },
      inherited: { costUsd: 0 },
      withChildren: { costUsd: 7 },
    });
    expect(shop.forks.map(({ session, figures }) => [session.id, figures.costUsd])).toEqual([["fork", 4]]);
    const fork = await index.spend("fork");
    expect(fork).toMatchObject({ own: { costUsd: 4 }, inherited: { costUsd: 3, turns: 1 } });
    expect(fork.inheritedFrom.map(({ session, costUsd }) => [session.id, costUsd])).toEqual([["shop", 3]]);
  });

  test("moves to the next session if the first one is deleted", async () => {
    const { index, path } = await createWorkspace();
    rmSync(path);
    await index.sync();
    expect(await index.spend("fork")).toMatchObject({ own: { costUsd: 7 }, inherited: { costUsd: 0 } });
  });
});

test("a duplicated line is one event, and not inherited", async () => {
  const talk = answer(session({ id: "one" }), 1);
  const { index, path } = await indexed(talk);
  appendFileSync(path, `${talk.lines.at(-1)}\n`);
  await index.sync();
  expect(await index.spend("one")).toMatchObject({
    own: { costUsd: 1, messages: 1 },
    inherited: { costUsd: 0 },
    inheritedFrom: [],
  });
});

test("a run with only copies counts in its caller, whichever file the copied event is in", async () => {
  const root = join(temporaryFolder(), "sessions");
  const runPath = join(root, "p", "subagent-artifacts", "1.jsonl");
  const owner = answer(session({ id: "owner" }), 1);
  const ownerPath = owner.write(join(root, "p", "owner.jsonl"));
  owner.fork({ id: "run", timestamp: "2026-01-06T09:00:00.000Z" }).write(runPath);
  const results = [{ agent: "scout", usage: { input: 1, output: 1, cost: 7 }, sessionFile: runPath }];
  const caller = session({ id: "caller", timestamp: "2026-01-07T09:00:00.000Z" });
  caller.toolResult("c", "subagent", "done", { details: { results } });
  const callerPath = caller.write(join(root, "p", "caller.jsonl"));
  const index = await openOver([root]);
  await index.sync();
  expect((await index.usage()).total.costUsd).toBe(1); // the run has costs that its caller does not record
  // In one sync the owner loses the event and the caller gets it, so the run has no cost of its own.
  session({ id: "owner" }).user("Empty.").write(ownerPath);
  appendFileSync(callerPath, `${owner.lines.at(-1)}\n`);
  await index.sync();
  expect((await index.usage()).total.costUsd).toBe(8);
});

test("an event lists its other occurrences", async () => {
  const { index, paths } = await createWorkspace();
  const [first] = await collect(index.usageEvents({ model: "opus", until: "2026-01-06" }));
  expect(first).toMatchObject({ path: paths[0], line: 3, costUsd: 1, alsoIn: [{ path: paths[1], line: 3 }] });
});
