import { fork } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { type BenchRoot, totalSize } from "./bench-root.ts";
import { runChild } from "./child.ts";
import { type Comparison, compare, type Goal } from "./comparison.ts";
import { workRows } from "./counted-work.ts";
import { p95 } from "./distribution.ts";
import type { Floor } from "./floor.ts";
import type { CompletionTimes } from "./processes/wait-until-complete.ts";
import { sampleWords } from "./root-words.ts";
import type { SyncCost } from "./sync-once.ts";
import type { Workspace } from "./workspace.ts";

const GOALS = {
  time: { of: "ratio", atMost: 3 },
  processorTime: { of: "ratio", atMost: 4 },
  newest: { of: "measured", atMost: 1000 },
  answers: { of: "measured", atMost: 100 },
  memory: { of: "measured", atMost: 400e6 },
} satisfies Record<string, Goal>;

/** Enough to find the most common word. */
const SAMPLE_CHARACTERS = 1_000_000;

/** A. The first index of the main roots, alternating with the floor. The goals apply to the first root. */
export async function measureFirstIndex(bench: Workspace): Promise<Comparison[]> {
  const rows: Comparison[] = [];
  for (const [n, root] of bench.mainRoots.entries()) {
    rows.push(...(await measureRoot(bench, root, n === 0 ? GOALS : undefined)));
  }
  return rows;
}

interface Round {
  floor: Floor;
  cost: SyncCost;
  completion: CompletionTimes;
}

/**
 * Every round uses new processes for the index and the floor, and a new database. The floor runs once before, so that the files
 * are in the system's cache.
 */
async function measureRoot(
  bench: Workspace,
  root: BenchRoot,
  goals: typeof GOALS | undefined,
): Promise<Comparison[]> {
  checkFloor(runChild<Floor>("floor.ts", root.path), root);
  const rounds: Round[] = [];
  let db = "";
  await bench.runRounds(`first index of ${root.title}, alternating with the floor`, async (round) => {
    for (const side of ["", "-wal", "-shm"]) if (db) rmSync(db + side, { force: true });
    db = bench.scratchPath(`first-index-${root.title}-${round}.db`);
    const floor = runChild<Floor>("floor.ts", root.path);
    rounds.push({ floor, ...(await buildIndex(root, db)) });
  });
  bench.setIndex(root, db);
  return toRows(root, rounds, goals);
}

/** Builds an index while another process measures when it has all sessions and costs. */
async function buildIndex({ path, manifest }: BenchRoot, db: string): Promise<Omit<Round, "floor">> {
  const script = join(import.meta.dirname, "processes/wait-until-complete.ts");
  const [word = ""] = sampleWords(path, SAMPLE_CHARACTERS).words.keys();
  const watcher = fork(script, [db, path, String(manifest.files), String(manifest.nanoDollars), word]);
  try {
    await once(watcher, "message"); // ready
    const times = once(watcher, "message");
    const cost = runChild<SyncCost>("sync-once.ts", db, path);
    const timeout = once(AbortSignal.timeout(10_000), "abort").then(() => {
      throw new Error(`The index of ${path} never had the sessions and costs that were written`);
    });
    const [completion] = (await Promise.race([times, timeout])) as [CompletionTimes];
    if (watcher.exitCode === null) await Promise.race([once(watcher, "exit"), timeout]); // has closed the database
    return { cost, completion };
  } finally {
    watcher.kill();
  }
}

function toRows(root: BenchRoot, rounds: readonly Round[], goals: typeof GOALS | undefined): Comparison[] {
  const what = `first index of ${root.title}`;
  const allFiles = totalSize(root);
  const costs = rounds.map(({ cost }) => cost);
  const floors = rounds.map(({ floor }) => floor);
  const floorMs = {
    unit: "ms",
    against: "the floor",
    base: floors.map(({ ms }) => ms),
    times: "as long",
  } as const;
  const sinceStart = (select: (times: CompletionTimes) => number) =>
    rounds.map(({ cost, completion }) => select(completion) - cost.startedAt);
  return [
    compare({
      ...floorMs,
      what: `${what}: time`,
      measured: costs.map(({ ms }) => ms),
      goal: goals?.time,
    }),
    compare({
      ...floorMs,
      what: `${what}: processor time`,
      measured: costs.map(({ cpuMs }) => cpuMs),
      base: floors.map(({ cpuMs }) => cpuMs),
      goal: goals?.processorTime,
    }),
    compare({
      ...floorMs,
      what: `${what}: until the newest sessions are listed and found`,
      measured: sinceStart(({ newestAt }) => newestAt),
      goal: goals?.newest,
    }),
    compare({
      ...floorMs,
      what: `${what}: lists and searches meanwhile, p95`,
      measured: rounds.map(({ completion }) => p95(completion.answerMs)),
      goal: goals?.answers,
    }),
    compare({
      ...floorMs,
      what: `${what}: until all sessions are listed`,
      measured: sinceStart(({ listedAt }) => listedAt),
    }),
    compare({
      ...floorMs,
      what: `${what}: until all costs are known`,
      measured: sinceStart(({ costsAt }) => costsAt),
    }),
    compare({
      what: `${what}: peak memory`,
      unit: "bytes",
      measured: costs.map(({ peakRssBytes }) => peakRssBytes),
      against: "the floor",
      base: floors.map(({ peakRssBytes }) => peakRssBytes),
      times: "as much",
      goal: goals?.memory,
    }),
    ...workRows(what, costs, allFiles, allFiles),
  ];
}

/** Rejects a root that no longer matches its manifest. */
function checkFloor({ files, bytes, lines }: Floor, { path, manifest }: BenchRoot): void {
  const matches =
    files === manifest.files && bytes === manifest.bytes && lines === manifest.entries + manifest.files;
  if (!matches) throw new Error(`Doesn't match its manifest; delete it and run again: ${path}`);
}
