import { fork } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { allFiles, type BenchRoot } from "./bench-root.ts";
import { runChild } from "./child.ts";
import { type Comparison, compare, type Goal } from "./comparison.ts";
import { countedWork } from "./counted-work.ts";
import type { Floor } from "./floor.ts";
import type { Known } from "./processes/until-known.ts";
import type { SyncCost } from "./sync-once.ts";
import type { Workspace } from "./workspace.ts";

const GOALS = {
  time: { of: "ratio", atMost: 3 },
  known: { of: "ratio", atMost: 2 },
  memory: { of: "measured", atMost: 400e6 },
} satisfies Record<string, Goal>;

/** A. The first index of mixed roots, alternating with the floor. The goals apply to the first root. */
export async function firstIndexes(bench: Workspace): Promise<Comparison[]> {
  const rows: Comparison[] = [];
  for (const [n, size] of bench.sizes.mixed.entries()) {
    rows.push(...(await firstIndex(bench, bench.root("mixed", size), n === 0 ? GOALS : undefined)));
  }
  return rows;
}

interface Round {
  floor: Floor;
  cost: SyncCost;
  known: Known;
}

/**
 * Builds a first index: every round uses new processes for the index and the floor, and a new database. An uncounted floor
 * runs first, so that the files are in the system's cache.
 */
async function firstIndex(
  bench: Workspace,
  root: BenchRoot,
  goals: typeof GOALS | undefined,
): Promise<Comparison[]> {
  checkFloor(runChild<Floor>("floor.ts", root.path), root);
  const rounds: Round[] = [];
  let db = "";
  await bench.inRounds(`first index of ${root.title}, in turns with the floor`, async (round) => {
    for (const side of ["", "-wal", "-shm"]) if (db) rmSync(db + side, { force: true });
    db = bench.scratch(`first-index-${root.title}-${round}.db`);
    const floor = runChild<Floor>("floor.ts", root.path);
    rounds.push({ floor, ...(await indexed(root, db)) });
  });
  bench.adopt(root, db);
  return rowsOf(root, rounds, goals);
}

/** Indexes while another process measures when all sessions and costs are known. */
async function indexed({ path, manifest }: BenchRoot, db: string): Promise<Omit<Round, "floor">> {
  const script = join(import.meta.dirname, "processes/until-known.ts");
  const watcher = fork(script, [db, path, String(manifest.files), String(manifest.nanoDollars)]);
  try {
    await once(watcher, "message"); // it is ready
    const told = once(watcher, "message");
    const cost = runChild<SyncCost>("sync-once.ts", db, path);
    const late = AbortSignal.timeout(10_000);
    const never = once(late, "abort").then(() => {
      throw new Error(`The index of ${path} never told as many sessions and costs as were written`);
    });
    const [known] = (await Promise.race([told, never])) as [Known];
    if (watcher.exitCode === null) await Promise.race([once(watcher, "exit"), never]); // it has closed the database
    return { cost, known };
  } finally {
    watcher.kill();
  }
}

function rowsOf(root: BenchRoot, rounds: readonly Round[], goals: typeof GOALS | undefined): Comparison[] {
  const what = `first index of ${root.title}`;
  const all = allFiles(root);
  const costs = rounds.map(({ cost }) => cost);
  const floors = rounds.map(({ floor }) => floor);
  const floorMs = {
    unit: "ms",
    against: "the floor",
    base: floors.map(({ ms }) => ms),
    times: "as long",
  } as const;
  const since = (at: (known: Known) => number) => rounds.map(({ cost, known }) => at(known) - cost.beganAt);
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
    }),
    compare({
      ...floorMs,
      what: `${what}: until all sessions are listed`,
      measured: since(({ listedAt }) => listedAt),
      goal: goals?.known,
    }),
    compare({
      ...floorMs,
      what: `${what}: until all costs are known`,
      measured: since(({ costsAt }) => costsAt),
      goal: goals?.known,
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
    ...countedWork(what, costs, all, all),
  ];
}

/** Rejects a root that no longer matches its manifest. */
function checkFloor({ files, bytes, lines }: Floor, { path, manifest }: BenchRoot): void {
  const same =
    files === manifest.files && bytes === manifest.bytes && lines === manifest.entries + manifest.files;
  if (!same) throw new Error(`Not what its manifest says, delete it and run again: ${path}`);
}
