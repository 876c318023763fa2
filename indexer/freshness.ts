import { isAtOrBelow } from "../src/path-bytes.ts";
import type { RootFinder } from "../src/session/locations.ts";
import { EXTRACTION, isUnfinished } from "../src/store/sqlite/extraction.ts";
import type { Found } from "./discover.ts";
import { type KnownFile, plan } from "./plan.ts";

/** How far the rows are behind the files, counted. */
export interface Behind {
  /** Files that are not indexed. */
  new: number;
  /** Files that changed since they were. */
  changed: number;
  /** Files that are indexed, and are no longer there. */
  gone: number;
  /** Files whose rows an older pidex made: they are read again. */
  rereading: number;
  /** Files that were begun, and are not indexed completely: an index run was interrupted, or is under way. */
  unfinished: number;
}

/**
 * Compares what there is below the roots with what the index knows, and reads no file. A file that is as long and as old
 * as it was counts as unchanged, even where a sync would compare some of its bytes.
 */
export function behind(
  { files, unlisted }: Found,
  rows: readonly (KnownFile & { path: string })[],
  roots: RootFinder,
): Behind {
  const known = new Map(
    rows.filter(({ path }) => roots.nearest(path) !== undefined).map((row) => [row.path, row]),
  );
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
  const unseen = (path: string) => unlisted.some((each) => isAtOrBelow(path, each.path));
  for (const path of known.keys()) if (!present.has(path) && !unseen(path)) count.gone++;
  return count;
}
