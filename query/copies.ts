import type { EntryTable } from "../src/store/sqlite/schema.ts";

/** What tells an entry from others, wherever it stands. */
type Identity = Pick<EntryTable, "entry_id" | "timestamp" | "type" | "role" | "text_hash"> & { id: number };

/** Where an entry stands, as far as copies are put in order by it. */
interface Standing extends Identity, Pick<EntryTable, "file_id" | "line"> {
  /** When its session was begun, in Unix milliseconds. */
  created: number | null;
  /** 1 on the current branch of its session. */
  current: number;
}

/** An entry at the place that stands for it, and at the other places where forks have a copy. */
export interface WithCopies<Row> {
  row: Row;
  copies: Row[];
}

/**
 * What copies of an entry have in common. A fork copies entries with their ids and times; ids of 8 digits collide
 * between strangers, but not in the same millisecond, with the same text. Of an entry without an id or a time copies
 * cannot be told.
 */
export function copyKey({ id, entry_id, timestamp, type, role, text_hash }: Identity): string | number {
  if (entry_id === null || timestamp === null) return id;
  // 5 and "5" are two ids.
  return JSON.stringify([entry_id, timestamp, type, role, text_hash]);
}

/**
 * Puts the copies of an entry together; groups come in the order of their first rows. An entry that stands twice in
 * one file is two: the first there and the first in a fork are copies, and so are the second ones.
 *
 * A hit stands where it is on the current branch, and of such places in the session that was begun first.
 *
 * @param isKnown rows that were hits of a page before: those stand for the others, so that a hit stays where it was
 */
export function collapse<Row extends Standing>(
  rows: readonly Row[],
  isKnown: (row: Row) => boolean = () => false,
): WithCopies<Row>[] {
  const known = (row: Row) => Number(isKnown(row));
  return copyGroups(rows).map((group) => {
    if (group.length > 1) group.sort((a, b) => known(b) - known(a) || byPlace(a, b));
    const [row, ...copies] = group as [Row, ...Row[]];
    return { row, copies };
  });
}

/** The rows of each entry: as many as there are files that have it. */
export function copyGroups<Row extends Identity & Pick<Standing, "file_id" | "line">>(
  rows: readonly Row[],
): Row[][] {
  const isShared = sharedTimes(rows);
  const alike = new Map<string | number, Row[]>();
  const groups: Row[][] = [];
  for (const row of rows) {
    const key = isShared(row) ? copyKey(row) : undefined;
    const equals = key === undefined ? undefined : alike.get(key);
    if (equals) {
      equals.push(row);
      continue;
    }
    const group = [row];
    groups.push(group);
    if (key !== undefined) alike.set(key, group);
  }
  return groups.flatMap((equals) => (equals.length === 1 ? [equals] : byOccurrence(equals)));
}

/** Tells which rows have the time of another: only they may be copies, and of thousands they are few. */
export function sharedTimes<Row extends Pick<Identity, "timestamp">>(
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

/** The first ones of each file, the second ones, and so on. */
function byOccurrence<Row extends Pick<Standing, "file_id" | "line">>(equals: readonly Row[]): Row[][] {
  const seen = new Map<number, number>();
  const groups: Row[][] = [];
  for (const row of equals.toSorted((a, b) => a.line - b.line)) {
    const occurrence = seen.get(row.file_id) ?? 0;
    seen.set(row.file_id, occurrence + 1);
    const group = groups[occurrence];
    if (group) group.push(row);
    else groups.push([row]);
  }
  return groups;
}

/** In what order the places of an entry come: on the current branch first, then by the begin of their sessions. */
export function byPlace(a: Standing, b: Standing): number {
  return b.current - a.current || byBegin(a, b);
}

/** The session that was begun first comes first, sessions without a date last. */
export function byBegin(
  a: Pick<Standing, "created" | "file_id">,
  b: Pick<Standing, "created" | "file_id">,
): number {
  const begin = ({ created }: Pick<Standing, "created">) => created ?? Number.MAX_VALUE;
  return begin(a) - begin(b) || a.file_id - b.file_id;
}
