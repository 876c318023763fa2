import { distance } from "fastest-levenshtein";
import type { IndexedWord, Vocabulary } from "./vocabulary.ts";

/** Shorter words have too many neighbours. */
const MIN_LENGTH = 4;
/** From this length on two letters may be wrong. */
const TWO_EDITS_LENGTH = 7;
/** Longer ones are no words that somebody mistyped. */
const MAX_LENGTH = 32;
/** Words of the index that are compared with one word. */
const MAX_COMPARED = 20_000;
const MAX_COUNTED = 40;
const MAX_CORRECTIONS = 3;

const ALPHABETS = [
  "abcdefghijklmnopqrstuvwxyz",
  "абвгдежзийклмнопрстуфхцчшщъыьэюяіїєґ",
  "αβγδεζηθικλμνξοπρστυφχψω",
];

/** A word that may have been meant. */
export interface Correction extends IndexedWord {
  /** Letters that differ: 1 or 2. Two letters that changed places are one. */
  edits: number;
}

/**
 * Finds the words of the index that a misspelled word may stand for, the most likely first: those with one letter missing,
 * too many, wrong or in its neighbour's place; where there are none, in longer words, those with two.
 *
 * @param mostEdits 1 does without the latter, which takes milliseconds
 */
export async function corrections(
  word: string,
  vocabulary: Vocabulary,
  mostEdits: 1 | 2 = 2,
): Promise<Correction[]> {
  const alphabet = ALPHABETS.find((letters) => letters.includes(word[0] as string));
  if (!alphabet || word.length < MIN_LENGTH || word.length > MAX_LENGTH || !/^\p{L}+$/u.test(word)) return [];
  let edits = 1;
  let counted = await vocabulary.counted(
    (await vocabulary.known(oneEditFrom(word, alphabet))).slice(0, MAX_COUNTED),
  );
  if (counted.length === 0 && mostEdits === 2 && word.length >= TWO_EDITS_LENGTH) {
    edits = 2;
    // Its first letter is taken to be right then: mistyped, it seldom comes with another slip.
    const alike = await vocabulary.beginningWith(word[0] as string, MAX_COMPARED, {
      min: word.length - 2,
      max: word.length + 2,
    });
    const near = alike.filter((each) => distance(word, each) <= 2);
    counted = await vocabulary.counted(near.slice(0, MAX_COUNTED));
  }
  return counted
    .map((each) => ({ ...each, edits }))
    .sort((a, b) => likelihood(b, word) - likelihood(a, word))
    .slice(0, MAX_CORRECTIONS);
}

/** People seldom mistype the first letter, and mostly mean a word that is written often. */
function likelihood({ word: meant, docs, edits }: Correction, word: string): number {
  return Math.log(docs) - 3 * edits - (meant[0] === word[0] ? 0 : 3);
}

/** All words that differ in one letter, or in two that changed places. */
function oneEditFrom(word: string, alphabet: string): Set<string> {
  const words = new Set<string>();
  for (let at = 0; at <= word.length; at++) {
    const [head, tail] = [word.slice(0, at), word.slice(at)];
    if (tail.length > 0) words.add(head + tail.slice(1));
    if (tail.length > 1) words.add(head + tail[1] + tail[0] + tail.slice(2));
    for (const letter of alphabet) {
      words.add(head + letter + tail);
      if (tail.length > 0) words.add(head + letter + tail.slice(1));
    }
  }
  words.delete(word);
  return words;
}
