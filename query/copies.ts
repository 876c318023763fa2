import type { SharedEntry } from "../src/store/entry-reads.ts";
import type { Position } from "../src/store/position.ts";
import type { EntryTable } from "../src/store/schema.ts";

/** The columns that identify an entry and its copies. */
type Identity = Pick<EntryTable, "entry_id" | "timestamp" | "type" | "role" | "text_hash"> & {
  position: Position;
};

/** The columns by which copies of an entry are ordered. */
interface CopyRow extends Identity, Pick<EntryTable, "file_id" | "line"> {
  /** Creation time of its session, in Unix milliseconds. */
  created: number | null;
  /** 1 if it is on the current branch of its session. */
  current: number;
}

/** An entry at its preferred location, and its copies in forks. */
export interface WithCopies<Row> {
  row: Row;
  copies: Row[];
}

/**
 * Returns a key that copies of an entry share. Forks copy entries with their ids and times. Ids of 8 digits collide between
 * unrelated sessions, but not in the same millisecond with the same text. Copies of an entry without an id or a time cannot
 * be recognized.
 */
export function getCopyKey({ position, entry_id, timestamp, type, role, text_hash }: Identity): Position {
  if (entry_id === null || timestamp === null) return position;
  // 5 and "5" are different ids.
  return JSON.stringify([entry_id, timestamp, type, role, text_hash]);
}

/**
 * Groups rows that are copies of one entry, in order of the first row of each group. Entries repeated within one file are
 * distinct: the first one there and the first one in a fork are copies, and so are the second ones.
 *
 * The preferred location is on the current branch, then in the oldest session.
 *
 * @param isKnown true for rows returned on an earlier page; they are preferred, so that a hit keeps its location
 */
export function collapseCopies<Row extends CopyRow>(
  rows: readonly Row[],
  isKnown: (row: Row) => boolean = () => false,
): WithCopies<Row>[] {
  const known = (row: Row) => Number(isKnown(row));
  return groupCopies(rows).map((group) => {
    if (group.length > 1) group.sort((a, b) => known(b) - known(a) || comparePreference(a, b));
    const [row, ...copies] = group as [Row, ...Row[]];
    return { row, copies };
  });
}

/** Groups rows by entry. A group holds at most one row per file. */
export function groupCopies<Row extends Identity & Pick<CopyRow, "file_id" | "line">>(
  rows: readonly Row[],
): Row[][] {
  const isShared = findSharedTimes(rows);
  const alike = Map.groupBy(rows, (row) => (isShared(row) ? getCopyKey(row) : row.position));
  return [...alike.values()].flatMap((equals) => (equals.length === 1 ? [equals] : byOccurrence(equals)));
}

/** Returns a test for rows that share their time with another row. Only those can be copies, and they are few. */
export function findSharedTimes<Row extends Pick<Identity, "timestamp">>(
  rows: readonly Row[],
): (row: Row) => boolean {
  const once = new Set<number>();
  const shared = new Set<number>();
  for (const { timestamp } of rows) {
    if (timestamp === null) continue;
    if (once.has(timestamp)) shared.add(timestamp);
    else once.add(timestamp);
  }
  return ({ timestamp }) => timestamp !== null && shared.has(timestamp);
}

/** Groups the first occurrences in each file, then the second ones, and so on. */
function byOccurrence<Row extends Pick<CopyRow, "file_id" | "line">>(equals: readonly Row[]): Row[][] {
  const seen = new Map<number, number>();
  const inOrder = equals.toSorted((a, b) => a.line - b.line);
  const groups = Map.groupBy(inOrder, ({ file_id }) => {
    const occurrence = seen.get(file_id) ?? 0;
    seen.set(file_id, occurrence + 1);
    return occurrence;
  });
  return [...groups.values()];
}

/** Orders locations of an entry: the current branch first, then the oldest session. */
export function comparePreference(a: CopyRow, b: CopyRow): number {
  return b.current - a.current || compareCreation(a, b);
}

/** Orders by session creation, oldest first; sessions without a date come last. */
export function compareCreation(
  a: Pick<CopyRow, "created" | "file_id">,
  b: Pick<CopyRow, "created" | "file_id">,
): number {
  const createdOrLast = ({ created }: Pick<CopyRow, "created">) => created ?? Number.MAX_VALUE;
  return createdOrLast(a) - createdOrLast(b) || a.file_id - b.file_id;
}

/**
 * The entries that forks only copied. An entry belongs as a whole to its oldest holder: in a fork in another folder its relative
 * paths resolve to other files, but the fork did not touch them.
 */
export function findCopiedPositions(shared: readonly SharedEntry[]): Set<Position> {
  const copied = new Set<Position>();
  for (const group of groupCopies(shared)) {
    const [, ...copies] = group.sort(compareCreation);
    for (const { position } of copies) copied.add(position);
  }
  return copied;
}
