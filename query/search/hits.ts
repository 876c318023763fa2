import { type Kysely, type RawBuilder, type SqlBool, sql } from "kysely";
import type { EntryTable, Schema, SqlEntryId } from "../../src/database/schema.ts";
import { hasWords, isCurrent } from "../field-condition.ts";
import { allOf } from "../filter.ts";

/** An entry that matches, with what ranking looks at. */
export interface HitRow
  extends Pick<EntryTable, "file_id" | "line" | "type" | "role" | "timestamp" | "text_hash"> {
  id: number;
  entry_id: SqlEntryId;
  /** When its session was begun. */
  created: number | null;
  current: number;
  /** What its words are worth (bm25); 0 where none were asked for. */
  words: number;
}

/** What hits must meet. */
export interface Wanted {
  /** What they must match, as FTS5 expressions: all of them. */
  expressions: readonly string[];
  /** What they must not match. */
  excluded: readonly string[];
  /** Whatever else, on `entry`, `file` and `session`. */
  conditions: readonly RawBuilder<SqlBool>[];
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

/**
 * The hits in a window, and whether there are more beyond it. Row ids go with time, so that the newest hits of a word
 * are at the end of its list, and the others are never touched.
 */
export async function findHits(
  db: Kysely<Schema>,
  wanted: Wanted,
  { size, from, within }: Window,
): Promise<{ rows: HitRow[]; more: boolean }> {
  const { expression, conditions } = whereOf(wanted);
  // On the column that is walked: FTS5 then passes over what lies outside.
  const id = expression ? sql`entry_text.rowid` : sql`entry.id`;
  const { said, thought, called, output } = WEIGHTS;
  const words = expression ? sql`-bm25(entry_text, ${said}, ${thought}, ${called}, ${output})` : sql`0`;
  const { rows } = await sql<HitRow>`
    SELECT entry.id, entry.file_id, entry.entry_id, entry.line, entry.type, entry.role, entry.timestamp,
      entry.text_hash, session.created, ${isCurrent} AS current, ${words} AS words
    FROM ${sourceOf(expression)} WHERE ${allOf(conditions)} AND ${id} BETWEEN ${integer(within.first)} AND ${integer(within.last)}
    ORDER BY ${id} ${from === "newest" ? sql`DESC` : sql`ASC`}
    LIMIT ${size === undefined ? -1 : size + 1}`.execute(db);
  const more = size !== undefined && rows.length > size;
  return { rows: more ? rows.slice(0, size) : rows, more };
}

/** Those of some files that have hits. */
export async function filesWithHits(
  db: Kysely<Schema>,
  wanted: Wanted,
  fileIds: readonly number[],
  within: EntryRange,
): Promise<Set<number>> {
  const inFiles = sql<SqlBool>`entry.file_id IN (SELECT value FROM json_each(${JSON.stringify(fileIds)}))`;
  const conditions = [...wanted.conditions, inFiles];
  const { rows } = await findHits(db, { ...wanted, conditions }, { size: undefined, from: "newest", within });
  return new Set(rows.map(({ file_id }) => file_id));
}

/** The ids, from one to another, of those entries that match an expression. */
export async function matchingIds(
  db: Kysely<Schema>,
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
function integer(id: number): RawBuilder<number> {
  return sql<number>`CAST(${id} AS INTEGER)`;
}

/** How many entries match an expression, counted up to `most`. */
export async function countMatches(db: Kysely<Schema>, expression: string, most: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) AS count FROM (
      SELECT rowid FROM entry_text WHERE entry_text MATCH ${expression} LIMIT ${most})`.execute(db);
  return rows[0]?.count ?? 0;
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
export function matches({ expressions, excluded }: Wanted): RawBuilder<SqlBool>[] {
  return [
    ...(expressions.length > 0 ? [hasWords(expressions.join(" AND "))] : []),
    ...excluded.map((each) => sql<SqlBool>`NOT ${hasWords(each)}`),
  ];
}

/** CROSS JOIN keeps SQLite from starting anywhere but at the words. */
function sourceOf(expression: string | undefined): RawBuilder<unknown> {
  if (expression === undefined) {
    return sql`entry JOIN file ON file.id = entry.file_id JOIN session ON session.file_id = entry.file_id`;
  }
  return sql`entry_text CROSS JOIN entry ON entry.id = entry_text.rowid
    CROSS JOIN file ON file.id = entry.file_id CROSS JOIN session ON session.file_id = entry.file_id`;
}
