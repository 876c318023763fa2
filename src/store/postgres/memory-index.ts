import type SQLite from "better-sqlite3";
import { migrations } from "../../../migrations/index.ts";
import { loadDriver } from "../sqlite/driver.ts";
import { migrate } from "../sqlite/migrate.ts";

/** Opens an empty local index in memory, in which the ledger of some rows is computed or added up. Close it after use. */
export async function openMemoryIndex(): Promise<SQLite.Database> {
  const Handle = await loadDriver();
  const handle = new Handle(":memory:");
  handle.pragma("journal_mode = OFF");
  handle.pragma("synchronous = OFF");
  await migrate(handle, migrations);
  return handle;
}
