import type { Kysely } from "kysely";
import type { Schema } from "../src/database/schema.ts";
import { PidexError } from "../src/errors.ts";
import type { EntryId } from "../src/session/entries.ts";
import { buildTree, indexById, pathTo, type TreeNode } from "../src/session/tree.ts";
import type { TreeEntry } from "./answers.ts";
import type { FoundSession } from "./find.ts";
import type { EntryPlace } from "./read-back.ts";

/** A row of an entry, in file order. */
export type EntryRow = EntryPlace & { id: number; role: string | null };

/** The rows of all entries of a session, in file order. */
export async function entryRows(db: Kysely<Schema>, { fileId }: FoundSession): Promise<EntryRow[]> {
  return db
    .selectFrom("entry")
    .select([
      "id",
      "line",
      "byte_offset",
      "byte_length",
      "entry_id",
      "parent_id",
      "type",
      "role",
      "timestamp",
    ])
    .where("file_id", "=", fileId)
    .orderBy("id")
    .execute();
}

/** The entries of a session as its tree sees them, in file order: with labels, and whether they are current. */
export async function treeEntries(db: Kysely<Schema>, session: FoundSession): Promise<TreeEntry[]> {
  const rows = await entryRows(db, session);
  const labels = await labelsOf(db, session);
  const current = new Set(currentPath(rows));
  return rows.map((row) => {
    const label = row.entry_id === null ? undefined : labels.get(row.entry_id);
    return {
      id: row.entry_id,
      parentId: row.parent_id,
      type: row.type,
      role: row.role ?? undefined,
      timestamp: isoTime(row.timestamp),
      line: row.line,
      byteOffset: row.byte_offset,
      label: label?.label,
      labelTimestamp: isoTime(label?.timestamp ?? null),
      onCurrentBranch: current.has(row),
    };
  });
}

/** The tree of a session: pi's `getTree`, with orphans and circles kept as roots. */
export async function sessionTree(db: Kysely<Schema>, session: FoundSession): Promise<TreeNode<TreeEntry>[]> {
  return buildTree(await treeEntries(db, session));
}

/** The tree entries from the root to an entry, or to the last one. @throws PidexError `NOT_FOUND` */
export async function branchEntries(
  db: Kysely<Schema>,
  session: FoundSession,
  entryId: EntryId | undefined,
): Promise<TreeEntry[]> {
  const entries = await treeEntries(db, session);
  if (entryId === undefined) return entries.filter(({ onCurrentBranch }) => onCurrentBranch);
  return pathTo(findEntry(entries, entryId), indexById(entries));
}

/** The tree entries that hang directly from one. @throws PidexError `NOT_FOUND` */
export async function childEntries(
  db: Kysely<Schema>,
  session: FoundSession,
  entryId: EntryId,
): Promise<TreeEntry[]> {
  const entries = await treeEntries(db, session);
  const wanted = findEntry(entries, entryId);
  // By the tree's own rules: an entry that is its own parent, or in a circle, is not its own child.
  const ahead = buildTree(entries);
  for (let node = ahead.pop(); node; node = ahead.pop()) {
    if (node.entry === wanted) return node.children.map(({ entry }) => entry);
    for (const child of node.children) ahead.push(child);
  }
  return [];
}

/** The path from the root to the last entry. */
export function currentPath(rows: readonly EntryRow[]): EntryRow[] {
  return pathToRow(rows, rows.at(-1));
}

/** The path from the root to the entry `leaf`. @throws PidexError `NOT_FOUND` */
export function pathToEntry(rows: readonly EntryRow[], leaf: EntryId): EntryRow[] {
  return pathToRow(rows, findRow(rows, leaf));
}

/** The row of an entry. @throws PidexError `NOT_FOUND` */
export function findRow(rows: readonly EntryRow[], id: EntryId): EntryRow {
  return findEntry(rows.map(asLink), id).row;
}

function pathToRow(rows: readonly EntryRow[], leaf: EntryRow | undefined): EntryRow[] {
  const links = rows.map(asLink);
  return pathTo(links[leaf ? rows.indexOf(leaf) : -1], indexById(links)).map(({ row }) => row);
}

function asLink(row: EntryRow) {
  return { id: row.entry_id, parentId: row.parent_id, row };
}

/** The entry of an id: the last, where it stands twice. @throws PidexError `NOT_FOUND` */
export function findEntry<T extends { id: EntryId | null }>(entries: readonly T[], id: EntryId): T {
  const found =
    entries.findLast((entry) => entry.id === id) ??
    // An id from a command line is a string even where the file has a number.
    entries.findLast((entry) => entry.id !== null && String(entry.id) === id);
  if (found) return found;
  throw new PidexError(
    "NOT_FOUND",
    `the session has no entry "${id}"`,
    "pidex tree SESSION --all shows the ids.",
  );
}

async function labelsOf(db: Kysely<Schema>, { fileId }: FoundSession) {
  const labels = await db
    .selectFrom("label")
    .select(["target_id", "label", "timestamp"])
    .where("file_id", "=", fileId)
    .execute();
  return new Map(labels.map((label) => [label.target_id, label]));
}

/** The years that ISO times have four digits for. */
const [FIRST_TIME, LAST_TIME] = [Date.parse("0000-01-01T00:00Z"), Date.parse("9999-12-31T23:59:59.999Z")];

/** Unix milliseconds as ISO time; undefined for none, or for one that is nobody's. */
export function isoTime(milliseconds: number | null): string | undefined {
  if (milliseconds === null || milliseconds < FIRST_TIME || milliseconds > LAST_TIME) return undefined;
  return new Date(milliseconds).toISOString();
}
