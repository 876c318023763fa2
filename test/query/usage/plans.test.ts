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
import { type Database, openDatabase } from "../../../src/database/open.ts";
import { Reader } from "../../../src/database/reader.ts";
import type { Statement } from "../../../src/database/sql.ts";
import { rootAt } from "../../../src/session/locations.ts";
import { syncFolders } from "../../indexer/index-at.ts";
import { collect, FIXTURES, sessionFiles } from "../opened.ts";

const FOLDERS = ["pi", "atomic", "flat", "broken"].map((root) => join(FIXTURES, root));
const SESSION = sessionFiles(join(FIXTURES, "pi/--home-ada-shop--"))[0] as string;
/** Both ends cut through a quarter of an hour. */
const SPAN = { since: "2026-01-12T10:07Z", until: "2026-02-01T10:07Z" };
const timeZone = "Europe/Berlin";
const NOT_PERIODS = USAGE_DIMENSIONS.filter(
  (dimension) => !(PERIODS as readonly string[]).includes(dimension),
);

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
  const asked = plans.filter(({ sql }) => sql.includes("ORDER BY quarter"));
  expect(asked).not.toEqual([]);
  return asked.filter(({ steps }) => steps.some((step) => step.endsWith("ORDER BY"))).map(({ sql }) => sql);
}

const LEDGER = [
  "event",
  "spending",
  "quarter_spending",
  "session_spending",
  "tool_use",
  "session_tool_use",
] as const;

describe("over all time", () => {
  test.each(NOT_PERIODS.map((by) => [by]))("by %s reads the sums of sessions, and no others", async (by) => {
    const plans = await plansOf((db, scope) => usage(db, scope, { by: [by] }));
    expect(scanned(plans)).toEqual(
      by === "tool" ? ["session_spending", "session_tool_use"] : ["session_spending"],
    );
    expect(searched(plans, ...LEDGER)).toEqual([]);
  });

  test("the total reads the sums of sessions, and no others", async () => {
    const plans = await plansOf((db, scope) => usage(db, scope));
    expect(scanned(plans)).toEqual(["session_spending"]);
    expect(searched(plans, ...LEDGER)).toEqual([]);
  });

  test.each(PERIODS.map((by) => [by]))(
    "by %s walks the coarse sums of quarters, and no others",
    async (by) => {
      const plans = await plansOf((db, scope) => usage(db, scope, { by: [by], timeZone }));
      expect(scanned(plans)).toEqual([]);
      expect(searched(plans, ...LEDGER)).toEqual(["quarter_spending (quarter>?)"]);
      expect(sortedSums(plans)).toEqual([]);
    },
  );

  test("by a period and a model looks sums up by quarter", async () => {
    const plans = await plansOf((db, scope) => usage(db, scope, { by: ["day", "model"], timeZone }));
    expect(scanned(plans)).toEqual([]);
    expect(searched(plans, ...LEDGER)).toEqual(["spending (quarter>?)"]);
    expect(sortedSums(plans)).toEqual([]);
  });
});

describe("within a span of time", () => {
  const wayOf: Partial<Record<UsageDimension, string[]>> = {
    tool: ["spending", "tool_use"],
    ...Object.fromEntries(
      [...PERIODS, "project", "session", "branch"].map((by) => [by, ["quarter_spending"]]),
    ),
  };

  test.each(USAGE_DIMENSIONS.map((by) => [by]))(
    "by %s looks sums up by quarter, and scans none",
    async (by) => {
      const plans = await plansOf((db, scope) => usage(db, scope, { by: [by], timeZone, ...SPAN }));
      expect(scanned(plans)).toEqual([]);
      const sums = searched(plans, "quarter_spending", "session_spending", "tool_use", "session_tool_use");
      const tables = wayOf[by] ?? ["spending"];
      expect(sums).toEqual(
        tables.filter((table) => table !== "spending").map((table) => `${table} (quarter>? AND quarter<?)`),
      );
      // One quarter at each end is added up event by event: of the files that have anything in it.
      expect(searched(plans, "spending")).toEqual([
        "spending (quarter=?)",
        ...(tables.includes("spending") ? ["spending (quarter>? AND quarter<?)"] : []),
      ]);
      expect(searched(plans, "event")).toEqual(["event (file_id=? AND time>? AND time<?)"]);
      const files = searched(plans, "entry", "tool_call");
      expect(files).toEqual(["entry (rowid=?)", "tool_call (entry=?)"]);
    },
  );

  test.each([
    ["since", { since: SPAN.since }, "spending (quarter>?)"],
    ["until", { until: SPAN.until }, "spending (quarter>? AND quarter<?)"],
  ])("that has but %s looks sums up by quarter, and scans none", async (_, span, way) => {
    const plans = await plansOf((db, scope) => usage(db, scope, { by: ["model"], ...span }));
    expect(scanned(plans)).toEqual([]);
    expect(searched(plans, "spending")).toEqual([way, "spending (quarter=?)"].sort());
  });

  test("of whole quarters no event is looked at", async () => {
    const span = { since: "2026-01-12T10:15Z", until: "2026-02-01T10:00Z" };
    const plans = await plansOf((db, scope) => usage(db, scope, { by: ["model"], ...span }));
    expect(searched(plans, ...LEDGER)).toEqual(["spending (quarter>? AND quarter<?)"]);
    expect(scanned(plans)).toEqual([]);
  });

  test("a budget looks up its period by quarter", async () => {
    const now = "2026-01-20T10:07Z";
    const plans = await plansOf((db, scope) => usage(db, scope, { budget: "200/month", now, timeZone }));
    expect(scanned(plans)).toEqual(["session_spending"]); // the total of all time, which it stands beside
    expect(searched(plans, "quarter_spending")).toEqual(["quarter_spending (quarter>? AND quarter<?)"]);
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
    expect(searched(plans, "session_spending", "session_tool_use", "spending", "tool_use")).toEqual([
      "session_spending (file_id=?)",
      "session_tool_use (file_id=?)",
    ]);
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
