/** The order of the sessions that contain the same billable event or started the same subagent. The first one is the owner. */

export interface OwnerRank {
  /** When the session was created, in Unix milliseconds; null if unknown, which sorts last. */
  created: number | null;
  path: string;
}

/**
 * The terms of an ORDER BY: by creation time, then checkpoints last, then by path. OpenClaw writes a checkpoint beside its
 * session with the same header, and `.checkpoint.` sorts before `.jsonl`.
 */
export function ownerOrderTerms(session: string, file: string): string {
  return `${session}.created IS NULL, ${session}.created, ${file}.path GLOB '*.checkpoint.*.jsonl', ${file}.path`;
}

/** The same order: whether `a` comes before `b`. */
export function precedes(a: OwnerRank, b: OwnerRank): boolean {
  const begin = ({ created }: OwnerRank) => created ?? Number.MAX_VALUE;
  if (begin(a) !== begin(b)) return begin(a) < begin(b);
  const [isACheckpoint, isBCheckpoint] = [isCheckpoint(a.path), isCheckpoint(b.path)];
  return isACheckpoint === isBCheckpoint ? isLess(a.path, b.path) : isBCheckpoint;
}

function isCheckpoint(path: string): boolean {
  return /\.checkpoint\..*\.jsonl$/s.test(path);
}

/** Compares by UTF-8 bytes, as SQLite does. */
function isLess(a: string, b: string): boolean {
  return Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0;
}
