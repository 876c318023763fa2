import { rmSync } from "node:fs";
import { join } from "node:path";
import { allFiles, type BenchRoot } from "./bench-root.ts";
import { runChild } from "./child.ts";
import { type Comparison, compare } from "./comparison.ts";
import { type Amount, countedWork } from "./counted-work.ts";
import type { Floor } from "./floor.ts";
import type { SyncCost } from "./sync-once.ts";

export interface FirstIndex {
  rows: Comparison[];
  /** The database of the last round, kept for what comes next. */
  db: string;
  /** How long the floor took, one number a round. */
  floorMs: number[];
}

/**
 * Indexes a root from nothing, in turns with the floor: every round a fresh process for each, and a fresh
 * database. One floor that does not count goes first, so that all find the files in the system's cache.
 */
export function measureFirstIndex(root: BenchRoot, scratch: string, rounds: number): FirstIndex {
  checkFloor(runChild<Floor>("floor.ts", root.path), root);
  const floors: Floor[] = [];
  const costs: SyncCost[] = [];
  let db = "";
  for (let round = 1; round <= rounds; round++) {
    for (const side of ["", "-wal", "-shm"]) if (db) rmSync(db + side, { force: true });
    db = join(scratch, `round-${round}.db`);
    floors.push(runChild<Floor>("floor.ts", root.path));
    costs.push(runChild<SyncCost>("sync-once.ts", db, root.path));
  }
  return { rows: rowsOf(floors, costs, allFiles(root)), db, floorMs: floors.map(({ ms }) => ms) };
}

function rowsOf(floors: readonly Floor[], costs: readonly SyncCost[], all: Amount): Comparison[] {
  return [
    compare({
      what: "first index: time",
      unit: "ms",
      measured: costs.map(({ ms }) => ms),
      against: "the floor",
      base: floors.map(({ ms }) => ms),
      times: "as long",
    }),
    compare({
      what: "first index: processor time",
      unit: "ms",
      measured: costs.map(({ cpuMs }) => cpuMs),
      against: "the floor",
      base: floors.map(({ cpuMs }) => cpuMs),
      times: "as long",
    }),
    compare({
      what: "first index: peak memory",
      unit: "bytes",
      measured: costs.map(({ peakRssBytes }) => peakRssBytes),
      against: "the floor",
      base: floors.map(({ peakRssBytes }) => peakRssBytes),
      times: "as much",
    }),
    compare({
      what: "first index: database size",
      unit: "bytes",
      measured: costs.map(({ databaseBytes }) => databaseBytes),
      against: all.name,
      base: all.bytes,
      times: "as much",
    }),
    ...countedWork("first index", costs, all, all),
  ];
}

/** A root somebody changed would be measured against a manifest of another. */
function checkFloor({ files, bytes, lines }: Floor, { path, manifest }: BenchRoot): void {
  const same =
    files === manifest.files && bytes === manifest.bytes && lines === manifest.entries + manifest.files;
  if (!same) throw new Error(`Not what its manifest says, delete it and run again: ${path}`);
}
