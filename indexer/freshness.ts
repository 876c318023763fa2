import { isAtOrBelow } from "../src/path-bytes.ts";
import { EXTRACTION, isUnfinished } from "../src/store/extraction.ts";
import type { Discovery } from "./discover.ts";
import { type PlannedRow, plan } from "./plan.ts";

/** Number of files with rows that are out of date, by reason. */
export interface OutdatedCount {
  /** Files that are not indexed. */
  new: number;
  /** Files that changed since they were indexed. */
  changed: number;
  /** Indexed files that no longer exist. */
  gone: number;
  /** Files indexed by an older pidex, which are read again. */
  rereading: number;
  /** Partly indexed files: a sync was interrupted or is still running. */
  unfinished: number;
}

/**
 * Compares the files below the roots with the index. Reads no file. A file with the same size and times counts as unchanged,
 * even if a sync would compare some of its bytes.
 */
export function countOutdated(
  { files, unlisted }: Discovery,
  rows: readonly (PlannedRow & { path: string })[],
): OutdatedCount {
  const known = new Map(rows.map((row) => [row.path, row]));
  const count = { new: 0, changed: 0, gone: 0, rereading: 0, unfinished: 0 };
  const present = new Set<string>();
  for (const { path, stat } of files) {
    present.add(path);
    const row = known.get(path);
    if (!row) count.new++;
    else if (isUnfinished(row.extraction)) count.unfinished++;
    else if (row.extraction < EXTRACTION) count.rereading++;
    else if (plan(stat, { ...row, racy: 0 }) !== "skip") count.changed++;
  }
  const isUnlisted = (path: string) => unlisted.some((each) => isAtOrBelow(path, each.path));
  for (const path of known.keys()) if (!present.has(path) && !isUnlisted(path)) count.gone++;
  return count;
}
