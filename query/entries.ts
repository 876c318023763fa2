import type { z } from "zod";
import { buildContext, buildSessionContext, type EntryContext } from "../src/session/context.ts";
import type { Entry, EntryId } from "../src/session/entries.ts";
import { HeapGuard } from "../src/session/heap-guard.ts";
import { hashLine } from "../src/session/line-hash.ts";
import { parseEntry } from "../src/session/parse.ts";
import type { EntryLocation, EntryRow } from "../src/store/entry-reads.ts";
import type { Store } from "../src/store/store.ts";
import { ContextPath } from "./context-path.ts";
import { EntryReader } from "./entry-reader.ts";
import { EntriesOptions, parseOptions } from "./options.ts";
import type { ResolvedSession } from "./resolve-session.ts";
import { getPathToEntry, readEntryRow, readEntryRows, readEntryRowsOnLines } from "./tree.ts";

/** An entry and its location in the session file. */
export interface LocatedEntry {
  entry: Entry;
  /** Line number, from 1. */
  line: number;
  /** Offset and length of that line in the file, in bytes. */
  byteOffset: number;
  byteLength: number;
  /** With the option `hash`: a hash of the line's bytes, five letters. It differs once the line is changed. */
  hash?: string;
}

/**
 * Reads the entries of a session one at a time: of its current branch, of the path to one entry, or all. Only one entry and a page of
 * locations are held in memory, and the first entry is read before the second page, so sessions of any size can be read.
 *
 * @throws PidexError `BAD_OPTION`, `NOT_FOUND` for an unknown leaf, `FILE_UNREADABLE`, `FILE_CHANGED`
 */
export async function* readEntries(
  store: Store,
  session: ResolvedSession,
  options: EntriesOptions,
): AsyncGenerator<LocatedEntry> {
  const { branch, backwards, hash } = parseOptions(EntriesOptions, options);
  for await (const rows of listPages(store, session, branch, backwards)) {
    const file = await openEntries(store, session, rows);
    try {
      for (const row of rows) {
        const { line, byte_offset: byteOffset, byte_length: byteLength } = row;
        const read = readRow(file, row);
        const entry = read instanceof Promise ? await read : read;
        const located = { entry, line, byteOffset, byteLength };
        yield hash ? { ...located, hash: hashLine(await file.readLine(toPlace(row))) } : located;
      }
    } finally {
      file.close();
    }
  }
}

async function* listPages(
  store: Store,
  session: ResolvedSession,
  branch: z.output<typeof EntriesOptions>["branch"],
  backwards: boolean,
): AsyncGenerator<EntryRow[]> {
  if (typeof branch === "string") {
    const entries = await store.entries();
    yield* entries.pages(session.fileId, { current: branch === "current", backwards });
    return;
  }
  const rows =
    "lines" in branch
      ? await readEntryRowsOnLines(store, session, branch.lines)
      : getPathToEntry(await readEntryRows(store, session), branch.leaf);
  yield backwards ? rows.reverse() : rows;
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
 * Returns what the model sees at an entry, as pi's `buildSessionContext` does. Reads only the entries that this depends on.
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
  const branch = leafId === undefined ? "current" : { leaf: leafId };
  const path = new ContextPath();
  const guard = new HeapGuard(session.info.size);
  for await (const rows of listPages(store, session, branch, true)) {
    const file = await openEntries(store, session, rows);
    try {
      for (const row of rows) {
        if (path.isComplete) return buildContext(path.entries());
        if (!path.needs(row)) continue;
        guard.reserve(row.byte_length);
        const entry = readRow(file, row);
        path.add(entry instanceof Promise ? await entry : entry);
      }
    } finally {
      file.close();
    }
  }
  return buildContext(path.entries());
}

function openEntries(
  store: Store,
  { info: { path }, version }: ResolvedSession,
  rows: readonly EntryRow[],
): Promise<EntryReader> {
  return EntryReader.open(store, { path, version }, rows);
}

function readRow(file: EntryReader, row: EntryRow): Entry | Promise<Entry> {
  return file.readEntry(toPlace(row), parseEntry);
}

function toPlace({ id, parentId, ...location }: EntryRow): EntryLocation {
  return { ...location, entry_id: id, parent_id: parentId };
}
