import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  addFigures,
  type Index,
  openIndex,
  USAGE_DIMENSIONS,
  type UsageDimension,
} from "../../../library/index.ts";
import { type NaiveEvent, naiveLedger } from "../../indexer/naive-ledger.ts";
import { RootSimulation, type Step, tameSteps } from "../../indexer/root-simulation.ts";
import { temporaryFolder } from "../../temporary.ts";
import { collect } from "../opened-queries.ts";

const RUNS = Number(process.env.PIDEX_RUNS ?? 5);

/** Costs of owned events by a property, computed from the files. */
function naively(events: readonly NaiveEvent[], of: (event: NaiveEvent) => string): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const event of events) {
    const cost = event.figures[6] ?? 0;
    if (event.attribution === "owner" && cost > 0) sums[of(event)] = (sums[of(event)] ?? 0) + cost;
  }
  return sums;
}

async function costsBy(index: Index, dimension: UsageDimension): Promise<Record<string, number>> {
  const { rows } = await index.usage({ by: [dimension], timeZone: "UTC" });
  const costly = rows.filter(({ costNanoUsd }) => costNanoUsd > 0);
  return Object.fromEntries(costly.map(({ key, costNanoUsd }) => [key[dimension] ?? "", costNanoUsd]));
}

const sum = (rows: readonly { costNanoUsd: number }[]) =>
  rows.reduce((total, { costNanoUsd }) => total + costNanoUsd, 0);

async function check(index: Index, simulation: RootSimulation, cut: number): Promise<void> {
  const spent = simulation.getTotalCost();
  const { events } = naiveLedger(simulation.root);
  const { total } = await index.usage();
  expect(total.costNanoUsd).toBe(spent);
  for (const dimension of USAGE_DIMENSIONS) {
    const other = USAGE_DIMENSIONS[
      (USAGE_DIMENSIONS.indexOf(dimension) + cut) % USAGE_DIMENSIONS.length
    ] as UsageDimension;
    const by = dimension === other ? [dimension] : [dimension, other];
    const crossed = await index.usage({ by, timeZone: "Asia/Kathmandu", limit: 3 });
    const rows = [...crossed.rows, ...(crossed.others ? [crossed.others] : [])];
    const together = addFigures(rows);
    expect([by, together.costNanoUsd]).toEqual([by, spent]);
    expect(together).toEqual({ ...crossed.total, turns: undefined });
  }
  expect(await costsBy(index, "day")).toEqual(
    naively(events, ({ time }) => (time === null ? "" : new Date(time).toISOString().slice(0, 10))),
  );
  expect(await costsBy(index, "branch")).toEqual(
    naively(events, ({ current }) => (current ? "current" : "abandoned")),
  );
  expect(await costsBy(index, "model")).toEqual(
    naively(events, ({ model }) => model.replace(/^\/|\/$/g, "")),
  );
  expect(await costsBy(index, "stop")).toEqual(naively(events, ({ stop }) => stop));
  expect(sum(await collect(index.usageEvents()))).toBe(spent);

  // A period with random ends, to the millisecond.
  const at = Date.parse("2026-01-05T09:00:00Z") + cut * 1_234_567;
  const [before, after] = [await index.usage({ until: at }), await index.usage({ since: at })];
  const timed = events.filter(({ time }) => time !== null);
  const upTo = Object.values(
    naively(
      timed.filter(({ time }) => (time as number) < at),
      () => "",
    ),
  );
  expect(before.total.costNanoUsd).toBe(upTo[0] ?? 0);
  const all = Object.values(naively(timed, () => ""))[0] ?? 0;
  expect(after.total.costNanoUsd).toBe(all - (upTo[0] ?? 0));
  expect(sum(await collect(index.usageEvents({ since: at })))).toBe(after.total.costNanoUsd);

  // The sum of the sessions' own costs is the total cost.
  const { sessions } = await index.listAll({ subagents: "yes" });
  const own = [];
  for (const { path } of sessions) own.push((await index.spend(path)).own);
  expect(sum(own)).toBe(spent);
}

/** A query for a part of an index returns the same as an index of that part alone. */
async function checkPart(db: string, freshDb: string, folder: string): Promise<void> {
  if (!statSync(folder).isDirectory()) return;
  const part = await openIndex({ db, roots: [folder] });
  const fresh = await openIndex({ db: freshDb, roots: [folder] });
  await fresh.sync();
  for (const by of [[], ["model"], ["day", "branch"], ["stop"]] as UsageDimension[][]) {
    const [here, alone] = [part, fresh].map(async (index) => {
      const { rows, total } = await index.usage({ by, timeZone: "UTC" });
      const figures = ({ costNanoUsd, events, toolCalls }: typeof total) => [costNanoUsd, events, toolCalls];
      // Whether turns are those of a subagent depends on its path below the root.
      const nonEmpty = rows
        .map((row) => [row.key, ...figures(row)])
        .filter(([, ...sums]) => sums.some(Boolean));
      return [figures(total), nonEmpty];
    });
    expect(await here).toEqual(await alone);
  }
  const { total } = await part.usage();
  expect(sum(await collect(part.usageEvents()))).toBe(total.costNanoUsd);
  for (const { path } of (await part.listAll({ subagents: "yes" })).sessions) {
    const [here, alone] = [await part.spend(path), await fresh.spend(path)];
    const costs = ({ own, inherited }: typeof here) => [path, own.costNanoUsd, inherited.costNanoUsd];
    expect(costs(here)).toEqual(costs(alone));
  }
  await part.close();
  await fresh.close();
}

test("every total is the amount spent, after syncs, deletions and rebuilds in any order", async () => {
  const folder = temporaryFolder();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(tameSteps, fc.nat(100), async (taken: Step[], cut) => {
      const here = join(folder, String(++run));
      const simulation = new RootSimulation(join(here, "sessions"), true);
      mkdirSync(here, { recursive: true });
      const roots = [simulation.root];
      const index = await openIndex({ db: join(here, "index.db"), roots });
      try {
        for (const step of taken) {
          simulation.take(step);
          if (step.sync) await index.sync();
        }
        await index.sync();
        await check(index, simulation, cut);
        for (const part of readdirSync(simulation.root)) {
          await checkPart(join(here, "index.db"), join(here, `${part}.db`), join(simulation.root, part));
        }
        const rebuilt = await openIndex({ db: join(here, "rebuilt.db"), roots });
        await rebuilt.sync();
        await check(rebuilt, simulation, cut);
        await rebuilt.close();
      } finally {
        await index.close();
        rmSync(here, { recursive: true, force: true });
      }
    }),
    { numRuns: RUNS, endOnFailure: !process.env.PIDEX_RUNS },
  );
}, 600_000);
