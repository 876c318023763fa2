import type SQLite from "better-sqlite3";

/** Pages of the full-text index that one merge step writes by default, in a tenth of a second. */
const PAGES_PER_STEP = 1_000;

interface MergeOptions {
  /** Whether to continue a merge that was started before. */
  begun?: boolean;
  /** Default: no limit. */
  maxSteps?: number;
  pagesPerStep?: number;
  signal?: AbortSignal | undefined;
}

/**
 * Merges the segments of the full-text index into one, which drops the words of deleted entries. Yields to the event loop
 * between steps. If the process is killed, later writes merge the remaining segments.
 *
 * @returns whether it finished
 */
export async function mergeText(db: SQLite.Database, options: MergeOptions = {}): Promise<boolean> {
  const {
    begun = false,
    maxSteps = Number.POSITIVE_INFINITY,
    pagesPerStep = PAGES_PER_STEP,
    signal,
  } = options;
  const merge = db.prepare("INSERT INTO entry_text (entry_text, rank) VALUES ('merge', ?)");
  const changes = db.prepare<[], number>("SELECT total_changes()").pluck();
  for (let step = 0; step < maxSteps && !signal?.aborted; step++) {
    const before = changes.get() as number;
    // FTS5: a negative number starts a merge, positive ones continue it, and fewer than two changes mean that it is finished.
    merge.run(step === 0 && !begun ? -pagesPerStep : pagesPerStep);
    if ((changes.get() as number) - before < 2) return true;
    await new Promise(setImmediate);
  }
  return false;
}
