import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { migrations } from "../../../migrations/index.ts";
import type { Scope } from "../../../query/scope.ts";
import { spend } from "../../../query/usage/spend.ts";
import { usage } from "../../../query/usage/usage.ts";
import { usageEvents } from "../../../query/usage/usage-events.ts";
import { PERIODS, USAGE_DIMENSIONS, type UsageDimension } from "../../../query/usage/usage-options.ts";
import { rootAt } from "../../../src/session/locations.ts";
import { type Database, openDatabase } from "../../../src/store/sqlite/open.ts";
import { Reader } from "../../../src/store/sqlite/reader.ts";
import type { Statement } from "../../../src/store/sqlite/sql.ts";
import { syncFolders } from "../../indexer/index-at.ts";
import { collect, FIXTURES, sessionFiles } from "../opened.ts";

const FOLDERS = ["pi", "atomic", "flat", "broken"].map((root) => join(FIXTURES, root));
const SESSION = sessionFiles(join(FIXTURES, "pi/--home-ada-shop--"))[0] as string;
/** Both ends cut through a quarter of an hour. */
const SPAN = { since: "2026-01-12T10:07Z", until: "2026-02-01T10:07Z" };
const timeZone = "Europe/Berlin";

/** A statement as SQLite would run it. */
interface Plan {
  sql: string;
  steps: string[];
}

let folder: string;
let database: Database;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "pidex-test-"));
  database = await openDatabase({ path: join(folder, "index.db"), migrations });
  await syncFolders(database, FOLDERS);
});

afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

/**
 * How SQLite answers each statement that a question asks of an index over the fixtures. Plans are the same however much
 * an index holds: it keeps no statistics.
 */
async function plansOf(
  ask: (db: Reader, scope: Scope) => Promise<unknown>,
  looked = FOLDERS,
): Promise<Plan[]> {
  const asked: Statement[] = [];
  const db = new Reader(database.readerHandle, (statement) => void asked.push(statement));
  await ask(db, { roots: looked.map(rootAt) });
  expect(asked).not.toEqual([]);
  return asked.map(({ sql, values }) => ({
    sql,
    steps: database.readerHandle
      .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...values)
      .map(({ detail }) => detail),
  }));
}

/** How a plan goes at a table of the database: `SCAN` is all of it. Aliases are told as what they stand for. */
function steps(plans: readonly Plan[]): { verb: string; table: string; how: string }[] {
  return plans.flatMap(({ sql, steps }) =>
    steps.flatMap((step) => {
      const [, verb, name, how] = /^(SCAN|SEARCH) (\w+)\b ?(.*)$/.exec(step) ?? [];
      if (verb === undefined || name === undefined || how === undefined) return [];
      // A list that was given, or what another part of the statement found.
      if (how.startsWith("VIRTUAL TABLE")) return [];
      if (steps.some((other) => other === `MATERIALIZE ${name}` || other === `CO-ROUTINE ${name}`)) return [];
      const table = new RegExp(`(?:FROM|JOIN) (\\w+) AS ${name}\\b`).exec(sql)?.[1] ?? name;
      return [{ verb, table, how }];
    }),
  );
}

/**
 * The tables that are read as a whole, each but once; without models, which are few and all have to be known by name,
 * and an index on the paths of files, in which those are looked for that are not to be looked at.
 */
function scanned(plans: readonly Plan[]): string[] {
  const scans = steps(plans).filter(({ verb, table, how }) => {
    // Few, and all needed: models by name, and which sessions are subagents'. Of tags only whether there are any.
    if (verb !== "SCAN" || ["model", "run_file", "tag"].includes(table)) return false;
    return table !== "file" || !how.startsWith("USING COVERING INDEX");
  });
  return [...new Set(scans.map(({ table }) => table))].sort();
}

/** By which columns a table is searched, each way but once. */
function searched(plans: readonly Plan[], ...tables: string[]): string[] {
  const ways = steps(plans).flatMap(({ verb, table, how }) =>
    verb === "SEARCH" && tables.includes(table) ? `${table} ${/\([^()]*\)/.exec(how)?.[0]}` : [],
  );
  return [...new Set(ways)].sort();
}

