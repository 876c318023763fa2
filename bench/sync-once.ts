import { statSync } from "node:fs";
import { openIndex, type SyncReport } from "../library/index.ts";

/** The cost of one sync. */
export interface SyncCost extends Pick<SyncReport, "files" | "bytesRead" | "linesRead" | "bytesVerified"> {
  /** Start of opening the database, in Unix milliseconds. */
  startedAt: number;
  /** Time from opening the database to the end of closing it, without starting Node and loading modules. */
  ms: number;
  /** Processor time of all threads in the same span, which other load affects less than `ms`. */
  cpuMs: number;
  peakRssBytes: number;
  /** Size of the database and its side files after closing. */
  databaseBytes: number;
}

/** Opens a database, creating it if necessary, syncs it with roots and closes it. */
export async function syncOnce(db: string, roots: readonly string[]): Promise<SyncCost> {
  const startedAt = Date.now();
  const start = performance.now();
  const cpuStart = process.cpuUsage();
  const index = await openIndex({ db, roots });
  // Waits for other processes as long as necessary, for example while one creates the tables.
  const { files, bytesRead, linesRead, bytesVerified } = await index.sync({ patienceMs: Infinity });
  await index.close();
  const ms = performance.now() - start;
  const { user, system } = process.cpuUsage(cpuStart);
  return {
    files,
    bytesRead,
    linesRead,
    bytesVerified,
    startedAt,
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
