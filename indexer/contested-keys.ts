import { getOrInsert } from "../src/get-or-insert.ts";
import type { EntryId } from "../src/session/entries.ts";
import type { StatementPreparer } from "../src/store/sqlite/statements.ts";
import { type EventOccurrence, type FileRelations, groupByEvent, hasStableId } from "./group-by-event.ts";

/** An occurrence with the number of its event. */
export interface NumberedCopy extends EventOccurrence {
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
 * The statements about contested keys: those with different entry ids. They are stored, so that they can be settled again when
 * a fork family changes, and their occurrences get the number of their event.
 */
export function prepareContestedKeys(db: StatementPreparer, familyOf: FileRelations["familyOf"]) {
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

  const firstOf = (file: number) => getOrInsert(firstEntries, file, () => firstEntry.get(file));

  /** Whether two files start with the same entry under different ids. */
  function haveOtherIds(file: number, other: number): boolean {
    const [a, b] = [firstOf(file), firstOf(other)];
    if (!a || !b || a.id === null || b.id === null || a.id === b.id) return false;
    if (a.time === null && (a.textHash === null || a.textHash !== b.textHash)) return false;
    return a.time === b.time && a.type === b.type;
  }

  /** Groups occurrences by event, and stores the key if it is contested. */
  function group<P extends NumberedCopy>(key: bigint, occurrences: readonly P[]): P[][] {
    const [first] = occurrences;
    deleteContested.run(key);
    const areAlike = occurrences.every(
      (occurrence) => hasStableId(occurrence) && occurrence.entryId === first?.entryId,
    );
    if (areAlike || occurrences.length < 2) return [[...occurrences]];
    for (const file of new Set(occurrences.map(({ file_id }) => file_id))) insertContested.run(key, file);
    return groupByEvent(occurrences, { familyOf, haveSeparateIds: haveOtherIds });
  }

  return {
    /** Call it first in each transaction. */
    begin: () => firstEntries.clear(),
    /** Whether a key is contested. */
    has: (key: bigint): boolean => isContested.get(key) !== undefined,
    /** The contested keys in some files, which are only determined if there are any contested keys: most indexes have none. */
    keysIn(findFiles: () => Iterable<number>): bigint[] {
      return isAnyContested.get() ? [...findFiles()].flatMap((file) => contestedIn.all(file)) : [];
    },
    /** Removes the contested keys of a file. Call it before its rows are deleted. */
    remove: (file: number) => void forgetContested.run(file),
    /** Groups the occurrences of a key by event and numbers them. Returns those with a new number too. */
    settle<P extends NumberedCopy>(
      key: bigint,
      occurrences: readonly P[],
    ): { events: P[][]; renumbered: P[] } {
      const events = group(key, occurrences);
      const renumbered = events.flatMap((event, n) =>
        event.filter((occurrence) => {
          if (occurrence.instance === n) return false;
          setInstance.run(n, occurrence.entry, occurrence.ordinal);
          return true;
        }),
      );
      return { events, renumbered };
    },
  };
}
