/** Postings as searches read them: the next ones of some words, or those of some files and days. */
import { sql } from "../sql.ts";
import type { Dictionary } from "./dictionary.ts";
import { type Posting, type PostingLines, type PostingPositions, readLines } from "./postings.ts";
import type { Runner } from "./runner.ts";

/** An entry in the order of a search: by day, file and line. Ids of files are unique, so that the shelf doesn't matter. */
export interface Place {
  day: number;
  file: number;
  line: number;
}

/** Which entries are searched, and in what order. */
export interface SearchRange {
  shelves: readonly number[];
  /** Included; undefined for all. */
  from: Place | undefined;
  /** Not included; undefined for all. */
  before: Place | undefined;
  newestFirst: boolean;
}

export interface PostingRow extends Posting {
  shelf: number;
  file: number;
  /** Decoded when they are first needed: most entries have only some words of a text. */
  decoded?: PostingLines;
  positions?: PostingPositions;
}

/** The lines of a posting, decoded once. */
export function decode(row: PostingRow): PostingLines {
  row.decoded ??= readLines(row);
  return row.decoded;
}

export function comparePlaces(a: Place, b: Place): number {
  return compareDays(a, b) || a.line - b.line;
}

export type DayOfFile = Pick<Place, "day" | "file">;

export function compareDays(a: DayOfFile, b: DayOfFile): number {
  return a.day - b.day || a.file - b.file;
}

/** Whether `a` comes before `b` in the order of a search. */
export function isAhead(a: DayOfFile, b: DayOfFile, newestFirst: boolean): boolean {
  return newestFirst ? compareDays(a, b) > 0 : compareDays(a, b) < 0;
}

/** The first day of a file from which postings of some word may be missing; undefined if all were read. */
export function findEnd(
  rows: readonly PostingRow[],
  limits: ReadonlyMap<string, number>,
  newestFirst: boolean,
): DayOfFile | undefined {
  const last = new Map<string, { count: number; row: PostingRow }>();
  for (const row of rows) {
    const key = `${row.shelf} ${row.word}`;
    last.set(key, { count: (last.get(key)?.count ?? 0) + 1, row });
  }
  let end: DayOfFile | undefined;
  for (const { count, row } of last.values()) {
    if (count === limits.get(row.word) && (!end || isAhead(row, end, newestFirst)))
      end = { day: row.day, file: row.file };
  }
  return end;
}

/** A word with at most this many times as many postings is read as a range, because looking up each posting takes four times as long. */
const MAX_RATIO = 3;

/** The postings of other words in the files and on the days of some postings, which are in order. */
export async function readOthers(
  db: Runner,
  words: readonly string[],
  rows: readonly PostingRow[],
  { shelves, newestFirst, dictionary }: SearchRange & { dictionary: Dictionary },
): Promise<PostingRow[]> {
  if (words.length === 0 || rows.length === 0) return [];
  const drivers = [...new Set(rows.map(({ word }) => word))];
  const postingsOf = (all: readonly string[]) =>
    all.reduce((sum, word) => sum + dictionary.postings(word), 0);
  const max = MAX_RATIO * postingsOf(drivers);
  const frequent = words.filter((word) => dictionary.postings(word) > max);
  const similar = words.filter((word) => dictionary.postings(word) <= max);
  const ordered = rows.toSorted(compareDays);
  const [first, last] = [ordered[0] as PostingRow, ordered.at(-1) as PostingRow];
  const within = { shelves, from: { ...first, line: 0 }, before: { ...last, line: 0 }, newestFirst };
  const unlimited = similar.map(() => MAX_POSTINGS);
  return [
    ...(similar.length > 0 ? await readNext(db, similar, unlimited, within) : []),
    ...(frequent.length > 0 ? await readAt(db, frequent, shelves, rows) : []),
  ];
}

const MAX_POSTINGS = 2 ** 31 - 1;

const columns = sql`shelf, word, day, file_id AS file, first_line AS "firstLine", lines, places`;

/** The next postings of each word on each shelf, up to the word's limit. */
export async function readNext(
  db: Runner,
  words: readonly string[],
  limits: readonly number[],
  { shelves, from, before, newestFirst }: SearchRange,
): Promise<PostingRow[]> {
  const lower = from ? sql`AND (day, file_id) >= (${from.day}, ${from.file})` : sql``;
  const upper = before ? sql`AND (day, file_id) <= (${before.day}, ${before.file})` : sql``;
  const order = newestFirst ? sql`day DESC, file_id DESC, first_line DESC` : sql`day, file_id, first_line`;
  const { rows } = await sql<PostingRow>`
    SELECT found.* FROM unnest(${shelves}::integer[]) AS searched (shelf) CROSS JOIN unnest(${words}::text[], ${limits}::integer[]) AS wanted (word, postings)
      CROSS JOIN LATERAL (
        SELECT ${columns} FROM posting
        WHERE posting.shelf = searched.shelf AND posting.word = wanted.word ${lower} ${upper}
        ORDER BY ${order} LIMIT wanted.postings) AS found`.execute(db);
  return rows;
}

/** All postings of the words in some files on some days. */
export async function readAt(
  db: Runner,
  words: readonly string[],
  shelves: readonly number[],
  places: readonly Pick<Place, "day" | "file">[],
): Promise<PostingRow[]> {
  const pairs = new Map(places.map(({ day, file }) => [`${day} ${file}`, { day, file }])).values().toArray();
  if (pairs.length === 0) return [];
  const { rows } = await sql<PostingRow>`
    SELECT found.* FROM unnest(${pairs.map(({ day }) => day)}::integer[], ${pairs.map(({ file }) => file)}::integer[]) AS at (day, file)
      CROSS JOIN unnest(${shelves}::integer[]) AS searched (shelf) CROSS JOIN unnest(${words}::text[]) AS wanted (word)
      CROSS JOIN LATERAL (
        SELECT ${columns} FROM posting
        WHERE posting.shelf = searched.shelf AND posting.word = wanted.word AND day = at.day AND file_id = at.file) AS found`.execute(
    db,
  );
  return rows;
}
