import type { BigIntStats } from "node:fs";
import { fileIdentity } from "../src/file-identity.ts";
import { EXTRACTION } from "../src/store/sqlite/extraction.ts";
import type { FileTable } from "../src/store/sqlite/schema.ts";

/** What of a look at a file (`stat`) tells whether it is as it was. */
export type FileLook = Pick<BigIntStats, "dev" | "ino" | "size" | "mtimeNs" | "ctimeNs">;

export function lookOf({ dev, ino, size, mtimeNs, ctimeNs }: FileLook): FileLook {
  return { dev, ino, size, mtimeNs, ctimeNs };
}

/** What the index remembers of a file, as far as planning needs it. */
export type KnownFile = Pick<
  FileTable,
  "inode" | "size" | "mtime_ns" | "ctime_ns" | "racy" | "cursor" | "extraction"
>;

/**
 * What a file needs:
 * - `skip`: nothing, it is as it was;
 * - `append`: read from the cursor on, if the bytes before it are still the ones that were indexed;
 * - `reindex`: read it from the start, and drop what is known of it.
 */
type Plan = "skip" | "append" | "reindex";

/**
 * Decides from a look at a file alone, without reading it. Everything but an unchanged file, or one that lost indexed
 * bytes, gets `append`: the ingest compares the bytes before the cursor. Times, inode and device change without the
 * content: by chmod, rename, a copy, or a file system that was mounted again.
 */
export function plan(stat: FileLook, known: KnownFile | undefined): Plan {
  if (!known || known.extraction < EXTRACTION || Number(stat.size) < known.cursor) return "reindex";
  const isSame =
    known.inode === fileIdentity(stat) && Number(stat.size) === known.size && hasSameTimes(stat, known);
  return isSame && !known.racy ? "skip" : "append";
}

/**
 * Which of the bytes before the cursor are compared with the file before reading goes on:
 * - `none`: nothing changed but the number of the device, which a mount gives;
 * - `some`: it grew, or was too young to tell. That is what happens all the time, so it must stay cheap in large files;
 * - `all`: anything else, such as an edit in place or a file that took its name.
 *
 * @param isBegun whether this sync has read it up to the cursor
 */
export function blocksToCompare(stat: FileLook, known: KnownFile, isBegun = false): "none" | "some" | "all" {
  const isSameInode = known.inode === fileIdentity(stat);
  const isUntouched = hasSameTimes(stat, known) && !known.racy;
  if (isSameInode && isBegun && isUntouched) return "none";
  if (isSameInode && Number(stat.size) > known.size) return "some";
  if (!hasSameTimes(stat, known) || Number(stat.size) !== known.size) return "all";
  if (isSameInode) return known.racy ? "some" : "none";
  // Files on two devices are unlikely to share an inode number and a ctime in nanoseconds, which no program can set.
  const isSameNumber = known.inode.split(":")[1] === String(stat.ino);
  return isSameNumber && isUntouched && stat.ctimeNs % SECOND_NS !== 0n ? "none" : "all";
}

function hasSameTimes({ mtimeNs, ctimeNs }: FileLook, known: KnownFile): boolean {
  return String(mtimeNs) === known.mtime_ns && String(ctimeNs) === known.ctime_ns;
}

/** Whether a file was written to between two looks at it. */
export function differs(a: FileLook, b: FileLook): boolean {
  return a.size !== b.size || a.mtimeNs !== b.mtimeNs || a.ctimeNs !== b.ctimeNs;
}

const SECOND_NS = 1_000_000_000n;

/** How far behind the clock a file system that counts nanoseconds may stamp a write: some kernel ticks. */
const FINE_WINDOW_MS = 40;
/** The same for one that counts seconds, or two. */
const COARSE_WINDOW_MS = 2_000;

/**
 * Whether a file was changed so shortly before `now` (Unix milliseconds) that it can change again and keep its
 * times: then equal times at the next look prove nothing. Times ahead of the clock prove nothing either. The
 * ctime counts too, because an mtime can be put back.
 */
export function isRacy({ mtimeNs, ctimeNs }: FileLook, now: number): boolean {
  return isYoung(mtimeNs, now) || isYoung(ctimeNs, now);
}

function isYoung(timeNs: bigint, now: number): boolean {
  const coarse = timeNs % SECOND_NS === 0n;
  return Number(timeNs) / 1e6 > now - (coarse ? COARSE_WINDOW_MS : FINE_WINDOW_MS);
}