/** The statements that ask for sums in order of time, and sort them for that. */
function sortedSums(plans: readonly Plan[]): string[] {
  const asked = plans.filter(({ sql }) => /ORDER BY "?(quarter|start)/.test(sql));
  expect(asked).not.toEqual([]);
  return asked.filter(({ steps }) => steps.some((step) => step.endsWith("ORDER BY"))).map(({ sql }) => sql);
}

const LEDGER = [
  "event",
  "spending",
  "quarter_spending",
  "session_spending",
  "session_total",
  "tool_use",
  "session_tool_use",
  "block_total",
  "block_model",
  "block_spending",
  "block_tool_use",
] as const;

/** Blocks of one length in a span. */
const inSpan = (table: string) => `${table} (width=? AND start>? AND start<?)`;

describe("over all time", () => {
  test.each([["project"], ["session"]] as const)(
    "by %s reads the coarse sums of sessions, and no others",
    async (by) => {
      const plans = await plansOf((db, scope) => usage(db, scope, { by: [by] }));
      expect(scanned(plans)).toEqual(["session_total"]);
      expect(searched(plans, ...LEDGER)).toEqual([]);
    },
  );

  test.each([
    ["model", ["block_spending"]],
    ["provider", ["block_spending"]],
    ["kind", ["block_spending"]],
    ["branch", ["block_spending"]],
    ["stop", ["block_spending"]],
    ["agent", ["block_spending"]],
    ["tool", ["block_spending", "block_tool_use"]],
  ] as const)(
    "by %s reads the longest blocks of time, and of sessions those of subagents at most",
    async (by, tables) => {
      const plans = await plansOf((db, scope) => usage(db, scope, { by: [by] }));
      expect(scanned(plans)).toEqual([]);
      const ofSubagents = { agent: ["session_spending"], tool: ["session_spending", "session_tool_use"] };
      const theirs = by === "agent" || by === "tool" ? ofSubagents[by] : [];
      expect(searched(plans, ...LEDGER)).toEqual([
        ...tables.map(inSpan),
        ...theirs.map((table) => `${table} (file_id=?)`),
      ]);
      const asked = plans.filter(({ sql }) => sql.includes("FROM block_"));
      expect(asked).toHaveLength(tables.length);
      for (const { sql } of asked) expect(sql).toContain("width = 1536");
    },
  );

  test("the total reads the longest blocks of time, and nothing else", async () => {
    const plans = await plansOf((db, scope) => usage(db, scope));
    expect(scanned(plans)).toEqual([]);
    expect(searched(plans, ...LEDGER)).toEqual([inSpan("block_spending")]);
  });

  test.each(PERIODS.map((by) => [by]))("by %s walks the coarse blocks of time", async (by) => {
    const plans = await plansOf((db, scope) => usage(db, scope, { by: [by], timeZone }));
    expect(scanned(plans)).toEqual([]);
    expect(searched(plans, ...LEDGER)).toEqual([inSpan("block_total")]);
    expect(sortedSums(plans)).toEqual([]);
  });

  test("by a period and a model walks the blocks of models", async () => {
    const plans = await plansOf((db, scope) => usage(db, scope, { by: ["day", "model"], timeZone }));
    expect(scanned(plans)).toEqual([]);
    expect(searched(plans, ...LEDGER)).toEqual([inSpan("block_model")]);
    expect(sortedSums(plans)).toEqual([]);
  });

  test("by day where days begin at half past looks up a few quarters by their time", async () => {
    const asked = { by: ["day" as const], timeZone: "Asia/Kolkata" };
    const plans = await plansOf((db, scope) => usage(db, scope, asked));
    expect(scanned(plans)).toEqual([]);
    const ways = [inSpan("block_total"), "quarter_spending (quarter>? AND quarter<?)"];
    expect(searched(plans, ...LEDGER)).toEqual(ways);
  });

  test("by hour where hours begin at half past walks the coarse sums of quarters", async () => {
    const asked = { by: ["hour" as const], timeZone: "Asia/Kolkata" };
    const plans = await plansOf((db, scope) => usage(db, scope, asked));
    expect(scanned(plans)).toEqual([]);
    expect(searched(plans, "quarter_spending")).toEqual(["quarter_spending (quarter>?)"]);
    expect(sortedSums(plans)).toEqual([]);
  });

  test.each(PERIODS.map((by) => [by]))(
    "by %s of one project walks the coarse sums of quarters",
    async (by) => {
      const plans = await plansOf((db, scope) => usage(db, scope, { by: [by], timeZone, project: "shop" }));
      expect(scanned(plans)).toEqual([]);
      expect(searched(plans, ...LEDGER)).toEqual(["quarter_spending (quarter>?)"]);
      expect(sortedSums(plans)).toEqual([]);
    },
  );
});

describe("within a span of time", () => {
  const quarters = (table: string) => `${table} (quarter>? AND quarter<?)`;
  const ofSubagents = (table: string) => `${table} (file_id=? AND quarter>? AND quarter<?)`;
  /** Whole blocks, the quarters before and after them; and of some sessions all. */
  const waysOf: Partial<Record<UsageDimension, string[]>> = {
    model: [inSpan("block_model"), quarters("spending")],
    provider: [inSpan("block_model"), quarters("spending")],
    kind: [inSpan("block_model"), quarters("spending")],
    stop: [inSpan("block_spending"), quarters("spending")],
    agent: [inSpan("block_spending"), ofSubagents("spending"), quarters("spending")],
    tool: [
      ...[inSpan("block_spending"), inSpan("block_tool_use")],
      ...[ofSubagents("spending"), quarters("spending"), ofSubagents("tool_use"), quarters("tool_use")],
    ],
    project: [quarters("quarter_spending")],
    session: [quarters("quarter_spending")],
  };

  test.each(USAGE_DIMENSIONS.map((by) => [by]))(
    "by %s looks blocks and quarters up by their time, and scans none",
    async (by) => {
      const plans = await plansOf((db, scope) => usage(db, scope, { by: [by], timeZone, ...SPAN }));
      expect(scanned(plans)).toEqual([]);
      const sums = searched(plans, ...LEDGER.filter((table) => table !== "event"));
      const ways = waysOf[by] ?? [inSpan("block_total"), quarters("quarter_spending")];
      // One quarter at each end is added up event by event: of the files that have anything in it.
      expect(sums).toEqual([...ways, "spending (quarter=?)"].sort());
      expect(searched(plans, "event")).toEqual(["event (file_id=? AND time>? AND time<?)"]);
      const files = searched(plans, "entry", "tool_call");
      expect(files).toEqual(["entry (rowid=?)", "tool_call (caller=?)", "tool_call (entry=?)"]);
    },
  );

  test.each([
    ["since", { since: SPAN.since }, [quarters("spending")]],
    ["until", { until: SPAN.until }, []],
  ])("that has but %s looks sums up by time, and scans none", async (_, span, ways) => {
    const plans = await plansOf((db, scope) => usage(db, scope, { by: ["model"], ...span }));
    expect(scanned(plans)).toEqual([]);
    expect(searched(plans, "spending")).toEqual([...ways, "spending (quarter=?)"].sort());
  });

  test("of whole quarters no event is looked at, of whole hours no quarter", async () => {
    const ends = async (since: string, until: string) => {
      const plans = await plansOf((db, scope) => usage(db, scope, { by: ["model"], since, until }));
      expect(scanned(plans)).toEqual([]);
      return searched(plans, ...LEDGER);
    };
    const blocks = inSpan("block_model");
    expect(await ends("2026-01-12T10:15Z", "2026-02-01T10:00Z")).toEqual([blocks, quarters("spending")]);
    expect(await ends("2026-01-12T10:00Z", "2026-02-01T10:00Z")).toEqual([blocks]);
  });

  test("a budget looks up its period by blocks", async () => {
    const now = "2026-01-20T10:07Z";
    const plans = await plansOf((db, scope) => usage(db, scope, { budget: "200/month", now, timeZone }));
    expect(scanned(plans)).toEqual([]);
    expect(searched(plans, ...LEDGER)).toEqual([
      inSpan("block_spending"), // the total of all time, which it stands beside
      inSpan("block_total"),
      "event (file_id=? AND time>? AND time<?)",
      "spending (quarter=?)",
    ]);
  });
});

describe("of some files", () => {
  test.each([
    ["one session", { session: SESSION }],
    ["one project", { project: "shop" }],
  ])("sums of %s are looked up by file", async (_, options) => {
    const plans = await plansOf((db, scope) => usage(db, scope, { by: ["tool"], ...options }));
    expect(scanned(plans)).toEqual([]);
    expect(searched(plans, ...LEDGER)).toEqual([
      "session_spending (file_id=?)",
      "session_tool_use (file_id=?)",
    ]);
  });

  test("sums of one project within a span are looked up by file and quarter", async () => {
    const plans = await plansOf((db, scope) => usage(db, scope, { by: ["model"], project: "shop", ...SPAN }));
    expect(scanned(plans)).toEqual([]);
    expect(searched(plans, "spending")).toContain("spending (file_id=? AND quarter>? AND quarter<?)");
  });

  test("where the index knows of others, sums and events are looked up by file", async () => {
    const plans = await plansOf((db, scope) => usage(db, scope, { by: ["model"] }), FOLDERS.slice(0, 1));
    expect(scanned(plans)).toEqual([]);
    expect(searched(plans, "session_spending")).toEqual(["session_spending (file_id=?)"]);
    for (const way of searched(plans, "event")) expect(way).toMatch(/^event \((file_id|key|entry)=\?/);
  });

  test.each([
    ["all files", FOLDERS],
    ["a part of the files", FOLDERS.slice(0, 1)],
  ])("what one session of %s cost is looked up by file", async (_, looked) => {
    const plans = await plansOf((db, scope) => spend(db, scope, SESSION), looked);
    expect(scanned(plans)).toEqual([]);
    expect(
      searched(plans, "session_total", "session_spending", "session_tool_use", "spending", "tool_use"),
    ).toEqual(["session_spending (file_id=?)", "session_tool_use (file_id=?)", "session_total (file_id=?)"]);
  });
});

describe("the acts", () => {
  test.each([
    ["one session", { session: SESSION }],
    ["one project", { project: "shop" }],
  ])("of %s are looked up by file", async (_, options) => {
    const plans = await plansOf((db, scope) => collect(usageEvents(db, scope, options)));
    expect(scanned(plans)).toEqual([]);
    expect(searched(plans, "event")).toContain("event (file_id=?)");
  });

  test("of a span are looked for in the files that have any then", async () => {
    const plans = await plansOf((db, scope) => collect(usageEvents(db, scope, { ...SPAN })));
    expect(scanned(plans)).toEqual([]);
    expect(searched(plans, "event").join()).toMatch(/event \(file_id=\?/);
  });

  test("of all time are gone through once, and then looked up page by page", async () => {
    const plans = await plansOf((db, scope) => collect(usageEvents(db, scope)));
    expect(scanned(plans)).toEqual(["event"]);
    expect(steps(plans).filter(({ verb, table }) => verb === "SCAN" && table === "event")).toHaveLength(1);
    expect(searched(plans, "event")).toEqual(["event (entry=? AND ordinal=?)", "event (key=?)"]);
  });
});

test("nothing that is asked makes an index for itself", async () => {
  const plans = await plansOf(async (db, scope) => {
    for (const by of USAGE_DIMENSIONS) await usage(db, scope, { by: [by], timeZone, ...SPAN });
    await spend(db, scope, SESSION);
    await collect(usageEvents(db, scope, SPAN));
  });
  for (const { steps } of plans) expect(steps.join("\n")).not.toContain("AUTOMATIC");
});
