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
  for (const [file, inFile] of Map.groupBy(places, ({ file_id }) => file_id)) {
    const family = relations.familyOf(file);
    const open = (act: Act<P>) => !act.files.has(file);
    const join = (act: Act<P>, copies: readonly P[]) => {
      act.places.push(...copies);
      act.files.set(file, copies[0] as P);
      act.families.add(family);
    };
    const lines = [...Map.groupBy(inFile, lineIdentity).values()];
    // What ids tell comes first: it leaves the other acts to the lines without.
    const unknown = lines.filter((copies) => {
      const act = acts.find((each) => open(each) && hasSameId(each, copies[0] as P));
      if (act) join(act, copies);
      return !act;
    });
    for (const copies of unknown) {
      const known = acts.find(
        (each) => open(each) && each.families.has(family) && mayBe(each, copies[0] as P, relations),
      );
      const act = known ?? { places: [], files: new Map(), families: new Set() };
      if (!known) acts.push(act);
      join(act, copies);
    }
  }
  return acts.map((act) => act.places);
}

/** The same for copies of one line in one file. */
function lineIdentity({ entryId, textHash }: EventCopy): string {
  return JSON.stringify(entryId === null ? [textHash] : entryId);
}

function hasSameId(act: Act<EventCopy>, place: EventCopy): boolean {
  if (!hasStableId(place)) return false;
  return [...act.files.values()].some((other) => hasStableId(other) && other.entryId === place.entryId);
}

/** Whether ids allow that a place tells of an act: no place of its family may have another id that was given out with this one. */
function mayBe(act: Act<EventCopy>, place: EventCopy, { familyOf, haveOtherIds }: Relations): boolean {
  const others = [...act.files.values()].filter(
    ({ file_id }) => familyOf(file_id) === familyOf(place.file_id),
  );
  if (!hasStableId(place)) return true;
  const withIds = others.filter(hasStableId);
  return withIds.every((other) => haveOtherIds(place.file_id, other.file_id));
}
