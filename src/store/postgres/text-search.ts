import { sql } from "../sql.ts";
import type { Phrase, TextExpression } from "../text-expression.ts";
import type { Dictionary } from "./dictionary.ts";
import {
  PARTS,
  type Posting,
  type PostingLines,
  type PostingPositions,
  readLines,
  readPositions,
} from "./postings.ts";
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

/** An entry that matches, with the postings that it is in. */
export interface TextMatch extends Place {
  shelf: number;
  postings: PostingRow[];
  /** Its number among the lines of each posting. */
  indexes: number[];
}

/** Postings of the most frequent word per batch. The first one may have enough matches. */
const MIN_BATCH = 32;
const MAX_FIRST_BATCH = 1_024;
const MAX_BATCH = 4_096;
const MIN_POSTINGS = 4;
const MAX_YIELDED = 1_024;

interface PostingRow extends Posting {
  shelf: number;
  file: number;
  /** Decoded when they are first needed: most entries have only some words of a text. */
  decoded?: PostingLines;
  positions?: PostingPositions;
}

/**
 * Finds the entries that contain a text, in batches and in order. Reads the postings of its rarest words in that order, and those of its
 * other words only for the same days and files.
 *
 * @param wanted how many matches are probably read
 */
export async function* findText(
  db: Runner,
  text: TextExpression,
  range: SearchRange,
  dictionary: Dictionary,
  wanted = Number.POSITIVE_INFINITY,
): AsyncGenerator<TextMatch[]> {
  const drivers = [...new Set(chooseDrivers(text, dictionary).words)];
  const others = [...new Set(wordsOf(text, dictionary))].filter((word) => !drivers.includes(word));
  const mostFrequent = Math.max(1, ...drivers.map(dictionary.frequency));
  const density = drivers.reduce((sum, word) => sum + dictionary.density(word), 0);
  const first = Math.min(Math.max(Math.ceil(wanted / density), MIN_BATCH), MAX_FIRST_BATCH);
  const required = requiredWords(text, dictionary);
  let rest = range;
  for (let size = first; ; size = Math.min(2 * size, MAX_BATCH)) {
    // A thousand words may begin with a prefix: for rare ones, few postings reach as far back as many do for frequent ones.
    const limits = drivers.map((word) =>
      Math.max(MIN_POSTINGS, Math.ceil((size * dictionary.frequency(word)) / mostFrequent)),
    );
    const rows = await readNext(db, drivers, limits, rest);
    const end = findEnd(
      rows,
      new Map(drivers.map((word, n) => [word, limits[n] as number])),
      range.newestFirst,
    );
    let complete = end ? rows.filter((row) => isAhead(row, end, range.newestFirst)) : rows;
    let next = end && { ...end, line: range.newestFirst ? Number.MAX_SAFE_INTEGER : 0 };
    if (end && complete.length === 0) {
      // One file has more postings of one day than fit into a batch.
      complete = await readAt(db, drivers, range.shelves, [end]);
      next = { ...end, line: range.newestFirst ? 0 : Number.MAX_SAFE_INTEGER };
    }
    const more = await readOthers(db, others, complete, { ...range, dictionary });
    let found: TextMatch[] = [];
    for (const rows of groupByDay([...complete, ...more], range.newestFirst)) {
      for (const entry of collectEntries(rows, range, required)) {
        if (contains(text, entry, dictionary)) found.push(entry);
      }
      if (found.length < MAX_YIELDED) continue;
      yield found; // the caller may have enough
      found = [];
    }
    if (found.length > 0) yield found;
    if (!next) return;
    rest = range.newestFirst ? { ...rest, before: next } : { ...rest, from: next };
  }
}

/** Which of some entries contain a text. */
export async function findTextAt(
  db: Runner,
  text: TextExpression,
  shelves: readonly number[],
  places: readonly Place[],
  dictionary: Dictionary,
): Promise<TextMatch[]> {
  const rows = await readAt(db, [...new Set(wordsOf(text, dictionary))], shelves, places);
  const wanted = new Set(places.map(({ file, line }) => `${file}:${line}`));
  const required = requiredWords(text, dictionary);
  return groupByDay(rows, true)
    .flatMap((group) => collectEntries(group, EVERYWHERE, required))
    .filter((entry) => wanted.has(`${entry.file}:${entry.line}`) && contains(text, entry, dictionary));
}

/** A word with at most this many times as many postings is read as a range, because looking up each posting takes four times as long. */
const MAX_RATIO = 3;

