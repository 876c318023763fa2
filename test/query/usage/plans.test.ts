import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { migrations } from "../../../migrations/index.ts";
import { sessionUsage } from "../../../query/usage/session-usage.ts";
import { usage } from "../../../query/usage/usage.ts";
import { usageEvents } from "../../../query/usage/usage-events.ts";
import { USAGE_DIMENSIONS, type UsageDimension } from "../../../query/usage/usage-options.ts";
import { toRoot } from "../../../src/session/locations.ts";
import type { Statement } from "../../../src/store/sql.ts";
import { type Database, openDatabase } from "../../../src/store/sqlite/open.ts";
import { Reader } from "../../../src/store/sqlite/reader.ts";
import type { Scope } from "../../../src/store/sqlite/scope.ts";
import { SqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { syncFolders } from "../../indexer/index-at.ts";
import { collect, FIXTURES, sessionFiles } from "../opened-queries.ts";

const FOLDERS = ["pi", "atomic", "flat", "broken"].map((root) => join(FIXTURES, root));
const SESSION = sessionFiles(join(FIXTURES, "pi/--home-ada-shop--"))[0] as string;
/** Both ends are within a 15-minute bucket. */
const SPAN = { since: "2026-01-12T10:07Z", until: "2026-02-01T10:07Z" };
const timeZone = "Europe/Berlin";

/** The query plan of a statement. */
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
 * The query plans of the statements of a query on an index of the fixtures. Plans do not depend on the size of an index,
 * because it has no statistics.
 */
async function plansOf(
  run: (db: Reader, scope: Scope) => Promise<unknown>,
  looked = FOLDERS,
): Promise<Plan[]> {
  const statements: Statement[] = [];
  const db = Reader.of(database.readerHandle, (statement) => void statements.push(statement));
  await run(db, { roots: looked.map(toRoot) });
  expect(statements).not.toEqual([]);
  return statements.map(({ sql, values }) => ({
    sql,
    steps: database.readerHandle
      .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...values)
      .map(({ detail }) => detail),
  }));
}

/** How a plan accesses a table: `SCAN` reads all of it. Aliases are replaced by table names. */
function steps(plans: readonly Plan[]): { verb: string; table: string; how: string }[] {
  return plans.flatMap(({ sql, steps }) =>
    steps.flatMap((step) => {
      const [, verb, name, how] = /^(SCAN|SEARCH) (\w+)\b ?(.*)$/.exec(step) ?? [];
      if (verb === undefined || name === undefined || how === undefined) return [];
      // A list of parameters, or a subquery's result.
      if (how.startsWith("VIRTUAL TABLE")) return [];
      if (steps.some((other) => other === `MATERIALIZE ${name}` || other === `CO-ROUTINE ${name}`)) return [];
      const table = new RegExp(`(?:FROM|JOIN) (\\w+) AS ${name}\\b`).exec(sql)?.[1] ?? name;
      return [{ verb, table, how }];
    }),
  );
}

/**
 * The distinct tables that are scanned completely, except models, which are few, and the index on file paths used for
 * exclusions.
 */
function scanned(plans: readonly Plan[]): string[] {
  const scans = steps(plans).filter(({ verb, table, how }) => {
    // Small tables that are needed completely: sessions and models by name, and which sessions are subagent sessions. For tags
    // only whether there are any.
    if (verb !== "SCAN" || ["model", "run_file", "session", "tag", "usage_series"].includes(table))
      return false;
    return table !== "file" || !how.startsWith("USING COVERING INDEX");
  });
  return [...new Set(scans.map(({ table }) => table))].sort();
}

/** The distinct columns by which a table is searched. */
function searched(plans: readonly Plan[], ...tables: string[]): string[] {
  const ways = steps(plans).flatMap(({ verb, table, how }) =>
    verb === "SEARCH" && tables.includes(table) ? `${table} ${/\([^()]*\)/.exec(how)?.[0]}` : [],
  );
  return [...new Set(ways)].sort();
}

const LEDGER = ["event", "usage_rollup"] as const;

describe("over all time", () => {
  test.each([[], ...USAGE_DIMENSIONS.map((by) => [by])])(
    "a breakdown (%s) reads the roll-up once, by longer periods its days before, and no event",
    async (...by: UsageDimension[]) => {
      const plans = await plansOf((db, scope) => usage(new SqliteStore(db, scope), { by, timeZone }));
      const readings = ["day", "week", "month", "weekday"].some((period) => period === by[0]) ? 2 : 1;
      expect(steps(plans).filter(({ table }) => table === "usage_rollup")).toHaveLength(readings);
      expect(steps(plans).filter(({ table }) => table === "event")).toEqual([]);
    },
  );
});

