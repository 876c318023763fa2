import { isAlphanumeric } from "./ascii.ts";
import { getCharacterKind, SIGN } from "./fold.ts";
import { prepareSegments } from "./prepare.ts";
import type { Segment } from "./prepared-text-writer.ts";

/** A range of a text, in UTF-16 units. */
export interface TextRange {
  start: number;
  end: number;
}

/** A word as FTS5 stores it, and the range of the text that it comes from. */
export interface Token extends TextRange {
  word: string;
}

/** A phrase found in a text. */
export interface PhraseMatch extends TextRange {
  /** Its range in the prepared text. */
  at: number;
  to: number;
}

/** A word of a query as one or more consecutive words of the index. */
export interface QueryPhrase {
  /** In lower case, separated by one space, without characters that FTS5 would interpret. */
  words: string;
  /** Whether the last word is a prefix. */
  prefix: boolean;
}

/** Comparisons of words after which a search stops: a phrase of thousands of words in a text that repeats it. */
const MAX_STEPS = 2_000_000;

/** A text as it is indexed, with a mapping from the prepared text back to the original. */
export class IndexedText {
  readonly #prepared: string;
  /** Segments of the prepared text, in order. */
  readonly #pieces: Segment[] = [];

  /** @param parts as for `prepare`: "once" gives the tokens of the index, "each" finds every occurrence */
  constructor(text: string, parts: "once" | "each" | "none" = "each") {
    const prepared = prepareSegments(text, parts, (piece) => this.#pieces.push(piece));
    this.#prepared = prepared.toLowerCase(); // keeps the length: only ASCII capitals are left
  }

  /** Its words, in the order of FTS5's positions. */
  tokens(): Token[] {
    return this.#wordsWithin(0, this.#prepared.length);
  }

  /**
   * The occurrences of a phrase that FTS5 would match, in text order and without overlaps. Of a prefix match, the range of
   * the prefix.
   */
  find({ words, prefix }: QueryPhrase, limit: number): PhraseMatch[] {
    const prepared = this.#prepared;
    const phrase = words.split(" ");
    const [first = ""] = phrase;
    const matches: PhraseMatch[] = [];
    let steps = 0;
    let at = prepared.indexOf(first);
    while (at !== -1 && matches.length < limit && steps < MAX_STEPS) {
      let next = at + 1;
      if (this.#isWord(at - 1)) {
        while (this.#isWord(next)) next++;
      } else {
        const { end, compared } = this.#phraseEnd(at, phrase, prefix);
        steps += compared;
        if (end !== undefined) {
          matches.push({ ...this.#source(at, end), at, to: end });
          next = end;
        }
      }
      at = prepared.indexOf(first, next);
    }
    matches.sort((a, b) => a.start - b.start);
    let lastEnd = 0;
    return matches.filter(({ start, end }) => {
      if (start < lastEnd) return false;
      lastEnd = end;
      return true;
    });
  }

  /** The ranges of the words of a match. */
  wordRanges({ at, to }: PhraseMatch): TextRange[] {
    return this.#wordsWithin(at, to);
  }

  #phraseEnd(start: number, phrase: readonly string[], prefix: boolean): { end?: number; compared: number } {
    let end = start;
    for (const [n, word] of phrase.entries()) {
      if (n > 0) {
        while (end < this.#prepared.length && !this.#isWord(end)) end++;
        if (!this.#prepared.startsWith(word, end)) return { compared: n };
      }
      end += word.length;
      const mayGoOn = prefix && n === phrase.length - 1;
      if (!mayGoOn && this.#isWord(end)) return { compared: n + 1 };
    }
    return { end, compared: phrase.length };
  }

  /** Whether the character belongs to a word. */
  #isWord(at: number): boolean {
    if (at < 0 || at >= this.#prepared.length) return false;
    if (this.#prepared.charCodeAt(at) < 128) return isAlphanumeric(this.#prepared, at);
    return getCharacterKind(this.#prepared, at) !== SIGN;
  }

  /** The range of the text that a range of the prepared text comes from. */
  #source(at: number, end: number): TextRange {
    return { start: this.#sourceOf(at, at, "start"), end: this.#sourceOf(end, end - 1, "end") };
  }

  /** The position in the text of the start or end of a range; `of` is a character of the range, which determines the segment. */
  #sourceOf(at: number, of: number, border: "start" | "end"): number {
    let low = 0;
    let high = this.#pieces.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.#pieces[middle] as Segment).at <= of) low = middle;
      else high = middle;
    }
    const piece = this.#pieces[low] as Segment;
    const copied = piece.end - piece.start === piece.length;
    return copied ? piece.start + at - piece.at : piece[border];
  }

  #wordsWithin(from: number, to: number): Token[] {
    const tokens: Token[] = [];
    for (let at = from; at < to; at++) {
      if (!this.#isWord(at)) continue;
      let end = at + 1;
      while (end < to && this.#isWord(end)) end++;
      tokens.push({ word: this.#prepared.slice(at, end), ...this.#source(at, end) });
      at = end;
    }
    return tokens;
  }
}
