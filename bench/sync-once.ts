import { statSync } from "node:fs";
import { openIndex, type SyncReport } from "../library/index.ts";

/** What one sync came to, in a process of its own. */
export interface SyncCost extends Pick<SyncReport, "files" | "bytesRead" | "linesRead" | "bytesVerified"> {
  /** When opening began, in Unix milliseconds. */
  beganAt: number;
  /** From opening the database to having closed it. Starting Node and loading modules is not in it. */
  ms: number;
  /** Processor time of all threads in the same span: other work on the machine lengthens it less than `ms`. */
  cpuMs: number;
  peakRssBytes: number;
  /** The database and its side files, after closing. */
  databaseBytes: number;
}

/** Syncs a database with roots; a database that is not there yet makes it the first index. */
export async function syncOnce(db: string, roots: readonly string[]): Promise<SyncCost> {
  const beganAt = Date.now();
  const began = performance.now();
  const cpuBegan = process.cpuUsage();
  const index = await openIndex({ db, roots });
  // However long another process has its turn, to make the tables for one.
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
