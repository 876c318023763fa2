import { rmSync } from "node:fs";
import type { BenchRoot } from "./bench-root.ts";
import { runChild } from "./child.ts";
import { type Comparison, compare, type Goal } from "./comparison.ts";
import { median } from "./distribution.ts";
import { IndexProcess } from "./index-process.ts";
import { type Asked, type ClassName, queryClasses } from "./queries.ts";
import { databaseBytes, type SyncCost } from "./sync-once.ts";
import type { Workspace } from "./workspace.ts";

const SIZE: Goal = { of: "ratio", atMost: 0.3 };
/** Equal within the precision of measurements this short. */
const THE_SAME: Goal = { of: "ratio", atMost: 1.5 };

/** Searches that have as many hits in a small root as in a large one, and one with hits that grow with the root. */
const SEARCHED = {
  "a rare word": THE_SAME,
  "some 1,000 hits": THE_SAME,
  "the commonest words": undefined,
} satisfies Partial<Record<ClassName, Goal | undefined>>;

/** G. The size of the database, and how times grow with the number of sessions. */
export async function growth(bench: Workspace): Promise<Comparison[]> {
  return [...sizes(bench), ...(await growing(bench))];
}

function sizes(bench: Workspace): Comparison[] {
  const roots = bench.sizes.mixed.map((size) => bench.root("mixed", size));
  return roots.map((root, n) =>
    compare({
      what: `database of ${root.title}`,
      unit: "bytes",
      measured: [databaseBytes(bench.index(root))],
      against: "its files",
      base: [root.manifest.bytes],
      times: "as much",
      goal: n === 0 ? SIZE : undefined,
    }),
  );
}

/** Measurements for one number of sessions, one number per round. */
interface Measured {
  root: BenchRoot;
  first: SyncCost[];
  nothingNew: number[];
  list: number[];
  searches: Record<keyof typeof SEARCHED, number[]>;
}

async function growing(bench: Workspace): Promise<Comparison[]> {
  const all: Measured[] = bench.sizes.tiny.map((size) => ({
    root: bench.root("tiny", size),
    first: [],
    nothingNew: [],
    list: [],
    searches: { "a rare word": [], "some 1,000 hits": [], "the commonest words": [] },
  }));
  await bench.inRounds("first indexes of tiny sessions", (round) => {
    for (const { root, first } of all) {
      const db = bench.scratch(`growth-${root.manifest.files}-${round}.db`);
      first.push(runChild<SyncCost>("sync-once.ts", db, root.path));
      if (round === bench.rounds) bench.adopt(root, db);
      else for (const side of ["", "-wal", "-shm"]) rmSync(db + side, { force: true });
    }
  });
  await measureInTurns(bench, all);
  const [smallest, ...larger] = all;
  return smallest ? larger.flatMap((each) => rowsOf(each, smallest)) : [];
}

async function measureInTurns(bench: Workspace, all: readonly Measured[]): Promise<void> {
  const indexes = all.map(({ root }) => new IndexProcess(bench.index(root), [root.path]));
  try {
    const queries = new Map<Measured, Record<string, Asked[]>>();
    for (const each of all) {
      const classes = await queryClasses(each.root, bench.index(each.root));
      queries.set(each, Object.fromEntries(classes.map((each) => [each.name, each.queries])));
    }
    const turn = async (each: Measured, index: IndexProcess, counts: boolean) => {
      const nothingNew = (await index.sync()).ms;
      const list = await index.list("list", bench.turns, each.root.manifest.files);
      if (counts) each.nothingNew.push(nothingNew);
      if (counts) each.list.push(list);
      for (const [name, times] of Object.entries(each.searches)) {
        const searched = await index.search(queries.get(each)?.[name] ?? [], bench.turns);
        if (counts) times.push(median(searched.flatMap(({ ms }) => ms)));
      }
    };
    for (const [n, each] of all.entries()) await turn(each, indexes[n] as IndexProcess, false); // warm-up
    await bench.inRounds("syncs, lists and searches of tiny sessions", async () => {
      for (const [n, each] of all.entries()) await turn(each, indexes[n] as IndexProcess, true);
    });
  } finally {
    for (const index of indexes) index.end();
  }
}

function rowsOf(larger: Measured, smallest: Measured): Comparison[] {
  const times = larger.root.manifest.files / smallest.root.manifest.files;
  const linear: Goal = { of: "ratio", atMost: times };
  const row = (name: string, value: (of: Measured) => number[], goal?: Goal): Comparison =>
    compare({
      what: `${larger.root.title}: ${name}`,
      unit: "ms",
      measured: value(larger),
      against: `${smallest.root.manifest.files.toLocaleString("en")}`,
      base: value(smallest),
      times: "as long",
      goal,
    });
  const ofCost = (name: string, value: (cost: SyncCost) => number, goal?: Goal): Comparison => ({
    ...row(name, ({ first }) => first.map(value), goal),
    unit: "bytes",
    times: "as much",
  });
  return [
    row("first index", ({ first }) => first.map(({ ms }) => ms), linear),
    ofCost("peak memory of the first index", ({ peakRssBytes }) => peakRssBytes),
    ofCost("database", ({ databaseBytes }) => databaseBytes),
    row("sync, nothing new", ({ nothingNew }) => nothingNew, linear),
    row("list", ({ list }) => list, linear),
    ...(Object.keys(SEARCHED) as (keyof typeof SEARCHED)[]).map((name) =>
      row(`search, ${name}`, ({ searches }) => searches[name], SEARCHED[name]),
    ),
  ];
}
