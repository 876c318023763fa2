import type { EntryId } from "../src/session/entries.ts";
import type { Preparer } from "../src/store/sqlite/statements.ts";
import { type EventCopy, groupByAct, hasStableId, type Relations } from "./instances.ts";

/** A place as its act's number is written to. */
interface NumberedCopy extends EventCopy {
  entry: number;
  ordinal: number;
  instance: number;
}

/** The first entry of a file: copies and forks have the same one. */
interface FirstEntry {
  id: EntryId | null;
  /** Its own time, else that of its message. */
  time: number | null;
  type: string;
  textHash: number | null;
}

/**
 * The statements about keys whose places do not all have one id: they are listed, to be looked at again when a family
 * changes, and their places are numbered by the act they tell of.
 */
export function prepareContestedKeys(db: Preparer, familyOf: Relations["familyOf"]) {
  const isContested = db.prepare<[bigint], 1>("SELECT 1 FROM contested_key WHERE key = ? LIMIT 1").pluck();
  const isAnyContested = db.prepare<[], 1>("SELECT 1 FROM contested_key LIMIT 1").pluck();
  const contestedIn = db
    .prepare<[number], bigint>("SELECT key FROM contested_key WHERE file_id = ?")
    .pluck()
    .safeIntegers();
  const insertContested = db.prepare<[bigint, number]>(
    "INSERT INTO contested_key (key, file_id) VALUES (?, ?)",
  );
  const forgetContested = db.prepare<[number]>("DELETE FROM contested_key WHERE file_id = ?");
  const deleteContested = db.prepare<[bigint]>("DELETE FROM contested_key WHERE key = ?");
  const setInstance = db.prepare<[number, number, number]>(
    "UPDATE event SET instance = ? WHERE entry = ? AND ordinal = ?",
  );
  const firstEntry = db.prepare<[number], FirstEntry>(
    `SELECT entry_id AS id, coalesce(timestamp, (SELECT time FROM event WHERE event.entry = entry.id LIMIT 1)) AS time, type,
       text_hash AS textHash
     FROM entry WHERE file_id = +? ORDER BY entry.id LIMIT 1`,
  );
  const firstEntries = new Map<number, FirstEntry | undefined>();

  function firstOf(file: number): FirstEntry | undefined {
    if (!firstEntries.has(file)) firstEntries.set(file, firstEntry.get(file));
    return firstEntries.get(file);
  }

  /** Whether both begin with what is one entry, and yet has an id of its own in each. */
  function haveOtherIds(file: number, other: number): boolean {
    const [a, b] = [firstOf(file), firstOf(other)];
    if (!a || !b || a.id === null || b.id === null || a.id === b.id) return false;
    if (a.time === null && (a.textHash === null || a.textHash !== b.textHash)) return false;
    return a.time === b.time && a.type === b.type;
  }

  /** Places by the act they tell of; the key is listed where ids do not say that it is one. */
  function group<P extends NumberedCopy>(key: bigint, places: readonly P[]): P[][] {
    const [first] = places;
    deleteContested.run(key);
    const areAlike = places.every((place) => hasStableId(place) && place.entryId === first?.entryId);
    if (areAlike || places.length < 2) return [[...places]];
    for (const file of new Set(places.map(({ file_id }) => file_id))) insertContested.run(key, file);
    return groupByAct(places, { familyOf, haveOtherIds });
  }

  return {
    /** To be called first in each transaction. */
    begin: () => firstEntries.clear(),
    /** Whether a key is listed. */
    has: (key: bigint): boolean => isContested.get(key) !== undefined,
    /** The listed keys that some files hold. */
    keysIn(files: Iterable<number>): bigint[] {
      return isAnyContested.get() ? [...files].flatMap((file) => contestedIn.all(file)) : [];
    },
    /** To be called before the rows of a file go. */
    leave: (file: number) => void forgetContested.run(file),
    /** Groups the places of a key by act, numbers them, and says which of them have another number now. */
    settle<P extends NumberedCopy>(key: bigint, places: readonly P[]): { acts: P[][]; renumbered: P[] } {
      const acts = group(key, places);
      const renumbered = acts.flatMap((act, n) =>
        act.filter((place) => {
          if (place.instance === n) return false;
          setInstance.run(n, place.entry, place.ordinal);
          return true;
        }),
      );
      return { acts, renumbered };
    },
  };
}
