import { ASCII_KINDS, dataEnd, nameSignsEnd, OTHER, PLUS, partEnd, SHARP, UPPER, WORD } from "./ascii.ts";
import { foreign, foreignWord, goesOn } from "./foreign.ts";
import { type Trace, Writer } from "./writer.ts";

/**
 * How text becomes the words of the full-text index. What is indexed and what is asked both go through
 * `prepare`, so that they meet; FTS5's `unicode61` tokenizer then only splits at what is no letter or digit, and
 * makes ASCII small.
 */

/** A run of letters and digits this long is data (a key, minified code), not a word. */
const MAX_WORD = 80;
/**
 * Characters that are words to FTS5 and that nothing in a text is spelled with: `fold` writes others for them. They
 * are of Latin-1, since a string of one byte a character is prepared and stored faster than one of two.
 */
export const PARTS_FOLLOW = "ª";
const PLUS_WORD = "º";
const SHARP_WORD = "¹";

/**
 * `prepareText`, with the parts of each distinct identifier, or of each time it stands there, or of none.
 * One pass that copies spans, since every byte that is indexed goes through.
 */
export function prepare(text: string, parts: "once" | "each" | "none", trace?: Trace): string {
  const { length } = text;
  const writer = new Writer(text, trace);
  const identifiers = parts === "none" ? undefined : new Identifiers(text, parts === "once");
  let noDataBefore = 0;
  let at = 0;
  while (at < length) {
    const code = text.charCodeAt(at);
    if (code >= 128) {
      at = foreign(text, at, writer);
      continue;
    }
    const kind = ASCII_KINDS[code] as number;
    if (kind === OTHER) {
      at++;
      continue;
    }
    if (at >= noDataBefore) {
      const { end, noneBefore } = dataEnd(text, at);
      noDataBefore = noneBefore;
      if (end > at) {
        writer.gap(at, end);
        at = end;
        continue;
      }
    }
    if (kind < WORD) {
      at++;
      continue;
    }
    let end = at + 1;
    let next = 0;
    let capitals = false;
    for (; end < length; end++) {
      next = text.charCodeAt(end);
      if (next >= 128) break;
      const kind = ASCII_KINDS[next] as number;
      if (kind < WORD) break;
      if (kind === UPPER) capitals = true;
    }
    if (next >= 128 && goesOn(text, end)) {
      at = foreignWord(text, at, writer);
      continue;
    }
    if (end - at > MAX_WORD) {
      writer.gap(at, end);
      at = end;
      continue;
    }
    if (capitals && partEnd(text, at, end) < end) identifiers?.add(at, end, end);
    if (next === PLUS || next === SHARP) {
      const signs = nameSignsEnd(text, at, end);
      if (signs > end) {
        writer.put(next === SHARP ? SHARP_WORD : PLUS_WORD, end, signs);
        writer.gap(signs, signs); // `C++20` is two words
        identifiers?.add(at, end, signs);
        end = signs;
      }
    }
    at = end;
  }
  const prepared = writer.done();
  return identifiers ? prepared + identifiers.words(prepared.length, trace) : prepared;
}

/** The identifiers of a text whose parts are words too. */
class Identifiers {
  readonly #text: string;
  readonly #once: boolean;
  readonly #seen = new Set<string>();
  readonly #places: number[] = [];

  constructor(text: string, once: boolean) {
    this.#text = text;
    this.#once = once;
  }

  /** An identifier and where it ends with its signs: with signs, its one part is what stands before them. */
  add(start: number, end: number, signs: number): void {
    if (this.#once) {
      const name = this.#text.slice(start, signs);
      if (this.#seen.has(name)) return;
      this.#seen.add(name);
    }
    this.#places.push(start, end, signs);
  }

  /** Their parts, to be written at `at`. */
  words(at: number, trace: Trace | undefined): string {
    const places = this.#places;
    let words = "";
    for (let n = 0; n < places.length; n += 3) {
      const [start, end, signs] = [places[n] as number, places[n + 1] as number, places[n + 2] as number];
      words += " ";
      trace?.({ at: at + words.length, length: 1, start, end: start });
      words += PARTS_FOLLOW;
      for (let from = start; from < end; ) {
        const to = signs > end ? end : partEnd(this.#text, from, end);
        trace?.({ at: at + words.length + 1, length: to - from, start: from, end: to });
        words += ` ${this.#text.slice(from, to)}`;
        from = to;
      }
    }
    return words;
  }
}
