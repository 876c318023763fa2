import { rmSync } from "node:fs";
import type { BenchRoot } from "./bench-root.ts";
import { runChild } from "./child.ts";
import { type Comparison, compare, type Goal } from "./comparison.ts";
import { median } from "./distribution.ts";
import { IndexProcess } from "./index-process.ts";
import { type BenchQuery, type ClassName, chooseQueries } from "./queries.ts";
import { databaseBytes, type SyncCost } from "./sync-once.ts";
import type { Workspace } from "./workspace.ts";

const SIZE_GOAL: Goal = { of: "ratio", atMost: 0.3 };
/** Equal within the precision of measurements this short. */
const NO_GROWTH: Goal = { of: "ratio", atMost: 1.5 };

/** Two classes with the same number of hits in every root, and one with hits that grow with the root. */
const SEARCH_GOALS = {
  "a rare word": NO_GROWTH,
  "about 1,000 hits": NO_GROWTH,
  "the most common words": undefined,
} satisfies Partial<Record<ClassName, Goal | undefined>>;

/** G. The size of the database, and how times grow with the number of sessions. */
export async function measureGrowth(bench: Workspace): Promise<Comparison[]> {
  return [...databaseSizes(bench), ...(await measureByRootSize(bench))];
}

function databaseSizes(bench: Workspace): Comparison[] {
  const roots = bench.mainRoots;
  return roots.map((root, n) =>
    compare({
      what: `database of ${root.title}`,
      unit: "bytes",
      measured: [databaseBytes(bench.index(root))],
      against: "its files",
      base: [root.manifest.bytes],
      times: "as much",
      goal: n === 0 ? SIZE_GOAL : undefined,
    }),
  );
}

/** Measurements for one number of sessions, one number per round. */
interface Measurement {
  root: BenchRoot;
  first: SyncCost[];
  nothingNew: number[];
  newest: number[];
  list: number[];
  searches: Record<keyof typeof SEARCH_GOALS, number[]>;
}

async function measureByRootSize(bench: Workspace): Promise<Comparison[]> {
  const all: Measurement[] = bench.sizes.tiny.map((size) => ({
    root: bench.root("tiny", size),
    first: [],
    nothingNew: [],
    newest: [],
    list: [],
    searches: { "a rare word": [], "about 1,000 hits": [], "the most common words": [] },
  }));
  await bench.runRounds("first indexes of tiny sessions", (round) => {
    for (const { root, first } of all) {
      const db = bench.scratchPath(`growth-${root.manifest.files}-${round}.db`);
      first.push(runChild<SyncCost>("sync-once.ts", db, root.path));
      if (round === bench.rounds) bench.setIndex(root, db);
      else for (const side of ["", "-wal", "-shm"]) rmSync(db + side, { force: true });
    }
  });
  await measureOpenIndexes(bench, all);
  const [smallest, ...larger] = all;
  return smallest ? larger.flatMap((measurement) => toRows(measurement, smallest)) : [];
}

async function measureOpenIndexes(bench: Workspace, all: readonly Measurement[]): Promise<void> {
  const indexes = all.map(({ root }) => new IndexProcess(bench.index(root), [root.path]));
  try {
    const queries = new Map<Measurement, Record<string, BenchQuery[]>>();
    for (const measurement of all) {
      const classes = await chooseQueries(measurement.root, bench.index(measurement.root));
      queries.set(measurement, Object.fromEntries(classes.map(({ name, queries }) => [name, queries])));
    }
    const measure = async (measurement: Measurement, index: IndexProcess, isWarmUp: boolean) => {
      const nothingNew = (await index.sync()).ms;
      const newest = await index.list("newest", bench.turns, 50);
      const list = await index.list("list", bench.turns, measurement.root.manifest.files);
      if (!isWarmUp) measurement.nothingNew.push(nothingNew);
      if (!isWarmUp) measurement.newest.push(newest);
      if (!isWarmUp) measurement.list.push(list);
      for (const [name, times] of Object.entries(measurement.searches)) {
        const results = await index.search(queries.get(measurement)?.[name] ?? [], bench.turns);
        if (!isWarmUp) times.push(median(results.flatMap(({ ms }) => ms)));
      }
    };
    for (const [n, measurement] of all.entries())
      await measure(measurement, indexes[n] as IndexProcess, true);
    await bench.runRounds("syncs, lists and searches of tiny sessions", async () => {
      for (const [n, measurement] of all.entries())
        await measure(measurement, indexes[n] as IndexProcess, false);
    });
  } finally {
    for (const index of indexes) index.end();
  }
}

function toRows(larger: Measurement, smallest: Measurement): Comparison[] {
  const factor = larger.root.manifest.files / smallest.root.manifest.files;
  const linear: Goal = { of: "ratio", atMost: factor };
  const row = (name: string, value: (measurement: Measurement) => number[], goal?: Goal): Comparison =>
    compare({
      what: `${larger.root.title}: ${name}`,
      unit: "ms",
      measured: value(larger),
      against: `${smallest.root.manifest.files.toLocaleString("en")}`,
      base: value(smallest),
      times: "as long",
      goal,
    });
  const firstIndexRow = (name: string, value: (cost: SyncCost) => number, goal?: Goal): Comparison => ({
    ...row(name, ({ first }) => first.map(value), goal),
    unit: "bytes",
    times: "as much",
  });
  return [
    row("first index", ({ first }) => first.map(({ ms }) => ms), linear),
    firstIndexRow("peak memory of the first index", ({ peakRssBytes }) => peakRssBytes),
    firstIndexRow("database", ({ databaseBytes }) => databaseBytes),
    row("sync, nothing new", ({ nothingNew }) => nothingNew, linear),
    row("the newest 50", ({ newest }) => newest, { of: "ratio", atMost: 1.5 }),
    row("list of all", ({ list }) => list, linear),
    ...(Object.keys(SEARCH_GOALS) as (keyof typeof SEARCH_GOALS)[]).map((name) =>
      row(`search, ${name}`, ({ searches }) => searches[name], SEARCH_GOALS[name]),
    ),
  ];
}