describe("within a span of time", () => {
  test.each(USAGE_DIMENSIONS.map((by) => [by]))(
    "by %s looks up the events of its ends by file and time",
    async (by) => {
      const plans = await plansOf((db, scope) =>
        usage(new SqliteStore(db, scope), { by: [by], timeZone, ...SPAN }),
      );
      expect(scanned(plans)).toEqual([]);
      // One bucket at each end is summed event by event, for the files with events on that day.
      expect(searched(plans, "event")).toEqual(["event (file_id=? AND time>? AND time<?)"]);
      const files = searched(plans, "entry", "tool_call");
      expect(files).toEqual(["entry (rowid=?)", "tool_call (caller=?)", "tool_call (entry=?)"]);
    },
  );

  test("for complete buckets no event is read", async () => {
    const span = { since: "2026-01-12T10:15Z", until: "2026-02-01T10:00Z" };
    const plans = await plansOf((db, scope) => usage(new SqliteStore(db, scope), { by: ["model"], ...span }));
    expect(steps(plans).filter(({ table }) => table === "event")).toEqual([]);
  });
});

describe("of some files", () => {
  test.each([
    ["one session", { session: SESSION }],
    ["one project", { project: "shop" }],
  ])("sums of %s are looked up by file", async (_, options) => {
    const plans = await plansOf((db, scope) =>
      usage(new SqliteStore(db, scope), { by: ["tool"], ...options }),
    );
    expect(scanned(plans)).toEqual([]);
    expect(searched(plans, ...LEDGER)).toEqual([expect.stringMatching(/^usage_rollup \(file_id=\?/)]);
  });

  test("if the index has other files too, sums and events are looked up by file", async () => {
    const plans = await plansOf(
      (db, scope) => usage(new SqliteStore(db, scope), { by: ["model"] }),
      FOLDERS.slice(0, 1),
    );
    expect(scanned(plans)).toEqual([]);
    expect(searched(plans, "usage_rollup")).toEqual([expect.stringMatching(/^usage_rollup \(file_id=\?/)]);
    for (const way of searched(plans, "event")) expect(way).toMatch(/^event \((file_id|key|entry)=\?/);
  });

  test.each([
    ["all files", FOLDERS],
    ["a part of the files", FOLDERS.slice(0, 1)],
  ])("the cost of one session of %s is looked up by file", async (_, looked) => {
    const plans = await plansOf((db, scope) => sessionUsage(new SqliteStore(db, scope), SESSION), looked);
    expect(scanned(plans)).toEqual([]);
    expect(searched(plans, "usage_rollup")).toEqual([expect.stringMatching(/^usage_rollup \(file_id=\?/)]);
  });
});

describe("the events", () => {
  test.each([
    ["one session", { session: SESSION }],
    ["one project", { project: "shop" }],
  ])("of %s are looked up by file", async (_, options) => {
    const plans = await plansOf((db, scope) => collect(usageEvents(new SqliteStore(db, scope), options)));
    expect(scanned(plans)).toEqual([]);
    expect(searched(plans, "event")).toContain("event (file_id=?)");
  });

  test("of a time range are read from the files with usage on its days", async () => {
    const plans = await plansOf((db, scope) => collect(usageEvents(new SqliteStore(db, scope), { ...SPAN })));
    expect(scanned(plans)).toEqual([]);
    expect(searched(plans, "event").join()).toMatch(/event \(file_id=\?/);
  });

  test("of all time are scanned once, and then read page by page", async () => {
    const plans = await plansOf((db, scope) => collect(usageEvents(new SqliteStore(db, scope))));
    expect(scanned(plans)).toEqual(["event"]);
    expect(steps(plans).filter(({ verb, table }) => verb === "SCAN" && table === "event")).toHaveLength(1);
    expect(searched(plans, "event")).toEqual(["event (entry=? AND ordinal=?)", "event (key=?)"]);
  });
});

test("no query creates an automatic index", async () => {
  const plans = await plansOf(async (db, scope) => {
    for (const by of USAGE_DIMENSIONS)
      await usage(new SqliteStore(db, scope), { by: [by], timeZone, ...SPAN });
    await sessionUsage(new SqliteStore(db, scope), SESSION);
    await collect(usageEvents(new SqliteStore(db, scope), SPAN));
  });
  for (const { steps } of plans) expect(steps.join("\n")).not.toContain("AUTOMATIC");
});
