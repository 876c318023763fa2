import type { EntryTable, SqlEntryId } from "../../src/store/schema.ts";
import type { Reader } from "../../src/store/sqlite/reader.ts";
import { type Sql, type SqlBool, sql } from "../../src/store/sqlite/sql.ts";
import { textCondition } from "../field-condition.ts";
import { allOf } from "../sql-conditions.ts";
import { isOnCurrentBranch, readHitSessions } from "./hit-sessions.ts";

/** An entry that matches, with the columns that ranking uses. */
export interface HitRow
  extends Pick<EntryTable, "file_id" | "line" | "byte_length" | "type" | "role" | "timestamp" | "text_hash"> {
  id: number;
  /** Equal to `id`. */
  position: number;
  entry_id: SqlEntryId;
  /** Text score; 0 without words in the query, and until `scoreTerms` if some are common. */
  words: number;
  /** Name and creation time of its session. */
  name: string | null;
  created: number | null;
  /** 1 if it is on the current branch of its session. */
  current: number;
}

/** Conditions every hit satisfies. */
export interface HitConditions {
  /** FTS5 expressions, all of which must match. */
  expressions: readonly string[];
  /** Expressions that are scored: those that are not common. */
  scored: readonly string[];
  /** FTS5 expressions that must not match. */
  excluded: readonly string[];
  /** Other conditions, on `entry`, `file` and `session`. */
  conditions: readonly Sql<SqlBool>[];
}

/** A range of entry ids, inclusive. */
export interface EntryRange {
  first: number;
  last: number;
}

/** Which of the hits are read. */
interface Window {
  /** Range of entries to search. */
  within: EntryRange;
  /** Maximum number of hits, newest or oldest first. Undefined means no limit. */
  size: number | undefined;
  from: "newest" | "oldest";
  /** Only hits in these files. */
  files?: ReadonlySet<number> | undefined;
}

/** bm25 weights by part of an entry: messages count more than thinking, calls and output. */
const WEIGHTS = { said: 4, thought: 1.5, called: 2, output: 1 } as const;
const { said, thought, called, output } = WEIGHTS;
export const BM25 = sql.raw<number>(`-bm25(entry_text, ${[output, called, thought, said].join()})`);

/** Whether rows are scored by the statement that finds them, because no word is common. */
export function isScoredInline({ expressions, scored }: HitConditions): boolean {
  return expressions.length > 0 && scored.length === expressions.length;
}

const matchColumns = sql`entry.id, entry.file_id, entry.role, entry.timestamp`;
const hitColumns = sql`${matchColumns}, entry.id AS position, entry.entry_id, entry.line, entry.byte_length, entry.type, entry.text_hash`;

/** Finds the hits in a window, and whether there are more beyond it. */
export async function findHits(
  db: Reader,
  hitConditions: HitConditions,
  window: Window,
): Promise<{ rows: HitRow[]; more: boolean }> {
  const columns = sql`${hitColumns}, ${isScoredInline(hitConditions) ? BM25 : sql`0`} AS words`;
  const { rows, more } = await select<FoundRow>(db, hitConditions, columns, window);
  return { rows: await withFiles(db, rows), more };
}

/** The columns of a match that totals and facets need. */
export type MatchRow = Pick<HitRow, "id" | "file_id" | "role" | "timestamp">;

/** Finds the matches in a window, and whether there are more. */
export function findMatches(
  db: Reader,
  hitConditions: HitConditions,
  window: Window,
): Promise<{ rows: MatchRow[]; more: boolean }> {
  return select(db, hitConditions, matchColumns, window);
}

/** Row ids increase with time, so the newest hits of a word are at the end of its posting list, and the others are never read. */
async function select<Row>(
  db: Reader,
  hitConditions: HitConditions,
  columns: Sql,
  { size, from, within, files }: Window,
): Promise<{ rows: Row[]; more: boolean }> {
  const { expression, conditions } = whereOf(hitConditions);
  const { first, last } = files ? await getFileEntryRange(db, files, within.last) : within;
  if (files) conditions.push(sql`entry.file_id IN ${sql.list(files)}`);
  // The bound must be on the column that is scanned, so that FTS5 skips what is outside.
  const id = expression ? sql`entry_text.rowid` : sql`entry.id`;
  const { rows } = await sql<Row>`
    SELECT ${columns} FROM ${sourceOf(expression)}
    WHERE ${allOf(conditions)} AND ${id} BETWEEN ${castToInteger(first)} AND ${castToInteger(last)}
    ORDER BY ${id} ${from === "newest" ? sql`DESC` : sql`ASC`}
    LIMIT ${sql.lit(size === undefined ? -1 : size + 1)}`.execute(db);
  const more = size !== undefined && rows.length > size;
  if (more) rows.pop();
  return { rows, more };
}

