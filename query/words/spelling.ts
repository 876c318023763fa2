import { distance } from "fastest-levenshtein";
import type { IndexedWord, Vocabulary } from "./vocabulary.ts";

/** Minimum length of a word that is corrected; shorter ones have too many neighbors. */
const MIN_LENGTH = 4;
/** Minimum length for corrections with two edits. */
const TWO_EDITS_LENGTH = 7;
/** Words up to this length have many neighbors with another first letter, which are other words: `fail` is not `tail`. */
const SHORT_LENGTH = 5;
/** Maximum length of a word that is corrected; longer ones are not typed by hand. */
const MAX_LENGTH = 32;
/** Maximum number of indexed words compared with one word. */
const MAX_COMPARED = 20_000;
const MAX_COUNTED = 40;
const MAX_CORRECTIONS = 3;

const ALPHABETS = [
  "abcdefghijklmnopqrstuvwxyz",
  "абвгдежзийклмнопрстуфхцчшщъыьэюяіїєґ",
  "αβγδεζηθικλμνξοπρστυφχψω",
];

/** A possible correction of a word. */
export interface Correction extends IndexedWord {
  /** Edit distance: 1 or 2. Two swapped letters count as one edit. */
  edits: number;
}

/**
 * Finds indexed words that a misspelled word may stand for, most likely first: with one letter missing, added, replaced or
 * swapped with its neighbor; if there are none, and the word is long enough, with two such edits.
 *
 * @param mostEdits 1 skips the second search, which takes milliseconds
 */
export async function findCorrections(
  word: string,
  vocabulary: Vocabulary,
  mostEdits: 1 | 2 = 2,
): Promise<Correction[]> {
  const alphabet = ALPHABETS.find((letters) => letters.includes(word[0] as string));
  if (!alphabet || word.length < MIN_LENGTH || word.length > MAX_LENGTH || !/^\p{L}+$/u.test(word)) return [];
  let edits = 1;
  let counted = await vocabulary.countEntries(
    (await vocabulary.filterKnown(oneEditFrom(word, alphabet))).slice(0, MAX_COUNTED),
  );
  if (counted.length === 0 && mostEdits === 2 && word.length >= TWO_EDITS_LENGTH) {
    edits = 2;
    // Assumes that the first letter is right: a wrong one rarely comes with another typo.
    const alike = await vocabulary.findByPrefix(word[0] as string, MAX_COMPARED, {
      min: word.length - 2,
      max: word.length + 2,
    });
    const near = alike.filter((each) => distance(word, each) <= 2);
    counted = await vocabulary.countEntries(near.slice(0, MAX_COUNTED));
  }
  return counted
    .filter((each) => word.length > SHORT_LENGTH || beginsAlike(each.word, word))
    .map((each) => ({ ...each, edits }))
    .sort((a, b) => likelihood(b, word) - likelihood(a, word))
    .slice(0, MAX_CORRECTIONS);
}

/** Whether words begin with the same letter, or with the same two in the other order. */
function beginsAlike(word: string, other: string): boolean {
  return word[0] === other[0] || (word[0] === other[1] && word[1] === other[0]);
}

/** The first letter is rarely mistyped, and frequent words are more likely meant. */
function likelihood({ word: meant, docs, edits }: Correction, word: string): number {
  return Math.log(docs) - 3 * edits - (meant[0] === word[0] ? 0 : 3);
}

/** All words within one edit, including swapped neighbors. */
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
