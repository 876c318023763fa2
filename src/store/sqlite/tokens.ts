import { isAlphanumeric } from "./ascii.ts";
import { kindOf, SIGN } from "./fold.ts";
import { prepare } from "./prepare.ts";
import type { Piece } from "./writer.ts";

/** A piece of a text, in UTF-16 units. */
export interface Range {
  start: number;
  end: number;
}

/** A word as FTS5 stores it, and the piece of the text it was made of. */
export interface Token extends Range {
  word: string;
}

/** A phrase found in a text. */
export interface Find extends Range {
  /** Where it is in prepared text. */
  at: number;
  to: number;
}

/** A word of a query as the index has it: the words it became, in a row, the last perhaps only a beginning. */
export interface QueryPhrase {
  /** Small, with one space between them, and nothing that FTS5 would have to be kept from. */
  words: string;
  prefix: boolean;
}

/** Words compared after which no more of a text is looked at: a phrase of thousands, in a text that repeats it. */
const MAX_STEPS = 2_000_000;

/** A text as the index has it, and the way back from there. */
export class IndexedText {
  readonly #prepared: string;
  /** Of prepared text, in order. */
  readonly #pieces: Piece[] = [];

  /** `parts`: as for `prepare`. With "once", its tokens are those of the index; with "each", every find is found. */
  constructor(text: string, parts: "once" | "each" | "none" = "each") {
    const prepared = prepare(text, parts, (piece) => this.#pieces.push(piece));
    this.#prepared = prepared.toLowerCase(); // as long as before: only ASCII has capitals still
  }

  /** Its words in the row in which FTS5 stores them. */
  tokens(): Token[] {
    return this.#wordsWithin(0, this.#prepared.length);
  }

  /**
   * Where a phrase stands as FTS5 finds it, in the order of the text and apart from each other; of a word that
   * only begins with what was asked for, the beginning.
   */
  find({ words, prefix }: QueryPhrase, limit: number): Find[] {
    const prepared = this.#prepared;
    const phrase = words.split(" ");
    const [first = ""] = phrase;
    const found: Find[] = [];
    let steps = 0;
    let at = prepared.indexOf(first);
    while (at !== -1 && found.length < limit && steps < MAX_STEPS) {
      let next = at + 1;
      if (this.#isWord(at - 1)) {
        while (this.#isWord(next)) next++;
      } else {
        const { end, compared } = this.#phraseEnd(at, phrase, prefix);
        steps += compared;
        if (end !== undefined) {
          found.push({ ...this.#source(at, end), at, to: end });
          next = end;
        }
      }
      at = prepared.indexOf(first, next);
    }
    found.sort((a, b) => a.start - b.start);
    let border = 0;
    return found.filter(({ start, end }) => {
      if (start < border) return false;
      border = end;
      return true;
    });
  }

  /** The words of a find, one by one. */
  wordsOf({ at, to }: Find): Range[] {
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

  /** Whether what stands there belongs to a word. */
  #isWord(at: number): boolean {
    if (at < 0 || at >= this.#prepared.length) return false;
    if (this.#prepared.charCodeAt(at) < 128) return isAlphanumeric(this.#prepared, at);
    return kindOf(this.#prepared, at) !== SIGN;
  }

  /** The piece of the text that stands behind a piece of prepared text. */
  #source(at: number, end: number): Range {
    return { start: this.#sourceOf(at, at, "start"), end: this.#sourceOf(end, end - 1, "end") };
  }

  /** Where in the text something starts or ends; `of` is a character of it, by which its piece is found. */
  #sourceOf(at: number, of: number, border: "start" | "end"): number {
    let low = 0;
    let high = this.#pieces.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.#pieces[middle] as Piece).at <= of) low = middle;
      else high = middle;
    }
    const piece = this.#pieces[low] as Piece;
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
