/** Queries return the same sums from the roll-up as from the events. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { toolCall } from "../../../fixtures/blocks.ts";
import { session } from "../../../fixtures/builder.ts";
import { breakDown, needsMembers } from "../../../query/usage/breakdown.ts";
import { resolveFilters, type UsageFilters } from "../../../query/usage/resolve-filters.ts";
import { USAGE_DIMENSIONS, type UsageDimension } from "../../../query/usage/usage-options.ts";
import { WEEKDAYS } from "../../../query/weekdays.ts";
import { toRoot } from "../../../src/session/locations.ts";
import { SUMS, zeroSums } from "../../../src/store/schema.ts";
import type { Database } from "../../../src/store/sqlite/open.ts";
import { Reader } from "../../../src/store/sqlite/reader.ts";
import { readScopedLedger, type ScopedLedger } from "../../../src/store/sqlite/scoped-ledger.ts";
import { SqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { sumLedger } from "../../../src/store/sqlite/sum-ledger.ts";
import type { SumQuery } from "../../../src/store/usage-reads.ts";
import { addRollup, packRollup, unpackRollup } from "../../../src/store/usage-rollup.ts";
import { openThrowaway, syncFolders } from "../../indexer/index-at.ts";

const RUNS = Number(process.env.PIDEX_RUNS ?? 80);

/** Time zones with changes by an hour, by half an hour, over midnight, and with offsets of odd minutes and seconds. */
const ZONES = [
  ...["UTC", "Europe/Berlin", "America/Los_Angeles", "Asia/Kolkata", "Asia/Kathmandu", "Pacific/Chatham"],
  ...["Australia/Lord_Howe", "America/Havana", "Pacific/Kiritimati", "Africa/Monrovia", "Pacific/Apia"],
];
/** Times around clock changes; most other times have no events. */
const MOMENTS = [
  ...[
    "2026-03-29T00:00Z",
    "2026-10-25T00:00Z",
    "2026-03-08T05:00Z",
    "2026-11-01T05:00Z",
    "2026-04-04T15:00Z",
  ],
  ...["1968-12-31T23:00Z", "1972-01-06T23:00Z", "2011-12-30T09:00Z", "1969-12-31T12:00Z"],
].map((text) => Date.parse(text));

let folder: string;
let database: Database;
let eventsAlone: Database;
const root = () => join(folder, "sessions");

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "pidex-test-"));
  let n = 0;
  for (const moment of MOMENTS) {
    for (let hour = -30; hour <= 30; hour += 3) {
      const at = (minutes: number) => {
        const timestamp = new Date(moment + (hour * 60 + minutes) * 60_000).toISOString();
        return { timestamp };
      };
      const spent = { usage: { input: ++n, output: 7, cost: { total: n / 1000 } } };
      const model = `model-${n % 3}`;
      const talk = session({ id: `talk-${n}`, ...at(0), cwd: `/home/ada/p${n % 4}` })
        .user("Begin.", at(1))
        .assistant([toolCall(`c${n}`, n % 2 ? "read" : "bash", {})], { ...spent, model, ...at(14) })
        .toolResult(`c${n}`, n % 2 ? "read" : "bash", "done", at(16))
        .user("Go on.", at(47))
        .assistant("Done.", { ...spent, model, stopReason: n % 5 ? "stop" : "length", ...at(61) });
      if (n % 7 === 0) talk.assistant("Nobody knows when.", { ...spent, model, timestamp: "never" });
      if (n % 4 === 0) talk.write(join(root(), "p", "subagent-artifacts", `${n}.jsonl`));
      else talk.writeUnder(root());
    }
  }
  database = await openThrowaway(join(folder, "index.db"));
  await syncFolders(database, root());
  eventsAlone = await openThrowaway(join(folder, "events.db"));
  await syncFolders(eventsAlone, root());
  eventsAlone.writer.exec("DELETE FROM usage_rollup");
}, 60_000);

afterAll(async () => {
  await database.close();
  await eventsAlone.close();
  rmSync(folder, { recursive: true });
});

