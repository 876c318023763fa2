import type { Reader } from "../../src/store/sqlite/reader.ts";
import type { EntryTable, SqlEntryId } from "../../src/store/sqlite/schema.ts";
import { type Sql, type SqlBool, sql } from "../../src/store/sqlite/sql.ts";
import { hasWords } from "../field-condition.ts";
import { allOf } from "../filter.ts";
import { hitFiles, isOnCurrentBranch } from "./hit-files.ts";

/** An entry that matches, with what ranking looks at. */
export interface HitRow
  extends Pick<EntryTable, "file_id" | "line" | "byte_length" | "type" | "role" | "timestamp" | "text_hash"> {
  id: number;
  entry_id: SqlEntryId;
  /** What its words are worth; 0 where none were asked for, and until `weigh` where some are common. */
  words: number;
  /** The name of its session, and when that was begun. */
  name: string | null;
  created: number | null;
  /** 1 on the current branch of its session. */
  current: number;
}

/** What hits must meet. */
export interface Wanted {
  /** What they must match, as FTS5 expressions: all of them. */
  expressions: readonly string[];
  /** Those by which they are weighed: words that are not common. */
  weighed: readonly string[];
  /** What they must not match. */
  excluded: readonly string[];
  /** Whatever else, on `entry`, `file` and `session`. */
  conditions: readonly Sql<SqlBool>[];
}

/** Entries by their ids, from one to another. */
export interface EntryRange {
  first: number;
  last: number;
}

/** Which of the hits are looked at. */
interface Window {
  /** Those of these entries. */
  within: EntryRange;
  /** The newest so many, or the oldest. All where it is undefined. */
  size: number | undefined;
  from: "newest" | "oldest";
}

/** bm25 weights: what was said counts more than thinking, calls and output. */
const WEIGHTS = { said: 4, thought: 1.5, called: 2, output: 1 } as const;
const { said, thought, called, output } = WEIGHTS;
export const BM25 = sql.raw<number>(`-bm25(entry_text, ${[output, called, thought, said].join()})`);

/** Whether rows are weighed as they are found: none of the words is common. */
export function isWeighedAtOnce({ expressions, weighed }: Wanted): boolean {
  return expressions.length > 0 && weighed.length === expressions.length;
}

/**
 * The hits in a window, and whether there are more beyond it. Row ids go with time, so that the newest hits of a word
 * are at the end of its list, and the others are never touched.
 */
export async function findHits(
  db: Reader,
  wanted: Wanted,
  { size, from, within }: Window,
): Promise<{ rows: HitRow[]; more: boolean }> {
  const { expression, conditions } = whereOf(wanted);
  // On the column that is walked: FTS5 then passes over what lies outside.
  const id = expression ? sql`entry_text.rowid` : sql`entry.id`;
  const { rows: found } = await sql<FoundRow>`
    SELECT entry.id, entry.file_id, entry.entry_id, entry.line, entry.byte_length, entry.type, entry.role,
      entry.timestamp, entry.text_hash, ${isWeighedAtOnce(wanted) ? BM25 : sql`0`} AS words
    FROM ${sourceOf(expression)} WHERE ${allOf(conditions)} AND ${id} BETWEEN ${integer(within.first)} AND ${integer(within.last)}
    ORDER BY ${id} ${from === "newest" ? sql`DESC` : sql`ASC`}
    LIMIT ${sql.lit(size === undefined ? -1 : size + 1)}`.execute(db);
  const more = size !== undefined && found.length > size;
  if (more) found.pop();
  return { rows: await withFiles(db, found), more };
}

/** An entry that matches, with what matches are counted by. */
export type MatchRow = Pick<HitRow, "id" | "file_id" | "role" | "timestamp">;

/** The newest of all matches, and whether there are more. */
export async function findMatches(
  db: Reader,
  wanted: Wanted,
  limit: number,
  within: EntryRange,
): Promise<{ rows: MatchRow[]; more: boolean }> {
  const { expression, conditions } = whereOf(wanted);
  const id = expression ? sql`entry_text.rowid` : sql`entry.id`;
  const { rows } = await sql<MatchRow>`
    SELECT entry.id, entry.file_id, entry.role, entry.timestamp
    FROM ${sourceOf(expression)} WHERE ${allOf(conditions)} AND ${id} BETWEEN ${integer(within.first)} AND ${integer(within.last)}
    ORDER BY ${id} DESC LIMIT ${sql.lit(limit + 1)}`.execute(db);
  const more = rows.length > limit;
  if (more) rows.pop();
  return { rows, more };
}

