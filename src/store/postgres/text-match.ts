/** Whether entries contain a text, by the postings of its words. */
import type { Phrase, TextExpression } from "../text-expression.ts";
import type { Dictionary } from "./dictionary.ts";
import { decode, type Place, type PostingRow } from "./posting-reads.ts";
import { PARTS, readPositions } from "./postings.ts";

/** An entry that matches, with the postings that it is in. */
export interface TextMatch extends Place {
  shelf: number;
  postings: PostingRow[];
  /** Its number among the lines of each posting. */
  indexes: number[];
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

/** Whether an entry contains a text. */
export function contains(text: TextExpression, entry: TextMatch, dictionary: Dictionary): boolean {
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
