import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { SyncOptions, SyncReport } from "../../indexer/report.ts";
import { sync } from "../../indexer/sync.ts";
import { migrations } from "../../migrations/index.ts";
import { toRoot } from "../../src/session/locations.ts";
import { type Database, openDatabase } from "../../src/store/sqlite/open.ts";
import { type Dump, dumpTables } from "./dump.ts";

/** A database in a folder, closed at the end of the test. */
export async function databaseIn(folder: string, name = "index.db"): Promise<Database> {
  const db = await openDatabase({ path: join(folder, name), migrations });
  onTestFinished(() => db.close());
  return db;
}

/** Syncs whole folders. */
export function syncFolders(
  db: Database,
  folders: string | string[],
  options: SyncOptions & { batchBytes?: number } = {},
): Promise<SyncReport> {
  return sync(db, { roots: [folders].flat().map(toRoot), ...options });
}

let empty: Promise<Buffer> | undefined;

/** An empty migrated database, as bytes: created once, because migrating takes most of the time of a small rebuild. */
async function emptyDatabase(): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), "pidex-test-"));
  const path = join(folder, "empty.db");
  await (await openDatabase({ path, migrations })).close();
  const bytes = readFileSync(path);
  rmSync(folder, { recursive: true });
  return bytes;
}

/** Opens a new temporary database, without waiting for the disk. */
export async function openThrowaway(path: string): Promise<Database> {
  empty ??= emptyDatabase();
  writeFileSync(path, await empty);
  const db = await openDatabase({ path, migrations });
  db.writer.pragma("synchronous = OFF");
  return db;
}

/** The dump of a new index of the folders: what an older index must equal. */
export async function rebuilt(path: string, folders: string | string[]): Promise<Dump> {
  const db = await openThrowaway(path);
  try {
    await syncFolders(db, folders);
    return dumpTables(db.writer);
  } finally {
    await db.close();
  }
}
