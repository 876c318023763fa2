import type { z } from "zod";
import { buildSessionContext, type EntryContext } from "../src/session/context.ts";
import type { Entry, EntryId } from "../src/session/entries.ts";
import { HeapGuard } from "../src/session/heap-guard.ts";
import { parseEntry } from "../src/session/parse.ts";
import type { Reader } from "../src/store/sqlite/reader.ts";
import type { FoundSession } from "./find.ts";
import { EntriesOptions, parseOptions } from "./options.ts";
import { ReadBack } from "./read-back.ts";
import { currentPath, type EntryRow, entryRow, entryRows, pathToEntry, rowsOnLines } from "./tree.ts";

/** An entry with the place it was read from. */
export interface PlacedEntry {
  entry: Entry;
  /** Line number, from 1. */
  line: number;
  /** Offset and length in bytes of that line in the file. */
  byteOffset: number;
  byteLength: number;
}

/**
 * Reads the entries of a session, one after the other: on its current branch, on the path to one entry, or all
 * in file order. Holds one entry at a time, so a session of 200 MB can be walked.
 *
 * @throws PidexError `BAD_OPTION`, `NOT_FOUND` for an unknown leaf, `FILE_UNREADABLE`, `FILE_CHANGED`
 */
export async function* readEntries(
  db: Reader,
  session: FoundSession,
  options: EntriesOptions,
): AsyncGenerator<PlacedEntry> {
  const { branch } = parseOptions(EntriesOptions, options);
  yield* readRows(session, await chosenRows(db, session, branch));
}

async function chosenRows(
  db: Reader,
  session: FoundSession,
  branch: z.output<typeof EntriesOptions>["branch"],
): Promise<EntryRow[]> {
  if (typeof branch === "object" && "lines" in branch) return rowsOnLines(db, session, branch.lines);
  const rows = await entryRows(db, session);
  if (branch === "all") return rows;
  return branch === "current" ? currentPath(rows) : pathToEntry(rows, branch.leaf);
}

/** Reads one entry. @throws as `readEntries` */
export async function readEntry(db: Reader, session: FoundSession, id: EntryId): Promise<PlacedEntry> {
  const [placed] = readRows(session, [await entryRow(db, session, id)]);
  return placed as PlacedEntry;
}

/**
 * What the model sees at an entry: pi's `buildSessionContext`. Reads only the entries of the path.
 *
 * @param leafId undefined for the last entry, null for the empty context before the first
 * @throws as `readEntries`, and `SESSION_TOO_LARGE` when the entries do not fit in memory together
 */
export async function readContext(
  db: Reader,
  session: FoundSession,
  leafId: EntryId | null | undefined,
): Promise<EntryContext> {
  if (leafId === null) return buildSessionContext([], null);
  const rows = await entryRows(db, session);
  const path = leafId === undefined ? currentPath(rows) : pathToEntry(rows, leafId);
  const guard = new HeapGuard(path.reduce((sum, { byte_length: length }) => sum + length, 0));
  return buildSessionContext([...readRows(session, path, guard)].map(({ entry }) => entry));
}

/** @param guard limits the memory of callers that keep all entries */
function* readRows(
  { info, version }: FoundSession,
  rows: readonly EntryRow[],
  guard?: HeapGuard,
): Generator<PlacedEntry> {
  const file = new ReadBack(info.path, version);
  try {
    for (const { id, parentId, ...place } of rows) {
      const { line, byte_offset: byteOffset, byte_length: byteLength } = place;
      guard?.expect(byteLength);
      const entry = file.entry({ ...place, entry_id: id, parent_id: parentId }, parseEntry);
      yield { entry, line, byteOffset, byteLength };
    }
  } finally {
    file.close();
  }
}
