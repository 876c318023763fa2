import type { BigIntStats } from "node:fs";
import { toFileIdentity } from "../src/file-identity.ts";
import { EXTRACTION } from "../src/store/extraction.ts";
import type { FileTable } from "../src/store/schema.ts";

/** The fields of a `stat` that show whether a file changed. */
export type FileStat = Pick<BigIntStats, "dev" | "ino" | "size" | "mtimeNs" | "ctimeNs">;

export function toFileStat({ dev, ino, size, mtimeNs, ctimeNs }: FileStat): FileStat {
  return { dev, ino, size, mtimeNs, ctimeNs };
}

/** The columns of a file's row that planning needs. */
export type PlannedRow = Pick<
  FileTable,
  "inode" | "size" | "mtime_ns" | "ctime_ns" | "racy" | "cursor" | "extraction"
>;

/**
 * What a file needs:
 * - `skip`: nothing, it did not change;
 * - `append`: read on from the cursor, if the bytes before it are still the indexed ones;
 * - `reindex`: drop its rows and read it from the start.
 */
type Plan = "skip" | "append" | "reindex";

/**
 * Decides from a file's `stat`, without reading it. A changed file gets `append` unless it lost indexed bytes: the ingest
 * compares the bytes before the cursor. Times, inode and device can change without the content: by chmod, rename, copying,
 * or remounting a file system.
 */
export function plan(stat: FileStat, known: PlannedRow | undefined): Plan {
  if (!known || known.extraction < EXTRACTION || Number(stat.size) < known.cursor) return "reindex";
  const isSame =
    known.inode === toFileIdentity(stat) && Number(stat.size) === known.size && hasSameTimes(stat, known);
  return isSame && !known.racy ? "skip" : "append";
}

/**
 * How many of the bytes before the cursor to compare with the index before reading on:
 * - `none`: nothing changed except the device number, which depends on the mount;
 * - `some`: the file grew, or changed too recently to trust its times. This is the common case and must be cheap in large files;
 * - `all`: anything else, such as an edit in place or another file under the same name.
 *
 * @param isBegun whether this sync itself has read the file up to the cursor
 */
export function blocksToCompare(stat: FileStat, known: PlannedRow, isBegun = false): "none" | "some" | "all" {
  const isSameInode = known.inode === toFileIdentity(stat);
  const isUntouched = hasSameTimes(stat, known) && !known.racy;
  if (isSameInode && isBegun && isUntouched) return "none";
  if (isSameInode && Number(stat.size) > known.size) return "some";
  if (!hasSameTimes(stat, known) || Number(stat.size) !== known.size) return "all";
  if (isSameInode) return known.racy ? "some" : "none";
  // Files on two devices are unlikely to share an inode number and a ctime in nanoseconds, which no program can set.
  const isSameNumber = known.inode.split(":")[1] === String(stat.ino);
  return isSameNumber && isUntouched && stat.ctimeNs % SECOND_NS !== 0n ? "none" : "all";
}

function hasSameTimes({ mtimeNs, ctimeNs }: FileStat, known: PlannedRow): boolean {
  return String(mtimeNs) === known.mtime_ns && String(ctimeNs) === known.ctime_ns;
}

/** Whether a file was written to between two `stat` calls. */
export function hasChanged(a: FileStat, b: FileStat): boolean {
  return a.size !== b.size || a.mtimeNs !== b.mtimeNs || a.ctimeNs !== b.ctimeNs;
}

const SECOND_NS = 1_000_000_000n;

/** How far timestamps may lag behind the clock on a file system with nanoseconds: a few kernel ticks. */
const FINE_WINDOW_MS = 40;
/** The same on a file system with a resolution of one or two seconds. */
const COARSE_WINDOW_MS = 2_000;

/**
 * Whether a file changed so shortly before `now` (Unix milliseconds) that it can change again without new times. Equal
 * times then prove nothing at the next sync, and neither do times in the future. The ctime counts too, because programs can
 * set an mtime back.
 */
export function isRacy({ mtimeNs, ctimeNs }: FileStat, now: number): boolean {
  return isRecent(mtimeNs, now) || isRecent(ctimeNs, now);
}

function isRecent(timeNs: bigint, now: number): boolean {
  const isCoarse = timeNs % SECOND_NS === 0n;
  return Number(timeNs) / 1e6 > now - (isCoarse ? COARSE_WINDOW_MS : FINE_WINDOW_MS);
}
