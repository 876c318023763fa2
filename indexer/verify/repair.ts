import type { Database } from "../../src/database/open.ts";
import type { PlacedFile } from "../discover.ts";
import { prepareRows } from "../rows.ts";
import { syncFiles } from "../sync.ts";
import { dropLooseRows } from "./whole-index.ts";

/** An extraction that every file must be read anew of. */
const NONE = 0;

/** Deletes rows that belong to nothing. */
export function dropLoose(db: Database): void {
  prepareRows(db.writer).transaction(() => dropLooseRows(db.writer));
}

/**
 * Has files indexed from their first byte on, whatever their rows say. Their rows are marked as of no extraction, so that
 * the next sync does it where this is stopped before.
 *
 * @throws the signal's reason when aborted
 */
export async function indexAgain(
  db: Database,
  files: readonly PlacedFile[],
  signal?: AbortSignal,
): Promise<void> {
  const rows = prepareRows(db.writer);
  rows.transaction(() => {
    for (const { path } of files) {
      const row = rows.file(path);
      if (row) rows.saveFile({ ...row, extraction: NONE });
    }
  });
  await syncFiles(db, files, { patienceMs: Number.POSITIVE_INFINITY, ...(signal && { signal }) });
}
