import { getOrInsert } from "../src/get-or-insert.ts";
/** Groups occurrences with the same key by billable event. Pure. */
import type { EntryId } from "../src/session/entries.ts";

/** An occurrence of an event. */
export interface EventOccurrence {
  file_id: number;
  entryId: EntryId | null;
  /** The version of the file's format: entries of version 1 have no ids, so theirs are derived from their lines. */
  version: number;
  textHash: number | null;
}

/** How files are related. */
export interface FileRelations {
  /** A number that identifies the fork family of a file. */
  familyOf(file: number): number;
  /**
   * Whether pi assigned the entry ids of two files separately, upgrading each from version 1. If so, different ids don't mean
   * different events.
   */
  haveSeparateIds(file: number, other: number): boolean;
}

/** A billable event with its occurrences. A file has at most one, except for copies of a line. */
interface EventGroup<P> {
  /** Numbers events in the order of their first occurrence. */
  number: number;
  occurrences: P[];
  files: Map<number, P>;
  families: Set<number>;
}

/** Whether an entry has the same id in all copies. */
export function hasStableId({ entryId, version }: Pick<EventOccurrence, "entryId" | "version">): boolean {
  return entryId !== null && version > 1;
}

/**
 * Groups occurrences with the same key (time, model and figures) by billable event, in the order of first occurrence.
 * Occurrences with the same stable id are one event. Without stable ids, or if pi assigned the ids separately, occurrences in
 * the same fork family are one event. Those in unrelated files, or with different ids in one file, are different events.
 */
export function groupByEvent<P extends EventOccurrence>(
  occurrences: readonly P[],
  relations: FileRelations,
): P[][] {
  const events: EventGroup<P>[] = [];
  // Indexed, because a text may occur ten thousand times in a file: comparing each line with all events would be quadratic.
  const byId = new Map<EntryId, Set<EventGroup<P>>>();
  const byFamily = new Map<number, Set<EventGroup<P>>>();
  for (const [file, inFile] of Map.groupBy(occurrences, ({ file_id }) => file_id)) {
    const family = relations.familyOf(file);
    const isOpen = (event: EventGroup<P>) => !event.files.has(file);
    const join = (event: EventGroup<P>, copies: readonly P[]) => {
      const [first] = copies as [P];
      for (const copy of copies) event.occurrences.push(copy);
      event.files.set(file, first);
      event.families.add(family);
      getOrInsert(byFamily, family, () => new Set()).add(event);
      if (first.entryId !== null && hasStableId(first))
        getOrInsert(byId, first.entryId, () => new Set()).add(event);
    };
    const lines = [...Map.groupBy(inFile, lineIdentity).values()];
    // Ids are matched first, which leaves the other events to the lines without stable ids.
    const unmatched = lines.filter((copies) => {
      const [{ entryId, version }] = copies as [P];
      const sameId = entryId === null || !hasStableId({ entryId, version }) ? undefined : byId.get(entryId);
      const [event] = inOrder([...(sameId ?? [])].filter(isOpen));
      if (event) join(event, copies);
      return !event;
    });
    const open = inOrder([...(byFamily.get(family) ?? [])].filter(isOpen));
    // An event that doesn't match one line with an id matches no other line with an id, so both iterators only advance. `find`
    // doesn't close the iterators of arrays.
    const [withId, withoutId] = [open.values(), open.values()];
    for (const copies of unmatched) {
      const [first] = copies as [P];
      const known = hasStableId(first)
        ? withId.find((event) => isOpen(event) && mayBe(event, first, relations))
        : withoutId.find(isOpen);
      const event = known ?? {
        number: events.length,
        occurrences: [],
        files: new Map(),
        families: new Set(),
      };
      if (!known) events.push(event);
      join(event, copies);
    }
  }
  return events.map((event) => event.occurrences);
}

function inOrder<P>(events: EventGroup<P>[]): EventGroup<P>[] {
  return events.sort((a, b) => a.number - b.number);
}

/** Identifies copies of a line within a file. */
function lineIdentity({ entryId, textHash }: EventOccurrence): string {
  return JSON.stringify(entryId === null ? [textHash] : entryId);
}

/**
 * Whether the ids allow an occurrence with a stable id to belong to an event: no other occurrence in its fork family may have a
 * different id, unless these ids were assigned separately.
 */
function mayBe(
  event: EventGroup<EventOccurrence>,
  occurrence: EventOccurrence,
  { familyOf, haveSeparateIds }: FileRelations,
): boolean {
  const others = [...event.files.values()].filter(
    ({ file_id }) => familyOf(file_id) === familyOf(occurrence.file_id),
  );
  const withIds = others.filter(hasStableId);
  return withIds.every((other) => haveSeparateIds(occurrence.file_id, other.file_id));
}
