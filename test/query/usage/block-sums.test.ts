/** Blocks of time answer as sums by quarter do: the same questions are asked of both. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { toolCall } from "../../../fixtures/blocks.ts";
import { session } from "../../../fixtures/builder.ts";
import { longest, pieces, splitAt, wholeIn } from "../../../query/usage/block-spans.ts";
import { breakDown, isPeriod, needsMembers } from "../../../query/usage/breakdown.ts";
import { ledgerPart } from "../../../query/usage/ledger-part.ts";
import { type Narrowing, narrow } from "../../../query/usage/narrow.ts";
import { USAGE_DIMENSIONS, type UsageDimension, WEEKDAYS } from "../../../query/usage/usage-options.ts";
import { rootAt } from "../../../src/session/locations.ts";
import type { Database } from "../../../src/store/sqlite/open.ts";
import { Reader } from "../../../src/store/sqlite/reader.ts";
import { openThrowaway, syncFolders } from "../../indexer/index-at.ts";

const RUNS = Number(process.env.PIDEX_RUNS ?? 80);

/** Clocks that are set by an hour, half an hour, over midnight, or that stand at odd minutes and seconds. */
const ZONES = [
  ...["UTC", "Europe/Berlin", "America/Los_Angeles", "Asia/Kolkata", "Asia/Kathmandu", "Pacific/Chatham"],
  ...["Australia/Lord_Howe", "America/Havana", "Pacific/Kiritimati", "Africa/Monrovia", "Pacific/Apia"],
];
/** Around these moments clocks are set; there is nothing at most others. */
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
}, 60_000);

afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

/** A question's answers from blocks, and without them. */
async function both(
  by: UsageDimension[],
  timeZone: string,
  options: Partial<Narrowing> = {},
): Promise<[unknown, unknown]> {
  const scope = { roots: [rootAt(root())] };
  const db = new Reader(database.readerHandle);
  const ledger = await ledgerPart(db, scope);
  const narrowing: Narrowing = { subagents: "yes", ...options };
  const needs = { needsMembers: needsMembers(by), isByPeriod: by.some(isPeriod) };
  const narrowed = await narrow(db, scope, narrowing, needs);
  expect(narrowed.subagents.length).toBeGreaterThan(10);
  const { since, until } = options;
  const ask = async (blocks: typeof narrowed.blocks) => {
    const how = { by, since, until, timeZone, weekStart: WEEKDAYS[0] };
    const groups = await breakDown(db, ledger, { ...narrowed, blocks }, how);
    return groups.map(({ labels, sums }) => ({ labels, ...sums, quarter: undefined, counted: undefined }));
  };
  return [await ask(narrowed.blocks), await ask(undefined)];
}

/** The figures of groups: a group may be the row it was made of. */
const told = (groups: unknown) => JSON.parse(JSON.stringify(groups, Object.keys(SHOWN))) as unknown;
const SHOWN = Object.fromEntries(
  ["labels", "billed", "messages", "turns", "compactions", "input", "output", "cost", "model_ms", "user_ms"]
    .concat(["calls", "answered", "failed", "tool_ms", "cache_read", "cache_write"])
    .map((name) => [name, true]),
);

test.each(ZONES.map((zone) => [zone]))("by each dimension in %s", async (zone) => {
  for (const by of USAGE_DIMENSIONS) {
    const [blocks, quarters] = await both([by], zone);
    expect([by, told(blocks)]).toEqual([by, told(quarters)]);
    expect(blocks).not.toEqual([]);
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
    branch: fc.constantFrom("current" as const, "left" as const),
    subagents: fc.constantFrom("no" as const, "only" as const),
  },
  { requiredKeys: [] },
);

test("whatever is asked, of any span", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(dimension, { maxLength: 2 }),
      fc.constantFrom(...ZONES),
      filters,
      moment,
      moment,
      async (by, zone, options, since, until) => {
        const [blocks, quarters] = await both(by, zone, { ...options, since, until });
        expect(told(blocks)).toEqual(told(quarters));
      },
    ),
    { numRuns: RUNS },
  );
}, 600_000);

const quarter = fc.integer({ min: -20_000, max: 20_000 });

test("pieces of a span lie in it without gaps, in whole blocks", () => {
  fc.assert(
    fc.property(quarter, quarter, fc.subarray([4, 96, 1536]), (from, until, widths) => {
      let at = from;
      for (const piece of pieces({ from, until }, widths)) {
        expect(piece.from).toBe(at);
        expect(piece.until).toBeGreaterThan(piece.from);
        expect([Math.abs(piece.from % piece.width), Math.abs(piece.until % piece.width)]).toEqual([0, 0]);
        at = piece.until;
      }
      expect(at).toBe(Math.max(from, from < until ? until : from));
      expect(pieces({ from, until }, widths).length).toBeLessThan(2 * widths.length + 2);
    }),
  );
});

test("a span is split at its cuts, and the longest part found", () => {
  const span = { from: 0, until: 96 };
  expect(splitAt(span, [])).toEqual([span]);
  const parts = [
    { from: 0, until: 8 },
    { from: 8, until: 88 },
    { from: 88, until: 96 },
  ];
  expect(splitAt(span, [8, 88])).toEqual(parts);
  expect(longest(parts)).toEqual(parts[1]);
  expect(wholeIn({ from: 3, until: 13 }, 4)).toEqual({ from: 4, until: 12 });
  expect(wholeIn({ from: 3, until: 7 }, 4)).toBeUndefined();
});
