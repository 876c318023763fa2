import type { Position } from "../../src/store/position.ts";
import type { SearchReads } from "../../src/store/search-reads.ts";
import { type TextExpression, toPhrase } from "../../src/store/text-expression.ts";

/** An indexed word, folded, and the number of entries that contain it, counted up to `MAX_COUNTED_ENTRIES`. */
export interface IndexedWord {
  word: string;
  docs: number;
}

/** Maximum count of entries per word. */
export const MAX_COUNTED_ENTRIES = 500;

/** The words that the full-text index contains or once contained, limited to words of letters only. */
export class Vocabulary {
  readonly #reads: SearchReads;
  readonly #end: Position;

  /** @param end later entries are not counted, because they are on no page of a search that has begun */
  constructor(reads: SearchReads, end: Position) {
    this.#reads = reads;
    this.#end = end;
  }

  /** Returns those of the words that are in the vocabulary. */
  filterKnown(words: Iterable<string>): Promise<string[]> {
    return this.#reads.words.filterKnown(words);
  }

  /** Returns at most `limit` words with a prefix, in alphabetical order, with a length within `letters`. */
  findByPrefix(prefix: string, limit: number, letters: { min: number; max: number }): Promise<string[]> {
    return this.#reads.words.findByPrefix(prefix, limit, letters);
  }

  /** Whether any entry contains a text. */
  async hasMatch(text: TextExpression): Promise<boolean> {
    return (await this.#reads.countEntries([text], 1, this.#end))[0] === 1;
  }

  /** Counts the entries that contain each word, and omits words without entries. Takes tens of microseconds per word. */
  async countEntries(words: readonly string[]): Promise<IndexedWord[]> {
    const phrases = words.map((word) => toPhrase(word, false));
    const counts = await this.#reads.countEntries(phrases, MAX_COUNTED_ENTRIES, this.#end);
    return words.map((word, n) => ({ word, docs: counts[n] ?? 0 })).filter(({ docs }) => docs > 0);
  }
}
