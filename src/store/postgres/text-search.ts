import { sql } from "../sql.ts";
import type { Phrase, TextExpression } from "../text-expression.ts";
import type { Dictionary } from "./dictionary.ts";
import { PARTS, type Posting, readLines, readPositions } from "./postings.ts";
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

/** Occurrences of a word in an entry: counts by part, and positions by part if they were read. */
interface Occurrences {
  counts: readonly number[];
  positions: readonly (readonly number[])[] | undefined;
}

/** An entry that matches, with the occurrences of each word. */
export interface TextMatch extends Place {
  shelf: number;
  words: ReadonlyMap<string, Occurrences>;
}

/** Postings per word and batch: the first batch is small, because the newest matches are often enough. */
const FIRST_BATCH = 256;
const MAX_BATCH = 4_096;

interface PostingRow extends Posting {
  shelf: number;
  file: number;
}

/**
 * Finds the entries that contain a text, in batches and in order. Reads the postings of its rarest words in that order, and those of its
 * other words only for the same days and files.
 */
export async function* findText(
  db: Runner,
  text: TextExpression,
  range: SearchRange,
  dictionary: Dictionary,
): AsyncGenerator<TextMatch[]> {
  const drivers = [...new Set(chooseDrivers(text, dictionary).words)];
  const others = [...new Set(wordsOf(text, dictionary))].filter((word) => !drivers.includes(word));
  const needsPositions = hasOrder(text);
  let rest = range;
  for (let size = FIRST_BATCH; ; size = Math.min(2 * size, MAX_BATCH)) {
    const rows = await readNext(db, drivers, rest, size);
    const end = findEnd(rows, size, range.newestFirst);
    let complete = end ? rows.filter((row) => isAhead(row, end, range.newestFirst)) : rows;
    let next = end && { ...end, line: range.newestFirst ? Number.MAX_SAFE_INTEGER : 0 };
    if (end && complete.length === 0) {
      // One file has more postings of one day than fit into a batch.
      complete = await readAt(db, drivers, range.shelves, [end]);
      next = { ...end, line: range.newestFirst ? 0 : Number.MAX_SAFE_INTEGER };
    }
    const more = others.length > 0 ? await readAt(db, others, range.shelves, complete) : [];
    const found = collectEntries([...complete, ...more], needsPositions, range);
    yield found.filter((entry) => contains(text, entry, dictionary));
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
  return collectEntries(rows, hasOrder(text), EVERYWHERE).filter(
    (entry) => wanted.has(`${entry.file}:${entry.line}`) && contains(text, entry, dictionary),
  );
}

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
      return rarest(phraseWords(text, dictionary).map((words) => toDrivers(words, dictionary)));
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

/** The words at each position of a phrase: one, or those that a prefix stands for. */
export function phraseWords({ words, prefix }: Phrase, { expand }: Dictionary): (readonly string[])[] {
  const all = words.split(" ");
  return all.map((word, n) => (prefix && n === all.length - 1 ? expand(word) : [word]));
}

function wordsOf(text: TextExpression, dictionary: Dictionary): string[] {
  switch (text.kind) {
    case "phrase":
      return phraseWords(text, dictionary).flat();
    case "near":
      return text.phrases.flatMap((each) => wordsOf(each, dictionary));
    case "all":
    case "any":
      return text.of.flatMap((each) => wordsOf(each, dictionary));
    case "without":
      return [...wordsOf(text.text, dictionary), ...wordsOf(text.excluded, dictionary)];
  }
}

/** Whether the order or distance of words matters. */
function hasOrder(text: TextExpression): boolean {
  switch (text.kind) {
    case "phrase":
      return text.words.includes(" ");
    case "near":
      return true;
    case "all":
    case "any":
      return text.of.some(hasOrder);
    case "without":
      return hasOrder(text.text) || hasOrder(text.excluded);
  }
}

const columns = sql`shelf, word, day, file_id AS file, first_line AS "firstLine", lines, places`;

/** The next postings of each word on each shelf, at most `limit` of each. */
async function readNext(
  db: Runner,
  words: readonly string[],
  { shelves, from, before, newestFirst }: SearchRange,
  limit: number,
): Promise<PostingRow[]> {
  const lower = from ? sql`AND (day, file_id) >= (${from.day}, ${from.file})` : sql``;
  const upper = before ? sql`AND (day, file_id) <= (${before.day}, ${before.file})` : sql``;
  const order = newestFirst ? sql`day DESC, file_id DESC, first_line DESC` : sql`day, file_id, first_line`;
  const { rows } = await sql<PostingRow>`
    SELECT found.* FROM unnest(${shelves}::integer[]) AS searched (shelf) CROSS JOIN unnest(${words}::text[]) AS wanted (word)
      CROSS JOIN LATERAL (
        SELECT ${columns} FROM posting
        WHERE posting.shelf = searched.shelf AND posting.word = wanted.word ${lower} ${upper}
        ORDER BY ${order} LIMIT ${limit}) AS found`.execute(db);
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
function findEnd(rows: readonly PostingRow[], limit: number, newestFirst: boolean): DayOfFile | undefined {
  if (rows.length < limit) return undefined;
  const last = new Map<string, { count: number; row: PostingRow }>();
  for (const row of rows) {
    const key = `${row.shelf} ${row.word}`;
    last.set(key, { count: (last.get(key)?.count ?? 0) + 1, row });
  }
  let end: DayOfFile | undefined;
  for (const { count, row } of last.values()) {
    if (count === limit && (!end || isAhead(row, end, newestFirst))) end = { day: row.day, file: row.file };
  }
  return end;
}

/** The entries of postings that are in the range, in its order. */
function collectEntries(
  rows: readonly PostingRow[],
  needsPositions: boolean,
  { from, before, newestFirst }: Omit<SearchRange, "shelves">,
): TextMatch[] {
  const entries = new Map<string, TextMatch & { words: Map<string, Occurrences> }>();
  for (const row of rows) {
    const { shelf, day, file, word } = row;
    const positions = needsPositions ? readPositions(row) : undefined;
    for (const [n, { line, counts }] of readLines(row).entries()) {
      const place = { day, file, line };
      if (from && comparePlaces(place, from) < 0) continue;
      if (before && comparePlaces(place, before) >= 0) continue;
      const key = `${day} ${file} ${line}`;
      let entry = entries.get(key);
      if (!entry) {
        entry = { shelf, ...place, words: new Map() };
        entries.set(key, entry);
      }
      entry.words.set(word, { counts, positions: positions?.[n] });
    }
  }
  const inOrder = newestFirst ? (a: Place, b: Place) => comparePlaces(b, a) : comparePlaces;
  return [...entries.values()].sort(inOrder);
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
        : phraseWords(text, dictionary)[0]?.some((word) => entry.words.has(word)) === true;
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
  { words }: TextMatch,
  part: number,
  dictionary: Dictionary,
): number[] {
  let starts: number[] | undefined;
  for (const [n, alternatives] of phraseWords(phrase, dictionary).entries()) {
    const here = new Set<number>();
    for (const word of alternatives) {
      for (const position of words.get(word)?.positions?.[part] ?? []) here.add(position - n);
    }
    starts = starts ? starts.filter((start) => here.has(start)) : [...here].sort((a, b) => a - b);
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
