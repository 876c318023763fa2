import { type Phrase, phrasesOf, type TextExpression } from "../text-expression.ts";
import type { Dictionary } from "./dictionary.ts";
import { PARTS } from "./postings.ts";
import { countIn, findPhrase, type TextMatch } from "./text-match.ts";

/** Weights by part of an entry: messages count more than thinking, calls and output. */
const WEIGHTS: Record<(typeof PARTS)[number], number> = { output: 1, called: 2, thought: 1.5, said: 4 };
/** The usual parameters: how fast further occurrences of a word count less, and how much less long entries count. */
const K1 = 1.2;
const B = 0.75;
/** Number of words of an average entry. */
const AVERAGE_WORDS = 150;
/** The weight of a word that half of all entries contain. */
const MIN_IDF = 1e-6;

/** Scores entries by the phrases of some texts, by BM25. */
export class Scorer {
  readonly #phrases: { phrase: Phrase; idf: number }[];
  readonly #dictionary: Dictionary;

  /** @param entries number of all entries */
  constructor(texts: readonly TextExpression[], dictionary: Dictionary, entries: number) {
    this.#dictionary = dictionary;
    this.#phrases = texts.flatMap(phrasesOf).map((phrase) => {
      const words = dictionary.wordsOf(phrase);
      const counts = words.map((all) => all.reduce((sum, word) => sum + dictionary.frequency(word), 0));
      const found = Math.min(...counts);
      return { phrase, idf: Math.max(Math.log((entries - found + 0.5) / (found + 0.5)), MIN_IDF) };
    });
  }

  /** @param words number of words of the entry */
  score(entry: TextMatch, words: number): number {
    let score = 0;
    for (const { phrase, idf } of this.#phrases) {
      const frequency = this.#frequency(phrase, entry);
      score += (idf * frequency * (K1 + 1)) / (frequency + K1 * (1 - B + (B * words) / AVERAGE_WORDS));
    }
    return score;
  }

  /** How often an entry contains a phrase, weighted by part. */
  #frequency(phrase: Phrase, entry: TextMatch): number {
    const isOrdered = phrase.words.includes(" ");
    const [alternatives = []] = isOrdered ? [] : this.#dictionary.wordsOf(phrase);
    return PARTS.reduce((sum, name, part) => {
      const count = isOrdered
        ? findPhrase(phrase, entry, part, this.#dictionary).length
        : alternatives.reduce((total, word) => total + countIn(entry, word, part), 0);
      return sum + WEIGHTS[name] * count;
    }, 0);
  }
}
