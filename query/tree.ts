import { PidexError } from "../src/errors.ts";
import type { EntryId } from "../src/session/entries.ts";
import { buildTree, indexById, pathTo, type TreeNode } from "../src/session/tree.ts";
import type { Reader } from "../src/store/sqlite/reader.ts";
import type { LabelTable } from "../src/store/sqlite/schema.ts";
import { type Sql, type SqlBool, sql } from "../src/store/sqlite/sql.ts";
import type { TreeEntry } from "./answers.ts";
import type { FoundSession } from "./find.ts";
import type { EntryPlace } from "./read-back.ts";

/** A row of an entry, which says where it stands in the tree and in the file. */
export type EntryRow = Omit<EntryPlace, "entry_id" | "parent_id"> & {
  id: EntryId | null;
  parentId: EntryId | null;
  role: string | null;
};

/** The rows of a session's entries that meet a condition. */
async function rowsWhere(
  db: Reader,
  { fileId }: FoundSession,
  condition: Sql<SqlBool>,
  order: Sql,
): Promise<EntryRow[]> {
  const { rows } = await sql<EntryRow>`
    SELECT entry_id AS id, parent_id AS parentId, line, byte_offset, byte_length, type, role, timestamp
    FROM entry WHERE file_id = ${fileId} AND ${condition} ORDER BY ${order}`.execute(db);
  return rows;
}

/** The rows of all entries of a session, in file order. */
export async function entryRows(db: Reader, session: FoundSession): Promise<EntryRow[]> {
  return rowsWhere(db, session, sql`TRUE`, sql`entry.id`);
}

/** The rows of the entries on some lines of a session, in file order. */
export async function rowsOnLines(
  db: Reader,
  session: FoundSession,
  lines: readonly number[],
): Promise<EntryRow[]> {
  // As one value: a long tree has more lines than a statement may have values.
  const wanted = sql<SqlBool>`line IN (SELECT value FROM json_each(${JSON.stringify(lines)}))`;
  return rowsWhere(db, session, wanted, sql`entry.id`);
}

/** The row of an entry: as a rule the others are not looked at. @throws PidexError `NOT_FOUND` */
export async function entryRow(db: Reader, session: FoundSession, id: EntryId): Promise<EntryRow> {
  // Callers without types may ask for anything, and not all of that can be asked of SQLite.
  const isId = typeof id === "string" || typeof id === "number";
  const rows = isId ? await rowsWhere(db, session, sql`entry_id = ${id}`, sql`line`) : [];
  return rows.at(-1) ?? findEntry(await entryRows(db, session), id);
}

/** The entries of a session as its tree sees them, in file order: with labels, and whether they are current. */
export async function treeEntries(db: Reader, session: FoundSession): Promise<TreeEntry[]> {
  const rows = await entryRows(db, session);
  return described(db, session, rows, currentPath(rows));
}

/** Some rows of a session as entries of its tree. `current` is its current path. */
async function described(
  db: Reader,
  session: FoundSession,
  rows: readonly EntryRow[],
  current: readonly EntryRow[],
): Promise<TreeEntry[]> {
  const labels = await labelsOf(db, session);
  const onCurrentBranch = new Set(current);
  return rows.map((row) => {
    const label = row.id === null ? undefined : labels.get(row.id);
    return {
      id: row.id,
      parentId: row.parentId,
      type: row.type,
      role: row.role ?? undefined,
      timestamp: isoTime(row.timestamp),
      line: row.line,
      byteOffset: row.byte_offset,
      label: label?.label,
      labelTimestamp: isoTime(label?.timestamp ?? null),
      onCurrentBranch: onCurrentBranch.has(row),
    };
  });
}

/** The tree of a session: pi's `getTree`, with orphans and circles kept as roots. */
export async function sessionTree(db: Reader, session: FoundSession): Promise<TreeNode<TreeEntry>[]> {
  const rows = await entryRows(db, session);
  // By the rows, whose times are numbers.
  return buildTree(await described(db, session, rows, currentPath(rows)), rows);
}

/** The tree entries from the root to an entry, or to the last one. @throws PidexError `NOT_FOUND` */
export async function branchEntries(
  db: Reader,
  session: FoundSession,
  entryId: EntryId | undefined,
): Promise<TreeEntry[]> {
  const rows = await entryRows(db, session);
  const current = currentPath(rows);
  if (entryId !== undefined) return described(db, session, pathToEntry(rows, entryId), current);
  const entries = await described(db, session, rows, current); // in file order, in which a child may come first
  return entries.filter(({ onCurrentBranch }) => onCurrentBranch);
}

/** The tree entries that hang directly from one. @throws PidexError `NOT_FOUND` */
export async function childEntries(
  db: Reader,
  session: FoundSession,
  entryId: EntryId,
): Promise<TreeEntry[]> {
  const rows = await entryRows(db, session);
  const wanted = findEntry(rows, entryId);
  // By the tree's own rules: an entry that is its own parent, or in a circle, is not its own child.
  const ahead = buildTree(rows);
  for (let node = ahead.pop(); node; node = ahead.pop()) {
    if (node.entry === wanted) {
      const children = node.children.map(({ entry }) => entry);
      return described(db, session, children, currentPath(rows));
    }
    for (const child of node.children) ahead.push(child);
  }
  return [];
}

/** The path from the root to the last entry. */
export function currentPath(rows: readonly EntryRow[]): EntryRow[] {
  return pathTo(rows.at(-1), indexById(rows));
}

/** The path from the root to the entry `leaf`. @throws PidexError `NOT_FOUND` */
export function pathToEntry(rows: readonly EntryRow[], leaf: EntryId): EntryRow[] {
  return pathTo(findEntry(rows, leaf), indexById(rows));
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

/** The labels in force in a session, by the entry they stand on. */
export async function labelsOf(db: Reader, { fileId }: FoundSession) {
  const { rows } = await sql<Pick<LabelTable, "target_id" | "label" | "timestamp">>`
    SELECT target_id, label, timestamp FROM label WHERE file_id = ${fileId}`.execute(db);
  return new Map(rows.map((label) => [label.target_id, label]));
}

/** The years that ISO times have four digits for. */
const [FIRST_TIME, LAST_TIME] = [Date.parse("0000-01-01T00:00Z"), Date.parse("9999-12-31T23:59:59.999Z")];

/** Unix milliseconds as ISO time; undefined for none, or for one that is nobody's. */
export function isoTime(milliseconds: number | null): string | undefined {
  if (milliseconds === null || milliseconds < FIRST_TIME || milliseconds > LAST_TIME) return undefined;
  return new Date(milliseconds).toISOString();
}
