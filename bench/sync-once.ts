import { statSync } from "node:fs";
import { openIndex, type SyncReport } from "../library/index.ts";

/** The cost of one sync in a separate process. */
export interface SyncCost extends Pick<SyncReport, "files" | "bytesRead" | "linesRead" | "bytesVerified"> {
  /** When opening began, in Unix milliseconds. */
  beganAt: number;
  /** Time from opening the database to the end of closing it, without starting Node and loading modules. */
  ms: number;
  /** Processor time of all threads in the same span, which other load affects less than `ms`. */
  cpuMs: number;
  peakRssBytes: number;
  /** Size of the database and its side files after closing. */
  databaseBytes: number;
}

/** Syncs a database with roots; creates it if it does not exist. */
export async function syncOnce(db: string, roots: readonly string[]): Promise<SyncCost> {
  const beganAt = Date.now();
  const began = performance.now();
  const cpuBegan = process.cpuUsage();
  const index = await openIndex({ db, roots });
  // Waits for other processes as long as necessary, such as while they create the tables.
  const { files, bytesRead, linesRead, bytesVerified } = await index.sync({ patienceMs: Infinity });
  await index.close();
  const ms = performance.now() - began;
  const { user, system } = process.cpuUsage(cpuBegan);
  return {
    files,
    bytesRead,
    linesRead,
    bytesVerified,
    beganAt,
    ms,
    cpuMs: (user + system) / 1000,
    peakRssBytes: process.resourceUsage().maxRSS * 1024,
    databaseBytes: databaseBytes(db),
  };
}

export function databaseBytes(db: string): number {
  const sizes = ["", "-wal", "-shm"].map((side) => statSync(db + side, { throwIfNoEntry: false })?.size ?? 0);
  return sizes.reduce((sum, size) => sum + size, 0);
}

if (import.meta.main) {
  const [db, ...roots] = process.argv.slice(2);
  if (!db || roots.length === 0) throw new Error("Usage: sync-once.ts DATABASE ROOT...");
  console.log(JSON.stringify(await syncOnce(db, roots)));
}
