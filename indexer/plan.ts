import type { BigIntStats } from "node:fs";
import { EXTRACTION } from "../src/database/extraction.ts";
import type { FileTable } from "../src/database/schema.ts";

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
 * Decides from a look at a file alone, without reading it. A file that only grew, or that was too young at the
 * last look for an equal time to prove anything, gets `append`: the ingest compares the bytes before the
 * cursor. Equal size and mtime with another ctime is a rewrite that put its mtime back.
 */
export function plan(stat: FileLook, known: KnownFile | undefined): Plan {
  if (!known || known.extraction < EXTRACTION || known.inode !== inodeOf(stat)) return "reindex";
  const size = Number(stat.size);
  if (size > known.size) return "append";
  const untouched = String(stat.mtimeNs) === known.mtime_ns && String(stat.ctimeNs) === known.ctime_ns;
  if (size < known.size || !untouched) return "reindex";
  return known.racy ? "append" : "skip";
}

/** The identity of a file, whatever its name: device and inode. */
export function inodeOf(stat: Pick<FileLook, "dev" | "ino">): string {
  return `${stat.dev}:${stat.ino}`;
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
