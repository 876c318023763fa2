import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Pool } from "pg";
import { settleAll } from "../../../indexer/hub-ledger.ts";
import { toRoot } from "../../../src/session/locations.ts";
import { sql } from "../../../src/store/sql.ts";
import { SqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { openThrowaway, syncFolders } from "../../indexer/index-at.ts";
import { ROOTS } from "../../query/opened-queries.ts";
import { createDatabase, type TestDatabase } from "./databases.ts";
import { addMachine, ingestFile, type Machine } from "./ingest.ts";

/** The sample sessions in both stores. */
export interface IndexedFixtures extends AsyncDisposable {
  sqlite: Store;
  pool: Pool;
  machine: Machine;
}

/**
 * Indexes the sample sessions in a new database of each kind. Disposing it deletes them.
 *
 * @param open opens an empty database with all tables
 */
export async function indexFixtures(
  open: () => Promise<TestDatabase> = createDatabase,
): Promise<IndexedFixtures> {
  const closing = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "pidex-test-"));
  closing.defer(() => rmSync(folder, { recursive: true }));
  const db = await openThrowaway(join(folder, "index.db"));
  closing.defer(() => db.close());
  await syncFolders(db, ROOTS);
  const { pool } = closing.use(await open());
  const machine = await addMachine(pool);
  const { rows: files } = await sql<{ path: string; subagent: number }>`
    SELECT path, subagent FROM file ORDER BY id`.execute(db.reader);
  for (const { path, subagent } of files) await ingestFile(pool, machine, path, { subagent });
  await settleAll(pool, machine.shelf);
  return {
    sqlite: new SqliteStore(db.reader, { roots: ROOTS.map(toRoot) }),
    pool,
    machine,
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}
