import { areAllScored, type EntryCondition, type HitConditions } from "../conditions.ts";
import { isOnCurrentBranch } from "../hit-session.ts";
import type { Position, PositionRange } from "../position.ts";
import type { Found, HitRow, HitWindow, MatchRow } from "../search-reads.ts";
import { type Sql, type SqlBool, sql } from "../sql.ts";
import { toEntrySql, toNonTextSql, toTextSql } from "./entry-conditions.ts";
import { toFtsMatch } from "./fts-expression.ts";
import { readHitSessions } from "./hit-sessions.ts";
import type { Reader } from "./reader.ts";
import { inScope, type Scope } from "./scope.ts";
import { allOf, anyOf, toSessionSql } from "./session-conditions.ts";

/** bm25 weights by part of an entry: messages count more than thinking, calls and output. */
const WEIGHTS = { said: 4, thought: 1.5, called: 2, output: 1 } as const;
const { said, thought, called, output } = WEIGHTS;
export const BM25 = sql.raw<number>(`-bm25(entry_text, ${[output, called, thought, said].join()})`);

const matchColumns = sql`entry.id AS position, entry.file_id, entry.role, entry.timestamp`;
const hitColumns = sql`${matchColumns}, entry.entry_id, entry.line, entry.byte_length, entry.type, entry.text_hash`;

/** Finds the hits in a window, and whether there are more beyond it. */
export async function findHits(
  db: Reader,
  scope: Scope,
  conditions: HitConditions,
  window: HitWindow,
): Promise<Found<HitRow>> {
  const columns = sql`${hitColumns}, ${areAllScored(conditions) ? BM25 : sql`0`} AS words`;
  const { rows, more } = await select<FoundRow>(db, scope, conditions, columns, window);
  return { rows: await withFiles(db, rows), more };
}

/** Finds the matches in a window, and whether there are more. */
export function findMatches(
  db: Reader,
  scope: Scope,
  conditions: HitConditions,
  window: HitWindow,
): Promise<Found<MatchRow>> {
  return select(db, scope, conditions, matchColumns, window);
}

/** Row ids roughly follow time, so the newest hits of a word are at the end of its posting list, and the others are never read. */
async function select<Row>(
  db: Reader,
  scope: Scope,
  hitConditions: HitConditions,
  columns: Sql,
  { size, from, within, files }: HitWindow,
): Promise<Found<Row>> {
  const { expression, conditions } = await whereOf(db, scope, hitConditions);
  const { first, last } = files ? await findRowsOfFiles(db, files, within) : toRowRange(within);
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

/** A range of row ids of entries, inclusive. */
export interface RowRange {
  first: number;
  last: number;
}

/** A position is a row id. The first one is 1. */
export function toRowRange({ from, before }: PositionRange): RowRange {
  return { first: Number(from ?? 0), last: Number(before) - 1 };
}

/** The range of row ids that the entries of some files are in. */
export async function findRowsOfFiles(
  db: Reader,
  files: Iterable<number>,
  within: PositionRange,
): Promise<RowRange> {
  const { rows } = await sql<RowRange>`
    SELECT min(first) AS first, max(last) AS last FROM (
      SELECT (SELECT min(id) FROM entry WHERE file_id = value) AS first,
        (SELECT max(id) FROM entry WHERE file_id = value) AS last
      FROM ${sql.list(files)})`.execute(db);
  const { first, last } = toRowRange(within);
  return { first: Math.max(rows[0]?.first ?? 0, first), last: Math.min(rows[0]?.last ?? 0, last) };
}

/** Returns the entries at these positions, newest first. Their text score is 0. */
export async function getHits(db: Reader, positions: readonly Position[]): Promise<HitRow[]> {
  const { rows } = await sql<FoundRow>`
    SELECT ${hitColumns}, 0 AS words
    FROM entry JOIN file ON file.id = entry.file_id JOIN session ON session.file_id = entry.file_id
    WHERE entry.id IN ${sql.list(positions)} ORDER BY entry.id DESC`.execute(db);
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

/** Casts a row id to an integer: numbers are bound as reals, and FTS5 ignores real bounds and reads the whole posting list. */
export function castToInteger(id: number): Sql<number> {
  return sql<number>`CAST(${id} AS INTEGER)`;
}

async function whereOf(db: Reader, scope: Scope, hitConditions: HitConditions) {
  const { texts, excluded } = hitConditions;
  if (texts.length === 0) {
    const entry = await Promise.all(hitConditions.entry.map((each) => toScannedSql(db, each)));
    const conditions = [inScope(scope), toSessionSql(hitConditions.session), ...entry];
    return { expression: undefined, conditions: [...conditions, ...toTextSql(hitConditions)] };
  }
  const others = [inScope(scope), ...toNonTextSql(hitConditions)];
  const expression = toFtsMatch(texts, excluded);
  return { expression, conditions: [sql<SqlBool>`entry_text MATCH ${expression}`, ...others] };
}

/** Reading all entries of more sessions, and sorting them, takes longer than testing the newest entries one by one. */
const MAX_SESSIONS_TO_START_AT = 64;

/**
 * SQL for a condition of a statement that needs only the newest or oldest entries. SQLite would start at the sessions of
 * `cost:>1`, however many they are; the unary plus hides the index from it.
 */
async function toScannedSql(db: Reader, condition: EntryCondition): Promise<Sql<SqlBool>> {
  if (condition.kind === "all" || condition.kind === "any") {
    const each = await Promise.all(condition.of.map((of) => toScannedSql(db, of)));
    return condition.kind === "all" ? allOf(each) : anyOf(each);
  }
  const whole = toEntrySql(condition);
  if (condition.kind !== "session") return whole;
  const { rows } = await sql`SELECT 1 FROM session JOIN file ON file.id = session.file_id
    WHERE ${toSessionSql(condition.of)} LIMIT ${sql.lit(MAX_SESSIONS_TO_START_AT + 1)}`.execute(db);
  return rows.length > MAX_SESSIONS_TO_START_AT ? sql<SqlBool>`+${whole}` : whole;
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
