import type { z } from "zod";
import { buildSessionContext, type EntryContext } from "../src/session/context.ts";
import type { Entry, EntryId } from "../src/session/entries.ts";
import { HeapGuard } from "../src/session/heap-guard.ts";
import { parseEntry } from "../src/session/parse.ts";
import type { Reader } from "../src/store/sqlite/reader.ts";
import { EntryReader } from "./entry-reader.ts";
import { EntriesOptions, parseOptions } from "./options.ts";
import type { ResolvedSession } from "./resolve-session.ts";
import {
  type EntryRow,
  getCurrentPath,
  getPathToEntry,
  readEntryRow,
  readEntryRows,
  readEntryRowsOnLines,
} from "./tree.ts";

/** An entry and its location in the session file. */
export interface LocatedEntry {
  entry: Entry;
  /** Line number, from 1. */
  line: number;
  /** Offset and length of that line in the file, in bytes. */
  byteOffset: number;
  byteLength: number;
}

/**
 * Reads the entries of a session one at a time: of its current branch, of the path to one entry, or all in file order.
 * Only one entry is held in memory, so sessions of 200 MB can be read.
 *
 * @throws PidexError `BAD_OPTION`, `NOT_FOUND` for an unknown leaf, `FILE_UNREADABLE`, `FILE_CHANGED`
 */
export async function* readEntries(
  db: Reader,
  session: ResolvedSession,
  options: EntriesOptions,
): AsyncGenerator<LocatedEntry> {
  const { branch } = parseOptions(EntriesOptions, options);
  yield* readRows(session, await chosenRows(db, session, branch));
}

async function chosenRows(
  db: Reader,
  session: ResolvedSession,
  branch: z.output<typeof EntriesOptions>["branch"],
): Promise<EntryRow[]> {
  if (typeof branch === "object" && "lines" in branch) return readEntryRowsOnLines(db, session, branch.lines);
  const rows = await readEntryRows(db, session);
  if (branch === "all") return rows;
  return branch === "current" ? getCurrentPath(rows) : getPathToEntry(rows, branch.leaf);
}

/** Reads one entry. @throws as `readEntries` */
export async function readEntry(db: Reader, session: ResolvedSession, id: EntryId): Promise<LocatedEntry> {
  const [placed] = readRows(session, [await readEntryRow(db, session, id)]);
  return placed as LocatedEntry;
}

/**
 * Returns what the model sees at an entry, as pi's `buildSessionContext` does. Reads only the entries on the path.
 *
 * @param leafId undefined for the last entry, null for the empty context before the first entry
 * @throws as `readEntries`, and `SESSION_TOO_LARGE` if the entries do not fit into memory
 */
export async function readContext(
  db: Reader,
  session: ResolvedSession,
  leafId: EntryId | null | undefined,
): Promise<EntryContext> {
  if (leafId === null) return buildSessionContext([], null);
  const rows = await readEntryRows(db, session);
  const path = leafId === undefined ? getCurrentPath(rows) : getPathToEntry(rows, leafId);
  const guard = new HeapGuard(path.reduce((sum, { byte_length: length }) => sum + length, 0));
  return buildSessionContext([...readRows(session, path, guard)].map(({ entry }) => entry));
}

/** @param guard limits memory for callers that keep all entries */
function* readRows(
  { info, version }: ResolvedSession,
  rows: readonly EntryRow[],
  guard?: HeapGuard,
): Generator<LocatedEntry> {
  const file = new EntryReader(info.path, version);
  try {
    for (const { id, parentId, ...location } of rows) {
      const { line, byte_offset: byteOffset, byte_length: byteLength } = location;
      guard?.reserve(byteLength);
      const entry = file.readEntry({ ...location, entry_id: id, parent_id: parentId }, parseEntry);
      yield { entry, line, byteOffset, byteLength };
    }
  } finally {
    file.close();
  }
}
