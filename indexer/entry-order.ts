/**
 * Row ids of entries follow time: a search reads the newest hits of a word from the end of its list, so ids are the order of its
 * windows. A large load reads the newest files first, so that they can be used at once, and therefore leaves a gap for the ids
 * of the others.
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

/** The newest files that are read before all others: few enough to be read in half a second. The files are sorted, oldest first. */
export function newestFiles(
  files: readonly FoundFile[],
  { count, bytes }: { count: number; bytes: number },
): FoundFile[] {
  const newest: FoundFile[] = [];
  let left = bytes;
  for (const file of files.toReversed()) {
    const size = Number(file.stat.size);
    if (size > left) continue; // a session of 200 MB would delay all others
    newest.push(file);
    left -= size;
    if (newest.length === count) break;
  }
  return newest.toReversed();
}

/** Ids for the newest of the files to load, with room for the entries of the others before them. */
export function idsOfNewest(
  db: SQLite.Database,
  newest: readonly FoundFile[],
  others: readonly FoundFile[],
): EntryIds {
  const gap = idsBetween(db, newest); // one that a stopped load left
  if (gap) return { ...gap, next: Math.max(gap.next, gap.before - roomFor(newest)) };
  return { next: lastId(db) + 1 + roomFor(others), before: Number.MAX_SAFE_INTEGER };
}

/** Ids for the entries of files, before those of newer files, if there is a gap; undefined for ids as usual. */
export function idsBetween(db: SQLite.Database, files: readonly FoundFile[]): EntryIds | undefined {
  const newest = files.at(-1);
  if (!newest) return undefined;
  const newer = db
    .prepare<[bigint, number], number>(
      "SELECT id FROM file WHERE CAST(mtime_ns AS INTEGER) > ? AND lines > 0 LIMIT ?",
    )
    .pluck()
    .all(newest.stat.mtimeNs, MAX_NEWER_FILES + 1);
  if (newer.length === 0 || newer.length > MAX_NEWER_FILES) return undefined;
  const firstOf = db.prepare<[number], number | null>("SELECT min(id) FROM entry WHERE file_id = ?").pluck();
  const firsts = newer.map((file) => firstOf.get(file)).filter((id) => id != null);
  const before = Math.min(...firsts);
  if (!Number.isFinite(before)) return undefined;
  const next = lastId(db, before) + 1;
  return next < before ? { next, before } : undefined;
}

function lastId(db: SQLite.Database, before = Number.MAX_SAFE_INTEGER): number {
  return (db.prepare<[number], number | null>("SELECT max(id) FROM entry WHERE id < ?").pluck().get(before) ??
    0) as number;
}

function roomFor(files: readonly FoundFile[]): number {
  return files.reduce((sum, { stat }) => sum + Math.ceil(Number(stat.size) / MIN_LINE_BYTES), 0);
}
