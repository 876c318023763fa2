import type { HitRow } from "./hits.ts";

/** A hit with the other places where a fork copied the same entry to. */
export interface PlacedHit {
  row: HitRow;
  /** The same entry in other files. */
  copies: HitRow[];
}

/**
 * Puts the copies of an entry together. A fork copies entries with their ids and times; ids of 8 digits collide
 * between strangers, but not in the same millisecond, with the same text. The hit stands where the entry is on the
 * current branch, and of such places in the session that was begun first.
 */
export function collapse(rows: readonly HitRow[]): PlacedHit[] {
  const groups = new Map<string | number, HitRow[]>();
  for (const row of rows) {
    let key = copyKey(row);
    // An entry that stands twice in one file is two hits.
    while (groups.get(key)?.some(({ file_id }) => file_id === row.file_id)) key = `${key} again`;
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return [...groups.values()].map((group): PlacedHit => {
    if (group.length > 1) group.sort(byPlace);
    const [row, ...copies] = group as [HitRow, ...HitRow[]];
    return { row, copies };
  });
}

/** What copies of an entry have in common. An entry without an id or a time has no copies that can be told. */
export function copyKey({ id, entry_id, timestamp, type, role, text_hash }: HitRow): string | number {
  if (entry_id === null || timestamp === null) return id;
  // 5 and "5" are two ids.
  return `${typeof entry_id} ${entry_id} ${timestamp} ${type} ${role} ${text_hash}`;
}

function byPlace(a: HitRow, b: HitRow): number {
  return (
    b.current - a.current || time(a.created) - time(b.created) || a.file_id - b.file_id || b.line - a.line
  );
}

function time(created: number | null): number {
  return created ?? Number.POSITIVE_INFINITY;
}
