import { areAllScored, type HitConditions } from "../conditions.ts";
import { type HitSession, isOnCurrentBranch } from "../hit-session.ts";
import type { Found, HitRow, HitWindow, MatchRow } from "../search-reads.ts";
import { type Sql, sql } from "../sql.ts";
import type { TextExpression } from "../text-expression.ts";
import { Scorer } from "./bm25.ts";
import { type Dictionary, readDictionary } from "./dictionary.ts";
import { isAt, type TextPlaces, textsOf, toEntrySql } from "./entry-conditions.ts";
import { withEntryIds } from "./entry-id.ts";
import { decodePosition, decodeRange, positionSql } from "./positions.ts";
import type { Place, SearchRange } from "./posting-reads.ts";
import type { Runner } from "./runner.ts";
import { allOf, isTrue, toSessionSql } from "./session-conditions.ts";
import type { TextMatch } from "./text-match.ts";
import { findText, findTextAt } from "./text-search.ts";

/** What a search reads from. */
export interface SearchContext {
  db: Runner;
  shelves: readonly number[];
  /** Number of all entries. */
  countEntries: () => Promise<number>;
}

/** Finds the hits in a window, and whether there are more beyond it. */
export async function findHits(
  context: SearchContext,
  conditions: HitConditions,
  window: HitWindow,
): Promise<Found<HitRow>> {
  const found = await select<FoundRow>(context, conditions, window, hitColumns);
  await addSessions(context, found.rows);
  if (areAllScored(conditions)) {
    const { texts } = conditions;
    const scorer = new Scorer(texts, found.dictionary, await context.countEntries());
    for (const row of found.rows) {
      const match = found.matches.get(placeKey(decodePosition(row.position)));
      if (match) row.words = scorer.score(match, row.length);
    }
  }
  return { rows: withEntryIds(found.rows), more: found.more };
}

/** Finds the matches in a window, and whether there are more. */
export async function findMatches(
  context: SearchContext,
  conditions: HitConditions,
  window: HitWindow,
): Promise<Found<MatchRow>> {
  const { rows, more } = await select<MatchRow>(context, conditions, window, matchColumns);
  return { rows, more };
}

/** A hit with its number of words. */
type FoundRow = HitRow & { length: number };

/** Adds the columns of their sessions to rows, in place. Read once per file: a thousand hits are in a few hundred files. */
async function addSessions({ db, shelves }: SearchContext, rows: readonly HitRow[]): Promise<void> {
  const files = [...new Set(rows.map(({ file_id: file }) => file))];
  if (files.length === 0) return;
  const { rows: sessions } = await sql<HitSession & { file: number; firsts: number[]; lasts: number[] }>`
    SELECT session.file_id AS file, session.name, session.created, ranges.firsts, ranges.lasts
    FROM session CROSS JOIN LATERAL (
      SELECT coalesce(array_agg(first_line ORDER BY first_line), '{}') AS firsts,
        coalesce(array_agg(last_line ORDER BY first_line), '{}') AS lasts
      FROM current_range WHERE current_range.shelf = session.shelf AND current_range.file_id = session.file_id) AS ranges
    WHERE session.shelf = ANY (${shelves}) AND session.file_id = ANY (${files})`.execute(db);
  const byFile = new Map(
    sessions.map(({ file, firsts, lasts, name, created }): [number, HitSession] => [
      file,
      { name, created, current: firsts.map((first, n) => [first, lasts[n] as number]) },
    ]),
  );
  for (const row of rows) {
    const session = byFile.get(row.file_id);
    row.name = session?.name ?? null;
    row.created = session?.created ?? null;
    row.current = session && isOnCurrentBranch(session, row.line) ? 1 : 0;
  }
}

const matchColumns = sql`${positionSql} AS position, entry.file_id, entry.role, entry.timestamp`;
const hitColumns = sql`${matchColumns}, entry.entry_id, entry.line, entry.byte_length, entry.type, entry.text_hash,
  0 AS words, entry.words AS length`;

interface Selected<Row> extends Found<Row> {
  dictionary: Dictionary;
  /** The matches of the texts, by place. */
  matches: Map<string, TextMatch>;
}

async function select<Row>(
  { db, shelves }: SearchContext,
  conditions: HitConditions,
  { size, from, within, files }: HitWindow,
  columns: Sql,
): Promise<Selected<Row>> {
  const { texts, excluded } = conditions;
  const inConditions = textsOf(conditions.entry);
  const dictionary = await readDictionary(db, shelves, [...texts, ...excluded, ...inConditions]);
  const range = { shelves, ...decodeRange(within), newestFirst: from === "newest" };
  const limit = size ?? Number.POSITIVE_INFINITY;
  const rows: Row[] = [];
  const matches = new Map<string, TextMatch>();
  const whole = toExpression(texts, excluded);
  const batches = whole
    ? findText(db, whole, range, dictionary, limit)
    : findAll(db, range, conditions, files, Math.min(limit + 1, MAX_BATCH));
  for await (const batch of batches) {
    const places = files ? batch.filter(({ file }) => files.has(file)) : batch;
    for (let at = 0; at < places.length && rows.length <= limit; ) {
      // Most entries usually satisfy the conditions.
      const missing = Math.min(Math.max(limit + 1 - rows.length, MIN_CHECKED), MAX_BATCH);
      const next = places.slice(at, at + missing);
      at += next.length;
      for (const place of next) if ("postings" in place) matches.set(placeKey(place), place as TextMatch);
      const selected = await selectAt<Row>(db, shelves, next, conditions, !whole, dictionary, columns);
      for (const row of selected) rows.push(row);
    }
    if (rows.length > limit) break;
  }
  const more = rows.length > limit;
  return { rows: more ? rows.slice(0, limit) : rows, more, dictionary, matches };
}