/** Results of a query from the roll-up, and event by event from a copy without it. */
async function both(
  by: UsageDimension[],
  timeZone: string,
  options: Partial<UsageFilters> = {},
): Promise<[unknown, unknown]> {
  const scope = { roots: [toRoot(root())] };
  const narrowing: UsageFilters = { subagents: "yes", ...options };
  const { since, until } = options;
  const run = async ({ readerHandle }: Database, all: ScopedLedger["reattributed"]) => {
    const db = Reader.of(readerHandle);
    const ledger = await readScopedLedger(db, scope);
    const narrowed = await resolveFilters(new SqliteStore(db, scope), narrowing, needsMembers(by));
    expect(narrowed.subagents.size).toBeGreaterThan(10);
    const how = { by, since, until, timeZone, weekStart: WEEKDAYS[0] };
    const reads = {
      sum: (query: SumQuery) => sumLedger(db, { ...ledger, reattributed: all }, query),
    };
    const groups = await breakDown(reads, narrowed, how);
    return groups.map(({ labels, sums }) => ({ labels, sums: [...sums] }));
  };
  const own = "SELECT entry, ordinal, file_id AS file FROM event WHERE attribution = 0";
  const events = eventsAlone.writer.prepare<[], ScopedLedger["reattributed"][number]>(own).all();
  return [await run(database, []), await run(eventsAlone, events)];
}

test.each(ZONES.map((zone) => [zone]))("by each dimension in %s", async (zone) => {
  for (const by of USAGE_DIMENSIONS) {
    const [rolledUp, events] = await both([by], zone);
    expect([by, rolledUp]).toEqual([by, events]);
    expect(rolledUp).not.toEqual([]);
  }
});

const dimension = fc.constantFrom(...USAGE_DIMENSIONS);
const moment = fc.option(
  fc
    .tuple(
      fc.constantFrom(...MOMENTS),
      fc.integer({ min: -1800, max: 1800 }),
      fc.constantFrom(0, 0, 0, 1, 59_999),
    )
    .map(([at, minutes, ms]) => at + minutes * 60_000 + ms),
  { nil: undefined },
);
const filters = fc.record(
  {
    model: fc.constantFrom("model-1", "nothing"),
    kind: fc.constantFrom("assistant", "subagent", "tool", "user"),
    branch: fc.constantFrom("current" as const, "abandoned" as const),
    subagents: fc.constantFrom("no" as const, "only" as const),
  },
  { requiredKeys: [] },
);

test("any options, for any time range", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(dimension, { maxLength: 2 }),
      fc.constantFrom(...ZONES),
      filters,
      moment,
      moment,
      async (by, zone, options, since, until) => {
        const [rolledUp, events] = await both(by, zone, { ...options, since, until });
        expect(rolledUp).toEqual(events);
      },
    ),
    { numRuns: RUNS },
  );
}, 600_000);

test("rows come out as they were packed", () => {
  const sum = fc.oneof(fc.constant(0), fc.nat(), fc.maxSafeNat());
  const sums = fc.array(sum, { minLength: SUMS.length, maxLength: SUMS.length });
  const key = fc.tuple(fc.nat(95), fc.integer({ min: 1, max: 100_000 }));
  const rows = fc.uniqueArray(fc.tuple(key, sums), { selector: ([key]) => key.join() });
  fc.assert(
    fc.property(fc.integer({ min: -110_000_000, max: 100_000_000 }), rows, (day, taken) => {
      const packed = taken.map(([[quarter, series], sums]) => ({
        bucket: day * 96 + quarter,
        series,
        sums,
      }));
      const inOrder = packed.toSorted((a, b) => a.bucket - b.bucket || a.series - b.series);
      expect(unpackRollup(day, packRollup(day, packed))).toEqual(inOrder);
    }),
  );
});

test("sums over all series are those of each series, added up", () => {
  const row = fc.record({
    bucket: fc.nat(95),
    series: fc.integer({ min: 1, max: 9 }),
    sums: fc.array(fc.nat(9), { minLength: SUMS.length, maxLength: SUMS.length }),
  });
  const rows = fc.uniqueArray(row, { selector: ({ bucket, series }) => `${bucket} ${series}` });
  fc.assert(
    fc.property(rows, fc.nat(96), fc.nat(96), (rows, from, until) => {
      const packed = packRollup(0, rows);
      const [alike, each] = [true, false].map((areSeriesAlike) => {
        const byQuarter = Array.from({ length: 96 }, zeroSums);
        addRollup(packed, (quarter) => byQuarter[quarter], { from, until, areSeriesAlike });
        return byQuarter;
      });
      expect(alike).toEqual(each);
    }),
  );
});

test("damaged rows don't loop forever", () => {
  const text = fc
    .array(fc.oneof(fc.nat(127), fc.nat(0xffff)), { maxLength: 200 })
    .map((codes) => String.fromCharCode(...codes));
  fc.assert(
    fc.property(text, (packed) => {
      expect(unpackRollup(0, packed).length).toBeLessThanOrEqual(packed.length);
    }),
  );
});