/** The range of entry ids that the entries of some files are in. */
export async function getFileEntryRange(
  db: Reader,
  files: Iterable<number>,
  lastEntry: number,
): Promise<EntryRange> {
  const { rows } = await sql<EntryRange>`
    SELECT min(first) AS first, max(last) AS last FROM (
      SELECT (SELECT min(id) FROM entry WHERE file_id = value) AS first,
        (SELECT max(id) FROM entry WHERE file_id = value) AS last
      FROM ${sql.list(files)})`.execute(db);
  return { first: rows[0]?.first ?? 0, last: Math.min(rows[0]?.last ?? 0, lastEntry) };
}

/** Entries that satisfy a condition, newest first. Their text score is 0. */
export async function findEntries(db: Reader, condition: Sql<SqlBool>, limit: number): Promise<HitRow[]> {
  const { rows } = await sql<FoundRow>`
    SELECT ${hitColumns}, 0 AS words
    FROM entry JOIN file ON file.id = entry.file_id JOIN session ON session.file_id = entry.file_id
    WHERE ${condition} ORDER BY entry.id DESC LIMIT ${sql.lit(limit)}`.execute(db);
  return withFiles(db, rows);
}

type FoundRow = Omit<HitRow, "name" | "created" | "current"> & Partial<HitRow>;

/** Adds session fields to rows, in place because there may be thousands. */
async function withFiles(db: Reader, found: FoundRow[]): Promise<HitRow[]> {
  const files =
    found.length > 0 ? await readHitSessions(db, new Set(found.map(({ file_id }) => file_id))) : undefined;
  for (const row of found) {
    const file = files?.get(row.file_id);
    row.name = file?.name ?? null;
    row.created = file?.created ?? null;
    row.current = file && isOnCurrentBranch(file, row.line) ? 1 : 0;
  }
  return found as HitRow[];
}

/** The smallest range that contains all rows. */
export function getEntryRange(rows: readonly Pick<HitRow, "id">[]): EntryRange {
  let first = Number.POSITIVE_INFINITY;
  let last = 0;
  for (const { id } of rows) {
    first = Math.min(first, id);
    last = Math.max(last, id);
  }
  return { first: Math.min(first, last), last };
}

/** Returns those of the files that contain hits. */
export async function findFilesWithHits(
  db: Reader,
  hitConditions: HitConditions,
  fileIds: readonly number[],
  within: EntryRange,
): Promise<Set<number>> {
  const window = { size: undefined, from: "newest", within, files: new Set(fileIds) } as const;
  const { rows } = await findMatches(db, hitConditions, window);
  return new Set(rows.map(({ file_id }) => file_id));
}

/** Returns the ids in a range of the entries that match an expression. */
export async function findMatchingIds(
  db: Reader,
  expression: string,
  first: number,
  last: number,
): Promise<Set<number>> {
  const { rows } = await sql<{ rowid: number }>`
    SELECT rowid FROM entry_text
    WHERE entry_text MATCH ${expression} AND rowid BETWEEN ${castToInteger(first)} AND ${castToInteger(last)}`.execute(
    db,
  );
  return new Set(rows.map(({ rowid }) => rowid));
}

/** Casts a row id to an integer: numbers are bound as reals, and FTS5 ignores real bounds and reads the whole posting list. */
export function castToInteger(id: number): Sql<number> {
  return sql<number>`CAST(${id} AS INTEGER)`;
}

function whereOf(hitConditions: HitConditions) {
  const { expressions, excluded, conditions } = hitConditions;
  if (expressions.length === 0) {
    return { expression: undefined, conditions: [...conditions, ...textConditions(hitConditions)] };
  }
  const all = expressions.join(" AND ");
  const expression = excluded.length === 0 ? all : `(${all}) NOT (${excluded.join(" OR ")})`;
  return { expression, conditions: [sql<SqlBool>`entry_text MATCH ${expression}`, ...conditions] };
}

/** The text part as conditions on `entry`, for statements that do not start at the full-text index. */
export function textConditions({ expressions, excluded }: HitConditions): Sql<SqlBool>[] {
  return [
    ...(expressions.length > 0 ? [textCondition(expressions.join(" AND "))] : []),
    ...excluded.map((each) => sql<SqlBool>`NOT ${textCondition(each)}`),
  ];
}

/**
 * CROSS JOIN makes SQLite start at the full-text index. Each entry has a file and a session; the LEFT JOIN lets SQLite skip the
 * session if no condition uses it.
 */
function sourceOf(expression: string | undefined): Sql<unknown> {
  if (expression === undefined) {
    return sql`entry JOIN file ON file.id = entry.file_id JOIN session ON session.file_id = entry.file_id`;
  }
  return sql`entry_text CROSS JOIN entry ON entry.id = entry_text.rowid
    CROSS JOIN file ON file.id = entry.file_id LEFT JOIN session ON session.file_id = entry.file_id`;
}
