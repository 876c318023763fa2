import type SQLite from "better-sqlite3";

/** Pages of the full-text index that one step of a merge writes: some hundredths of a second. */
const PAGES_A_STEP = 1_000;

interface MergeOptions {
  /** Whether a merge of all pieces was begun before, which goes on. */
  begun?: boolean;
  /** How many steps may be done. Default: as many as it takes. */
  maxSteps?: number;
  signal?: AbortSignal | undefined;
}

/**
 * Merges the pieces of the full-text index into one, without the words of entries that were deleted, in steps between which
 * others get a turn. A kill leaves several pieces, which the merges of later writes take up.
 *
 * @returns whether it came to its end
 */
export async function mergeText(db: SQLite.Database, options: MergeOptions = {}): Promise<boolean> {
  const { begun = false, maxSteps = Number.POSITIVE_INFINITY, signal } = options;
  const merge = db.prepare("INSERT INTO entry_text (entry_text, rank) VALUES ('merge', ?)");
  const changes = db.prepare<[], number>("SELECT total_changes()").pluck();
  for (let step = 0; step < maxSteps && !signal?.aborted; step++) {
    const before = changes.get() as number;
    // By FTS5's manual: a negative number begins, positive ones go on, and less than two changes tell that all is done.
    merge.run(step === 0 && !begun ? -PAGES_A_STEP : PAGES_A_STEP);
    if ((changes.get() as number) - before < 2) return true;
    await new Promise(setImmediate);
  }
  return false;
}
