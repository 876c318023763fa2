import { PidexError } from "../src/errors.ts";
import type { EntryId } from "../src/session/entries.ts";
import { buildTree, indexById, pathTo, type TreeNode } from "../src/session/tree.ts";
import type { EntryLocation } from "../src/store/entry-reads.ts";
import type { LabelTable } from "../src/store/schema.ts";
import type { Reader } from "../src/store/sqlite/reader.ts";
import { type Sql, type SqlBool, sql } from "../src/store/sqlite/sql.ts";
import type { TreeEntry } from "./answers.ts";
import type { ResolvedSession } from "./resolve-session.ts";

/** An entry's row with its location in the tree and the file. */
export type EntryRow = Omit<EntryLocation, "entry_id" | "parent_id"> & {
  id: EntryId | null;
  parentId: EntryId | null;
  role: string | null;
};

/** Returns the entries of a session that satisfy a condition. */
async function rowsWhere(
  db: Reader,
  { fileId }: ResolvedSession,
  condition: Sql<SqlBool>,
  order: Sql,
): Promise<EntryRow[]> {
  const { rows } = await sql<EntryRow>`
    SELECT entry_id AS id, parent_id AS parentId, line, byte_offset, byte_length, type, role, timestamp
    FROM entry WHERE file_id = ${fileId} AND ${condition} ORDER BY ${order}`.execute(db);
  return rows;
}

/** All entries of a session, in file order. */
export async function readEntryRows(db: Reader, session: ResolvedSession): Promise<EntryRow[]> {
  return rowsWhere(db, session, sql`TRUE`, sql`entry.id`);
}

/** The entries on some lines of a session, in file order. */
export async function readEntryRowsOnLines(
  db: Reader,
  session: ResolvedSession,
  lines: readonly number[],
): Promise<EntryRow[]> {
  return rowsWhere(db, session, sql`line IN ${sql.list(lines)}`, sql`entry.id`);
}

/** Returns one entry, usually without reading the others. @throws PidexError `NOT_FOUND` */
export async function readEntryRow(db: Reader, session: ResolvedSession, id: EntryId): Promise<EntryRow> {
  // Untyped callers may pass any value, and SQLite cannot bind all of them.
  const isId = typeof id === "string" || typeof id === "number";
  const rows = isId ? await rowsWhere(db, session, sql`entry_id = ${id}`, sql`line`) : [];
  return rows.at(-1) ?? findEntry(await readEntryRows(db, session), id);
}

/** Entries of a session with labels and branch, in file order. */
export async function readTreeEntries(db: Reader, session: ResolvedSession): Promise<TreeEntry[]> {
  return toTreeEntries(db, session, await readEntryRows(db, session));
}

/** Converts some rows of a session to tree entries. @param all all of its rows */
async function toTreeEntries(
  db: Reader,
  session: ResolvedSession,
  all: readonly EntryRow[],
  rows = all,
): Promise<TreeEntry[]> {
  const labels = await readLabels(db, session);
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
export async function readSessionTree(db: Reader, session: ResolvedSession): Promise<TreeNode<TreeEntry>[]> {
  const rows = await readEntryRows(db, session);
  // Built from the rows, because their times are numbers.
  return buildTree(await toTreeEntries(db, session, rows), rows);
}

/** Returns the tree entries from the root to an entry, by default the last. @throws PidexError `NOT_FOUND` */
export async function readBranchEntries(
  db: Reader,
  session: ResolvedSession,
  entryId: EntryId | undefined,
): Promise<TreeEntry[]> {
  const rows = await readEntryRows(db, session);
  if (entryId !== undefined) return toTreeEntries(db, session, rows, getPathToEntry(rows, entryId));
  const entries = await toTreeEntries(db, session, rows); // in file order, where a child may precede its parent
  return entries.filter(({ onCurrentBranch }) => onCurrentBranch);
}

/** Returns the direct children of an entry. @throws PidexError `NOT_FOUND` */
export async function readChildEntries(
  db: Reader,
  session: ResolvedSession,
  entryId: EntryId,
): Promise<TreeEntry[]> {
  const rows = await readEntryRows(db, session);
  const target = findEntry(rows, entryId);
  // Uses the tree's own rules: an entry that is its own parent, or in a cycle, is not its own child.
  const stack = buildTree(rows);
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (node.entry === target) {
      const children = node.children.map(({ entry }) => entry);
      return toTreeEntries(db, session, rows, children);
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
export async function readLabels(db: Reader, { fileId }: ResolvedSession) {
  const { rows } = await sql<Pick<LabelTable, "target_id" | "label" | "timestamp">>`
    SELECT target_id, label, timestamp FROM label WHERE file_id = ${fileId}`.execute(db);
  return new Map(rows.map((label) => [label.target_id, label]));
}

/** Times with a four-digit year. */
const [FIRST_TIME, LAST_TIME] = [Date.parse("0000-01-01T00:00Z"), Date.parse("9999-12-31T23:59:59.999Z")];

/** Converts Unix milliseconds to an ISO time; undefined for null and for years outside 0 to 9999. */
export function toIsoTime(milliseconds: number | null): string | undefined {
  if (milliseconds === null || milliseconds < FIRST_TIME || milliseconds > LAST_TIME) return undefined;
  return new Date(milliseconds).toISOString();
}