/** Entries per statement that checks conditions, besides the missing ones: few may satisfy them. */
const MIN_CHECKED = 256;
const MAX_BATCH = 4_096;

/** Those of some entries that satisfy all conditions, in the same order. @param excludes whether to check excluded texts */
async function selectAt<Row>(
  db: Runner,
  shelves: readonly number[],
  places: readonly Place[],
  conditions: HitConditions,
  excludes: boolean,
  dictionary: Dictionary,
  columns: Sql,
): Promise<Row[]> {
  const texts = new Map<TextExpression, readonly Place[]>();
  for (const text of textsOf(conditions.entry)) {
    texts.set(text, await findTextAt(db, text, shelves, places, dictionary));
  }
  const excluded = new Set<string>();
  for (const text of excludes ? conditions.excluded : []) {
    for (const place of await findTextAt(db, text, shelves, places, dictionary))
      excluded.add(placeKey(place));
  }
  const left = excluded.size === 0 ? places : places.filter((place) => !excluded.has(placeKey(place)));
  return filterPlaces<Row>(db, shelves, left, conditions, texts, columns);
}

/** All of these texts, and none of the excluded ones; undefined if there are no texts. */
function toExpression(
  texts: readonly TextExpression[],
  excluded: readonly TextExpression[],
): TextExpression | undefined {
  if (texts.length === 0) return undefined;
  const [first, ...more] = texts;
  const all: TextExpression = more.length === 0 ? (first as TextExpression) : { kind: "all", of: texts };
  return excluded.length === 0
    ? all
    : { kind: "without", text: all, excluded: { kind: "any", of: excluded } };
}

/** Entries that satisfy the conditions except those on texts, in batches and in order. */
async function* findAll(
  db: Runner,
  range: SearchRange,
  { session, entry }: HitConditions,
  files: ReadonlySet<number> | undefined,
  size: number,
): AsyncGenerator<Place[]> {
  const { newestFirst, shelves } = range;
  const conditions = entry.filter((each) => textsOf([each]).length === 0);
  const isSelected = allOf([
    toSessionSql(session),
    ...conditions.map((each) => toEntrySql(each, new Map())),
    ...(files ? [sql<boolean>`entry.file_id = ANY (${[...files]})`] : []),
  ]);
  let { from, before } = range;
  for (;;) {
    const lower = from
      ? sql`AND (entry.day, entry.file_id, entry.line) >= (${from.day}, ${from.file}, ${from.line})`
      : sql``;
    const upper = before
      ? sql`AND (entry.day, entry.file_id, entry.line) < (${before.day}, ${before.file}, ${before.line})`
      : sql``;
    const { rows } = await sql<Place>`
      SELECT found.* FROM unnest(${shelves}::integer[]) AS searched (shelf) CROSS JOIN LATERAL (
        SELECT entry.day, entry.file_id AS file, entry.line
        FROM entry JOIN file ON file.shelf = entry.shelf AND file.id = entry.file_id
          JOIN session ON session.shelf = entry.shelf AND session.file_id = entry.file_id
        WHERE entry.shelf = searched.shelf ${lower} ${upper} AND ${isSelected}
        ORDER BY ${sql.raw(newestFirst ? "entry.day DESC, entry.file_id DESC, entry.line DESC" : "entry.day, entry.file_id, entry.line")}
        LIMIT ${size}) AS found
      ORDER BY ${sql.raw(newestFirst ? "day DESC, file DESC, line DESC" : "day, file, line")} LIMIT ${size}`.execute(
      db,
    );
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < size) return;
    if (newestFirst) before = last;
    else from = { ...last, line: last.line + 1 };
  }
}

/** Reads those of the entries that satisfy conditions, in the same order. */
async function filterPlaces<Row>(
  db: Runner,
  shelves: readonly number[],
  places: readonly Place[],
  { session, entry }: Pick<HitConditions, "session" | "entry">,
  texts: TextPlaces,
  columns: Sql,
): Promise<Row[]> {
  if (places.length === 0) return [];
  const files = places.map(({ file }) => file);
  const lines = places.map(({ line }) => line);
  const isSelected = toSessionSql(session);
  // Each entry has a file and a session; without a condition on them they are not joined.
  const joined = isTrue(isSelected)
    ? sql``
    : sql`JOIN file ON file.shelf = entry.shelf AND file.id = entry.file_id
      JOIN session ON session.shelf = entry.shelf AND session.file_id = entry.file_id`;
  // OFFSET keeps PostgreSQL from joining the sessions first: it would read all entries of a session for each place.
  const { rows } = await sql<Row>`
    SELECT ${columns}
    FROM unnest(${files}::integer[], ${lines}::integer[]) WITH ORDINALITY AS at (file, line, number)
      CROSS JOIN LATERAL (SELECT * FROM entry
        WHERE entry.shelf = ANY (${shelves}) AND entry.file_id = at.file AND entry.line = at.line OFFSET 0) AS entry ${joined}
    WHERE ${allOf([isSelected, ...entry.map((each) => toEntrySql(each, texts))])}
    ORDER BY at.number`.execute(db);
  return rows;
}

export function placeKey({ file, line }: Pick<Place, "file" | "line">): string {
  return `${file}:${line}`;
}

/** The entries at these places, newest first. */
export async function getHits(context: SearchContext, places: readonly Place[]): Promise<HitRow[]> {
  const { db, shelves } = context;
  const { rows } = await sql<HitRow>`
    SELECT ${hitColumns} FROM entry
    WHERE entry.shelf = ANY (${shelves}) AND ${isAt(places)}
    ORDER BY entry.day DESC, entry.file_id DESC, entry.line DESC`.execute(db);
  await addSessions(context, rows);
  return withEntryIds(rows);
}