/** The postings of other words in the files and on the days of some postings, which are in order. */
async function readOthers(
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

const EVERYWHERE = { from: undefined, before: undefined, newestFirst: true };

/** Words, at least one of which is in every entry that contains a text, and roughly how many entries have them. */
interface Drivers {
  words: readonly string[];
  entries: number;
}

/** Chooses the rarest words. */
function chooseDrivers(text: TextExpression, dictionary: Dictionary): Drivers {
  switch (text.kind) {
    case "phrase":
      return rarest(dictionary.wordsOf(text).map((words) => toDrivers(words, dictionary)));
    case "near":
      return rarest(text.phrases.map((phrase) => chooseDrivers(phrase, dictionary)));
    case "all":
      return rarest(text.of.map((each) => chooseDrivers(each, dictionary)));
    case "any": {
      const all = text.of.map((each) => chooseDrivers(each, dictionary));
      return {
        words: all.flatMap(({ words }) => words),
        entries: all.reduce((sum, { entries }) => sum + entries, 0),
      };
    }
    case "without":
      return chooseDrivers(text.text, dictionary);
  }
}

function rarest(all: readonly Drivers[]): Drivers {
  return all.reduce((a, b) => (b.entries < a.entries ? b : a));
}

function toDrivers(words: readonly string[], { frequency }: Dictionary): Drivers {
  return { words, entries: words.reduce((sum, word) => sum + frequency(word), 0) };
}

function wordsOf(text: TextExpression, dictionary: Dictionary): string[] {
  switch (text.kind) {
    case "phrase":
      return dictionary.wordsOf(text).flat();
    case "near":
      return text.phrases.flatMap((each) => wordsOf(each, dictionary));
    case "all":
    case "any":
      return text.of.flatMap((each) => wordsOf(each, dictionary));
    case "without":
      return [...wordsOf(text.text, dictionary), ...wordsOf(text.excluded, dictionary)];
  }
}

/** Words of which an entry that contains a text has at least one of each list. */
function requiredWords(text: TextExpression, dictionary: Dictionary): (readonly string[])[] {
  switch (text.kind) {
    case "phrase":
      return [...dictionary.wordsOf(text)];
    case "near":
      return text.phrases.flatMap((each) => requiredWords(each, dictionary));
    case "all":
      return text.of.flatMap((each) => requiredWords(each, dictionary));
    case "any":
      return [text.of.flatMap((each) => wordsOf(each, dictionary))];
    case "without":
      return requiredWords(text.text, dictionary);
  }
}

const columns = sql`shelf, word, day, file_id AS file, first_line AS "firstLine", lines, places`;

/** The next postings of each word on each shelf, up to the word's limit. */
async function readNext(
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
async function readAt(
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

type DayOfFile = Pick<Place, "day" | "file">;

function compareDays(a: DayOfFile, b: DayOfFile): number {
  return a.day - b.day || a.file - b.file;
}

/** Whether `a` comes before `b` in the order of a search. */
function isAhead(a: DayOfFile, b: DayOfFile, newestFirst: boolean): boolean {
  return newestFirst ? compareDays(a, b) > 0 : compareDays(a, b) < 0;
}

/** The first day of a file from which postings of some word may be missing; undefined if all were read. */
function findEnd(
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

/** Postings by day and file, in the order of a search. */
function groupByDay(rows: readonly PostingRow[], newestFirst: boolean): PostingRow[][] {
  const groups = Map.groupBy(rows, ({ day, file }) => day * 2 ** 31 + file).values();
  return groups.toArray().sort(([a], [b]) => {
    return isAhead(a as PostingRow, b as PostingRow, newestFirst) ? -1 : 1;
  });
}

/**
 * The entries of postings of one file and day that are in the range, in its order.
 *
 * @param required see `requiredWords`: entries without them are left out before anything is created for them
 */
function collectEntries(
  rows: readonly PostingRow[],
  { from, before, newestFirst }: Omit<SearchRange, "shelves">,
  required: readonly (readonly string[])[],
): TextMatch[] {
  const [first] = rows;
  if (!first) return [];
  const { shelf, day, file } = first;
  const byWord = Map.groupBy(rows, ({ word }) => word);
  let lines: Set<number> | undefined;
  const groups = required.map((words) => words.flatMap((word) => byWord.get(word) ?? []));
  for (const group of groups.sort((a, b) => countLines(a) - countLines(b))) {
    if (group.length === 0) return [];
    lines = intersect(lines, group);
    if (lines.size === 0) return [];
  }
  const entries = new Map<number, TextMatch>();
  for (const row of rows) {
    const { lines: all } = decode(row);
    for (let index = 0; index < all.length; index++) {
      const line = all[index] as number;
      if (lines && !lines.has(line)) continue;
      let entry = entries.get(line);
      if (!entry) {
        entry = { shelf, day, file, line, postings: [], indexes: [] };
        entries.set(line, entry);
      }
      entry.postings.push(row);
      entry.indexes.push(index);
    }
  }
  const inRange = (entry: Place) =>
    !(from && comparePlaces(entry, from) < 0) && !(before && comparePlaces(entry, before) >= 0);
  return [...entries.values()]
    .filter(inRange)
    .sort(newestFirst ? (a, b) => b.line - a.line : (a, b) => a.line - b.line);
}

function countLines(rows: readonly PostingRow[]): number {
  return rows.reduce((sum, { lines }) => sum + lines, 0);
}

/** The lines of postings, among others if these are known. */
function intersect(known: ReadonlySet<number> | undefined, rows: readonly PostingRow[]): Set<number> {
  const found = new Set<number>();
  for (const row of rows) {
    for (const line of decode(row).lines) if (!known || known.has(line)) found.add(line);
  }
  return found;
}

function decode(row: PostingRow): PostingLines {
  row.decoded ??= readLines(row);
  return row.decoded;
}

/** How often a part of an entry contains a word. */
export function countIn({ postings, indexes }: TextMatch, word: string, part: number): number {
  let count = 0;
  for (const [n, row] of postings.entries()) {
    if (row.word === word)
      count += decode(row).counts[(indexes[n] as number) * PARTS.length + part] as number;
  }
  return count;
}

/** Adds the positions of a word in a part of an entry, less an offset, to a list. */
function addPositions(
  { postings, indexes }: TextMatch,
  word: string,
  part: number,
  offset: number,
  list: number[],
): void {
  for (const [n, row] of postings.entries()) {
    if (row.word !== word) continue;
    row.positions ??= readPositions(row.places, decode(row).counts);
    const { positions, starts } = row.positions;
    const at = (indexes[n] as number) * PARTS.length + part;
    for (let p = starts[at] as number; p < (starts[at + 1] as number); p++)
      list.push((positions[p] as number) - offset);
  }
}

export function comparePlaces(a: Place, b: Place): number {
  return compareDays(a, b) || a.line - b.line;
}

/** Whether an entry contains a text. */
function contains(text: TextExpression, entry: TextMatch, dictionary: Dictionary): boolean {
  switch (text.kind) {
    case "phrase":
      return text.words.includes(" ")
        ? PARTS.some((_, part) => findPhrase(text, entry, part, dictionary).length > 0)
        : dictionary.wordsOf(text)[0]?.some((word) => entry.postings.some((row) => row.word === word)) ===
            true;
    case "near":
      return PARTS.some((_, part) =>
        areNear(
          text.phrases.map((phrase) => ({
            length: phrase.words.split(" ").length,
            starts: findPhrase(phrase, entry, part, dictionary),
          })),
          text.distance,
        ),
      );
    case "all":
      return text.of.every((each) => contains(each, entry, dictionary));
    case "any":
      return text.of.some((each) => contains(each, entry, dictionary));
    case "without":
      return contains(text.text, entry, dictionary) && !contains(text.excluded, entry, dictionary);
  }
}

/** Where a phrase starts in a part of an entry, in order. */
export function findPhrase(
  phrase: Phrase,
  entry: TextMatch,
  part: number,
  dictionary: Dictionary,
): readonly number[] {
  const all = dictionary.wordsOf(phrase);
  const isInPart = (words: readonly string[]) => words.some((word) => countIn(entry, word, part) > 0);
  if (!all.every(isInPart)) return [];
  let starts: number[] | undefined;
  for (const [n, alternatives] of all.entries()) {
    const here: number[] = [];
    for (const word of alternatives) addPositions(entry, word, part, n, here);
    if (!starts) starts = here.sort((a, b) => a - b);
    else {
      const isHere = new Set(here);
      starts = starts.filter((start) => isHere.has(start));
    }
    if (starts.length === 0) return starts;
  }
  return starts ?? [];
}

/** Whether phrases are near each other: at most `distance` words are between the end of each and the start of the last, as in FTS5. */
function areNear(
  phrases: readonly { length: number; starts: readonly number[] }[],
  distance: number,
): boolean {
  const next = phrases.map(() => 0);
  let last = 0;
  for (let isMatch = false; !isMatch; ) {
    isMatch = true;
    for (const [n, { length, starts }] of phrases.entries()) {
      const first = last - length - distance;
      let at = next[n] as number;
      while (at < starts.length && (starts[at] as number) < first) at++;
      const start = starts[at];
      if (start === undefined) return false;
      if (at !== next[n] || start > last) isMatch = false;
      next[n] = at;
      last = Math.max(last, start);
    }
  }
  return true;
}