/** Entries that meet a condition, whatever words they have: the newest first. */
export async function entriesWhere(db: Reader, condition: Sql<SqlBool>, limit: number): Promise<HitRow[]> {
  const { rows } = await sql<FoundRow>`
    SELECT entry.id, entry.file_id, entry.entry_id, entry.line, entry.byte_length, entry.type, entry.role,
      entry.timestamp, entry.text_hash, 0 AS words
    FROM entry JOIN file ON file.id = entry.file_id JOIN session ON session.file_id = entry.file_id
    WHERE ${condition} ORDER BY entry.id DESC LIMIT ${sql.lit(limit)}`.execute(db);
  return withFiles(db, rows);
}

type FoundRow = Omit<HitRow, "name" | "created" | "current"> & Partial<HitRow>;

/** Rows with what their files add to them, written into the rows themselves: there may be thousands. */
async function withFiles(db: Reader, found: FoundRow[]): Promise<HitRow[]> {
  const files =
    found.length > 0 ? await hitFiles(db, new Set(found.map(({ file_id }) => file_id))) : undefined;
  for (const row of found) {
    const file = files?.get(row.file_id);
    row.name = file?.name ?? null;
    row.created = file?.created ?? null;
    row.current = file && isOnCurrentBranch(file, row.line) ? 1 : 0;
  }
  return found as HitRow[];
}

/** The entries that rows are among. */
export function rangeOf(rows: readonly HitRow[]): EntryRange {
  let first = Number.POSITIVE_INFINITY;
  let last = 0;
  for (const { id } of rows) {
    first = Math.min(first, id);
    last = Math.max(last, id);
  }
  return { first: Math.min(first, last), last };
}

/** Those of some files that have hits. */
export async function filesWithHits(
  db: Reader,
  wanted: Wanted,
  fileIds: readonly number[],
  within: EntryRange,
): Promise<Set<number>> {
  const inFiles = sql<SqlBool>`entry.file_id IN (SELECT value FROM json_each(${JSON.stringify(fileIds)}))`;
  const conditions = [...wanted.conditions, inFiles];
  const { rows } = await findHits(
    db,
    { ...wanted, conditions, weighed: [] },
    { size: undefined, from: "newest", within },
  );
  return new Set(rows.map(({ file_id }) => file_id));
}

/** The ids, from one to another, of those entries that match an expression. */
export async function matchingIds(
  db: Reader,
  expression: string,
  first: number,
  last: number,
): Promise<Set<number>> {
  const { rows } = await sql<{ rowid: number }>`
    SELECT rowid FROM entry_text
    WHERE entry_text MATCH ${expression} AND rowid BETWEEN ${integer(first)} AND ${integer(last)}`.execute(
    db,
  );
  return new Set(rows.map(({ rowid }) => rowid));
}

/** A row id as an integer: numbers are bound as reals, and by those FTS5 narrows nothing, it reads a word's whole list. */
export function integer(id: number): Sql<number> {
  return sql<number>`CAST(${id} AS INTEGER)`;
}

function whereOf(wanted: Wanted) {
  const { expressions, excluded, conditions } = wanted;
  if (expressions.length === 0) {
    return { expression: undefined, conditions: [...conditions, ...matches(wanted)] };
  }
  const all = expressions.join(" AND ");
  const expression = excluded.length === 0 ? all : `(${all}) NOT (${excluded.join(" OR ")})`;
  return { expression, conditions: [sql<SqlBool>`entry_text MATCH ${expression}`, ...conditions] };
}

/** What is wanted of words, as conditions on `entry`: where a search does not start at the words. */
export function matches({ expressions, excluded }: Wanted): Sql<SqlBool>[] {
  return [
    ...(expressions.length > 0 ? [hasWords(expressions.join(" AND "))] : []),
    ...excluded.map((each) => sql<SqlBool>`NOT ${hasWords(each)}`),
  ];
}

/**
 * CROSS JOIN keeps SQLite from starting anywhere but at the words. Each entry has its file and its session; LEFT JOIN
 * lets SQLite pass over the session where no condition asks for it.
 */
function sourceOf(expression: string | undefined): Sql<unknown> {
  if (expression === undefined) {
    return sql`entry JOIN file ON file.id = entry.file_id JOIN session ON session.file_id = entry.file_id`;
  }
  return sql`entry_text CROSS JOIN entry ON entry.id = entry_text.rowid
    CROSS JOIN file ON file.id = entry.file_id LEFT JOIN session ON session.file_id = entry.file_id`;
}
