/** Which of several sessions that hold an act, or started a subagent, comes first. */

export interface OwnerRank {
  /** When the session was begun, in Unix milliseconds; null when that is not known: then it comes last. */
  created: number | null;
  path: string;
}

/**
 * The terms of an ORDER BY: the session that was begun first, then one that is no copy by its name, then the first path. OpenClaw
 * writes a checkpoint beside its session with the same header, and `.checkpoint.` sorts before `.jsonl`.
 */
export function ownerOrder(session: string, file: string): string {
  return `${session}.created IS NULL, ${session}.created, ${file}.path GLOB '*.checkpoint.*.jsonl', ${file}.path`;
}

/** The same order: whether one comes before another. */
export function ownsBefore(a: OwnerRank, b: OwnerRank): boolean {
  const begin = ({ created }: OwnerRank) => created ?? Number.MAX_VALUE;
  if (begin(a) !== begin(b)) return begin(a) < begin(b);
  const [isCopy, isOtherCopy] = [isCheckpoint(a.path), isCheckpoint(b.path)];
  return isCopy === isOtherCopy ? isLess(a.path, b.path) : isOtherCopy;
}

function isCheckpoint(path: string): boolean {
  return /\.checkpoint\..*\.jsonl$/s.test(path);
}

/** As SQLite compares text: by its UTF-8 bytes. */
function isLess(a: string, b: string): boolean {
  return Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0;
}
