import type { TextExpression } from "../text-expression.ts";
import type { Dictionary } from "./dictionary.ts";
import {
  comparePlaces,
  decode,
  findEnd,
  isAhead,
  type Place,
  type PostingRow,
  readAt,
  readNext,
  readOthers,
  type SearchRange,
} from "./posting-reads.ts";
import type { Runner } from "./runner.ts";
import { contains, type TextMatch } from "./text-match.ts";

/** Postings of the most frequent word per batch. The first one may have enough matches. */
const MIN_BATCH = 32;
const MAX_FIRST_BATCH = 1_024;
const MAX_BATCH = 4_096;
const MIN_POSTINGS = 4;
const MAX_YIELDED = 1_024;

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
