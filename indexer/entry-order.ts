/**
 * Row ids of entries follow time: a search reads the newest hits of a word from the end of its list, so ids are the order of its
 * windows. A first index reads the newest files first, so that they can be used at once, and therefore leaves a gap for the ids
 * of older ones.
 */
import type SQLite from "better-sqlite3";
import type { FoundFile } from "./discover.ts";

/** Fewer than a session has on average per line, so that a gap has room for all lines. Entries that find none get ids as usual: only their order suffers. */
const MIN_LINE_BYTES = 32;

/** Files are compared one by one, so that a load into an index with many newer files gets ids as usual. */
const MAX_NEWER_FILES = 2_000;

/** Ids for new entries. */
export interface EntryIds {
  next: number;
  /** The first id that is taken. */
  before: number;
}

/** The newest files that are read before all others: few enough to be read in a second. The files are sorted, oldest first. */
export function newestFiles(
  files: readonly FoundFile[],
  { count, bytes }: { count: number; bytes: number },
): FoundFile[] {
  const newest: FoundFile[] = [];
  let left = bytes;
  for (const file of files.toReversed()) {
    const size = Number(file.stat.size);
    if (size > left) {
      if (newest.length === 0) continue; // a session of 200 MB would delay all others; its ids come after theirs
      break;
    }
    newest.push(file);
    left -= size;
    if (newest.length === count) break;
  }
  return newest.toReversed();
}

/** Whether the index has no entries. */
export function isEmpty(db: SQLite.Database): boolean {
  return lastId(db) === 0;
}

/** Ids with room before them for the entries of other files, in an index without entries. */
export function idsAfterGap(others: readonly FoundFile[]): EntryIds {
  const room = others.reduce((sum, { stat }) => sum + Math.ceil(Number(stat.size) / MIN_LINE_BYTES), 0);
  return { next: 1 + room, before: Number.MAX_SAFE_INTEGER };
}

/**
 * The gap before the entries of the indexed files that are newer than the first of some files, which are sorted, and those of the files that belong into it. A
 * load that was stopped finds it again. The others get ids as usual.
 */
export function findGap(
  db: SQLite.Database,
  files: readonly FoundFile[],
): { ids: EntryIds | undefined; older: FoundFile[] } {
  const none = { ids: undefined, older: [] };
  const [oldest] = files;
  if (!oldest) return none;
  const newer = db
    .prepare<[bigint, number], { id: number; mtime: bigint }>(
      `SELECT id, CAST(mtime_ns AS INTEGER) AS mtime FROM file
       WHERE CAST(mtime_ns AS INTEGER) > ? AND lines > 0 LIMIT ?`,
    )
    .safeIntegers()
    .all(oldest.stat.mtimeNs, MAX_NEWER_FILES + 1);
  if (newer.length === 0 || newer.length > MAX_NEWER_FILES) return none;
  const firstOf = db.prepare<[number], number | null>("SELECT min(id) FROM entry WHERE file_id = ?").pluck();
  const before = newer.reduce(
    (least, { id }) => Math.min(least, firstOf.get(id) ?? least),
    Number.MAX_SAFE_INTEGER,
  );
  const next = lastId(db, before) + 1;
  if (before === Number.MAX_SAFE_INTEGER || next >= before) return none;
  const end = newer.reduce((least, { mtime }) => (mtime < least ? mtime : least), newer[0]?.mtime ?? 0n);
  return { ids: { next, before }, older: files.filter(({ stat }) => stat.mtimeNs < end) };
}

function lastId(db: SQLite.Database, before = Number.MAX_SAFE_INTEGER): number {
  return (
    db.prepare<[number], number | null>("SELECT max(id) FROM entry WHERE id < ?").pluck().get(before) ?? 0
  );
}
