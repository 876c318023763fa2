import type { z } from "zod";
import { buildSessionContext, type EntryContext } from "../src/session/context.ts";
import type { Entry, EntryId } from "../src/session/entries.ts";
import { HeapGuard } from "../src/session/heap-guard.ts";
import { parseEntry } from "../src/session/parse.ts";
import type { EntryRow } from "../src/store/entry-reads.ts";
import type { Store } from "../src/store/store.ts";
import { EntryReader } from "./entry-reader.ts";
import { EntriesOptions, parseOptions } from "./options.ts";
import type { ResolvedSession } from "./resolve-session.ts";
import { getCurrentPath, getPathToEntry, readEntryRow, readEntryRows, readEntryRowsOnLines } from "./tree.ts";

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
  store: Store,
  session: ResolvedSession,
  options: EntriesOptions,
): AsyncGenerator<LocatedEntry> {
  const { branch } = parseOptions(EntriesOptions, options);
  const rows = await chosenRows(store, session, branch);
  const file = await openEntries(store, session, rows);
  try {
    for (const row of rows) {
      const { line, byte_offset: byteOffset, byte_length: byteLength } = row;
      const read = readRow(file, row);
      const entry = read instanceof Promise ? await read : read;
      yield { entry, line, byteOffset, byteLength };
    }
  } finally {
    file.close();
  }
}

async function chosenRows(
  store: Store,
  session: ResolvedSession,
  branch: z.output<typeof EntriesOptions>["branch"],
): Promise<EntryRow[]> {
  if (typeof branch === "object" && "lines" in branch)
    return readEntryRowsOnLines(store, session, branch.lines);
  const rows = await readEntryRows(store, session);
  if (branch === "all") return rows;
  return branch === "current" ? getCurrentPath(rows) : getPathToEntry(rows, branch.leaf);
}

/** Reads one entry. @throws as `readEntries` */
export async function readEntry(store: Store, session: ResolvedSession, id: EntryId): Promise<LocatedEntry> {
  const row = await readEntryRow(store, session, id);
  const file = await openEntries(store, session, [row]);
  try {
    const { line, byte_offset: byteOffset, byte_length: byteLength } = row;
    return { entry: await readRow(file, row), line, byteOffset, byteLength };
  } finally {
    file.close();
  }
}

/**
 * Returns what the model sees at an entry, as pi's `buildSessionContext` does. Reads only the entries on the path.
 *
 * @param leafId undefined for the last entry, null for the empty context before the first entry
 * @throws as `readEntries`, and `SESSION_TOO_LARGE` if the entries do not fit into memory
 */
export async function readContext(
  store: Store,
  session: ResolvedSession,
  leafId: EntryId | null | undefined,
): Promise<EntryContext> {
  if (leafId === null) return buildSessionContext([], null);
  const rows = await readEntryRows(store, session);
  const path = leafId === undefined ? getCurrentPath(rows) : getPathToEntry(rows, leafId);
  const guard = new HeapGuard(path.reduce((sum, { byte_length: length }) => sum + length, 0));
  const entries: Entry[] = [];
  const file = await openEntries(store, session, path);
  try {
    for (const row of path) {
      guard.reserve(row.byte_length);
      const entry = readRow(file, row);
      entries.push(entry instanceof Promise ? await entry : entry);
    }
  } finally {
    file.close();
  }
  return buildSessionContext(entries);
}

function openEntries(
  store: Store,
  { info: { path }, version }: ResolvedSession,
  rows: readonly EntryRow[],
): Promise<EntryReader> {
  return EntryReader.open(store, { path, version }, rows);
}

function readRow(file: EntryReader, { id, parentId, ...location }: EntryRow): Entry | Promise<Entry> {
  return file.readEntry({ ...location, entry_id: id, parent_id: parentId }, parseEntry);
}
