import { PidexError } from "../src/errors.ts";
import type { EntryId } from "../src/session/entries.ts";
import { buildTree, indexById, pathTo, type TreeNode } from "../src/session/tree.ts";
import type { EntryRow, LabelRow } from "../src/store/entry-reads.ts";
import type { Store } from "../src/store/store.ts";
import type { TreeEntry } from "./answers.ts";
import { toIsoTime } from "./iso-time.ts";
import type { ResolvedSession } from "./resolve-session.ts";

/** All entries of a session, in file order. */
export async function readEntryRows(store: Store, { fileId }: ResolvedSession): Promise<EntryRow[]> {
  return (await store.entries()).list(fileId);
}

/** The entries on some lines of a session, in file order. */
export async function readEntryRowsOnLines(
  store: Store,
  { fileId }: ResolvedSession,
  lines: readonly number[],
): Promise<EntryRow[]> {
  return (await store.entries()).list(fileId, { lines });
}

/** Returns one entry, usually without reading the others. @throws PidexError `NOT_FOUND` */
export async function readEntryRow(store: Store, session: ResolvedSession, id: EntryId): Promise<EntryRow> {
  // Untyped callers may pass any value, and a store cannot look up all of them.
  const isId = typeof id === "string" || typeof id === "number";
  const rows = isId ? await (await store.entries()).list(session.fileId, { id }) : [];
  return rows.at(-1) ?? findEntry(await readEntryRows(store, session), id);
}

/** Entries of a session with labels and branch, in file order. */
export async function readTreeEntries(store: Store, session: ResolvedSession): Promise<TreeEntry[]> {
  return toTreeEntries(store, session, await readEntryRows(store, session));
}

/** Converts some rows of a session to tree entries. @param all all of its rows */
async function toTreeEntries(
  store: Store,
  session: ResolvedSession,
  all: readonly EntryRow[],
  rows = all,
): Promise<TreeEntry[]> {
  const labels = await readLabels(store, session);
  const onCurrentBranch = new Set(getCurrentPath(all));
  return rows.map((row) => {
    const label = row.id === null ? undefined : labels.get(row.id);
    return {
      id: row.id,
      parentId: row.parentId,
      type: row.type,
      role: row.role ?? undefined,
      timestamp: toIsoTime(row.timestamp),
      line: row.line,
      byteOffset: row.byte_offset,
      label: label?.label,
      labelTimestamp: toIsoTime(label?.timestamp ?? null),
      onCurrentBranch: onCurrentBranch.has(row),
    };
  });
}

/** Returns the tree of a session as pi's `getTree` does, except that orphans and cycles are kept as roots. */
export async function readSessionTree(
  store: Store,
  session: ResolvedSession,
): Promise<TreeNode<TreeEntry>[]> {
  const rows = await readEntryRows(store, session);
  // Built from the rows, because their times are numbers.
  return buildTree(await toTreeEntries(store, session, rows), rows);
}

/** Returns the tree entries from the root to an entry, by default the last. @throws PidexError `NOT_FOUND` */
export async function readBranchEntries(
  store: Store,
  session: ResolvedSession,
  entryId: EntryId | undefined,
): Promise<TreeEntry[]> {
  const rows = await readEntryRows(store, session);
  if (entryId !== undefined) return toTreeEntries(store, session, rows, getPathToEntry(rows, entryId));
  const entries = await toTreeEntries(store, session, rows); // in file order, where a child may precede its parent
  return entries.filter(({ onCurrentBranch }) => onCurrentBranch);
}

/** Returns the direct children of an entry. @throws PidexError `NOT_FOUND` */
export async function readChildEntries(
  store: Store,
  session: ResolvedSession,
  entryId: EntryId,
): Promise<TreeEntry[]> {
  const rows = await readEntryRows(store, session);
  const target = findEntry(rows, entryId);
  // Uses the tree's own rules: an entry that is its own parent, or in a cycle, is not its own child.
  const stack = buildTree(rows);
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (node.entry === target) {
      const children = node.children.map(({ entry }) => entry);
      return toTreeEntries(store, session, rows, children);
    }
    for (const child of node.children) stack.push(child);
  }
  return [];
}

/** The path from the root to the last entry. */
export function getCurrentPath(rows: readonly EntryRow[]): EntryRow[] {
  return pathTo(rows.at(-1), indexById(rows));
}

/** The path from the root to the entry `leaf`. @throws PidexError `NOT_FOUND` */
export function getPathToEntry(rows: readonly EntryRow[], leaf: EntryId): EntryRow[] {
  return pathTo(findEntry(rows, leaf), indexById(rows));
}

/** Finds an entry by id; the last one if the id occurs twice. @throws PidexError `NOT_FOUND` */
function findEntry<T extends { id: EntryId | null }>(entries: readonly T[], id: EntryId): T {
  const found =
    entries.findLast((entry) => entry.id === id) ??
    // Ids from a command line are strings, even if the file has numbers.
    entries.findLast((entry) => entry.id !== null && String(entry.id) === id);
  if (found) return found;
  throw new PidexError(
    "NOT_FOUND",
    `the session has no entry "${id}"`,
    "Run pidex tree SESSION --all to list the ids.",
  );
}

/** Current labels of a session, by id of the labeled entry. */
export async function readLabels(store: Store, { fileId }: ResolvedSession): Promise<Map<EntryId, LabelRow>> {
  const labels = await (await store.entries()).listLabels(fileId);
  return new Map(labels.map((label) => [label.target_id, label]));
}
