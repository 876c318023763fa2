/** Which places tell of one act, where several have one key. Pure. */
import type { EntryId } from "../src/session/entries.ts";

/** A place of an event, as far as that matters. */
export interface EventCopy {
  file_id: number;
  entryId: EntryId | null;
  /** The version of the file's format: entries of version 1 have no ids, theirs are made of their lines. */
  version: number;
  textHash: number | null;
}

/** What is known of the files that places are in. */
export interface Relations {
  /** The same number for all files of a family. */
  familyOf(file: number): number;
  /**
   * Whether pi gave the entries of two files their ids at different times, upgrading each from version 1: then other ids
   * do not make other acts.
   */
  haveOtherIds(file: number, other: number): boolean;
}

/** An act: its places, by file. No file has two, but for copies of one line. */
interface Act<P> {
  /** Acts are numbered in the order in which they are first told. */
  number: number;
  places: P[];
  files: Map<number, P>;
  families: Set<number>;
}

/** Whether an entry has the same id in all copies. */
export function hasStableId({ entryId, version }: Pick<EventCopy, "entryId" | "version">): boolean {
  return entryId !== null && version > 1;
}

/**
 * Groups places that have one key (the same time, model and figures) by the act they tell of, in the order in which the acts are
 * first told. Places with one stable id are of one act. Without, or where pi gave out ids twice, they are of one act when
 * their files are of one family; strangers are not, nor are two places in one file that have different ids.
 */
export function groupByAct<P extends EventCopy>(places: readonly P[], relations: Relations): P[][] {
  const acts: Act<P>[] = [];
  // A text may stand ten thousand times in one file: no line may be compared with all acts.
  const byId = new Map<EntryId, Set<Act<P>>>();
  const byFamily = new Map<number, Set<Act<P>>>();
  for (const [file, inFile] of Map.groupBy(places, ({ file_id }) => file_id)) {
    const family = relations.familyOf(file);
    const isOpen = (act: Act<P>) => !act.files.has(file);
    const join = (act: Act<P>, copies: readonly P[]) => {
      const [first] = copies as [P];
      for (const copy of copies) act.places.push(copy);
      act.files.set(file, first);
      act.families.add(family);
      addTo(byFamily, family, act);
      if (first.entryId !== null && hasStableId(first)) addTo(byId, first.entryId, act);
    };
    const lines = [...Map.groupBy(inFile, lineIdentity).values()];
    // What ids tell comes first: it leaves the other acts to the lines without.
    const unknown = lines.filter((copies) => {
      const [{ entryId, version }] = copies as [P];
      const sameId = entryId === null || !hasStableId({ entryId, version }) ? undefined : byId.get(entryId);
      const [act] = inOrder([...(sameId ?? [])].filter(isOpen));
      if (act) join(act, copies);
      return !act;
    });
    const open = inOrder([...(byFamily.get(family) ?? [])].filter(isOpen));
    // An act that one line with an id cannot be of, no other with an id can: so both iterators only go on. Those of arrays are not
    // closed by `find`.
    const [withId, withoutId] = [open.values(), open.values()];
    for (const copies of unknown) {
      const [first] = copies as [P];
      const known = hasStableId(first)
        ? withId.find((act) => isOpen(act) && mayBe(act, first, relations))
        : withoutId.find(isOpen);
      const act = known ?? { number: acts.length, places: [], files: new Map(), families: new Set() };
      if (!known) acts.push(act);
      join(act, copies);
    }
  }
  return acts.map((act) => act.places);
}

function addTo<K, A>(sets: Map<K, Set<A>>, key: K, act: A): void {
  const set = sets.get(key);
  if (set) set.add(act);
  else sets.set(key, new Set([act]));
}

function inOrder<P>(acts: Act<P>[]): Act<P>[] {
  return acts.sort((a, b) => a.number - b.number);
}

/** The same for copies of one line in one file. */
function lineIdentity({ entryId, textHash }: EventCopy): string {
  return JSON.stringify(entryId === null ? [textHash] : entryId);
}

/**
 * Whether ids allow that a place with a stable one tells of an act: no place of its family may have another id that was given out
 * with this one.
 */
function mayBe(act: Act<EventCopy>, place: EventCopy, { familyOf, haveOtherIds }: Relations): boolean {
  const others = [...act.files.values()].filter(
    ({ file_id }) => familyOf(file_id) === familyOf(place.file_id),
  );
  const withIds = others.filter(hasStableId);
  return withIds.every((other) => haveOtherIds(place.file_id, other.file_id));
}
