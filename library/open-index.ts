import { migrations } from "../migrations/index.ts";
import { requireOptions, requireText } from "../src/arguments.ts";
import { badOption } from "../src/errors.ts";
import { expandPath } from "../src/session/locations.ts";
import { getDatabasePath } from "../src/store/sqlite/database-path.ts";
import { ReopeningDatabase } from "../src/store/sqlite/reopening-database.ts";
import { watchForUpgrade } from "../src/upgrade-check.ts";
import type { OpenIndexOptions } from "./index-options.ts";
import { IndexRoots } from "./index-roots.ts";
import { type Index, LocalIndex } from "./local-index.ts";

watchForUpgrade(import.meta.filename); // when the module loads, not when the first index is opened

/**
 * Opens the index, creating it if necessary. Queries see what the last sync indexed: call `sync` first, which is cheap when little has
 * changed.
 *
 * @throws PidexError `BAD_OPTION`, `NO_HOME`, `NODE_TOO_OLD`, `DATABASE_UNAVAILABLE`, `DATABASE_BUSY`, `FOREIGN_DATABASE`,
 * `MIGRATION_FAILED`
 */
export async function openIndex(options: OpenIndexOptions = {}): Promise<Index> {
  requireOptions(options);
  if (options.db !== undefined) requireText(options.db, "db");
  if (options.roots !== undefined && !Array.isArray(options.roots)) {
    throw badOption("roots must be an array", "Pass an array of session folders.");
  }
  for (const root of options.roots ?? []) requireText(root, "a root");
  const { isolated, onNotice = () => {}, cacheMb } = options;
  if (isolated) {
    const { openIsolatedIndex } = await import("./isolated-index.ts");
    return openIsolatedIndex(options);
  }
  const path = expandPath(options.db ?? getDatabasePath());
  const roots = new IndexRoots(options.roots, onNotice);
  return new LocalIndex(
    await ReopeningDatabase.open({ path, migrations, onNotice, cacheMb }),
    roots,
    onNotice,
  );
}
