import {
  ASCII_KINDS,
  DOT,
  findDataEnd,
  findNameSuffixEnd,
  findPartEnd,
  findVersion,
  isLongName,
  OTHER,
  PLUS,
  SHARP,
  trimTrailingDigits,
  UPPER,
  WORD,
} from "./ascii.ts";
import { EMOJI, getCharacterKind } from "./fold.ts";
import { continuesWord, writeNonAscii, writeNonAsciiWord } from "./non-ascii.ts";
import { PreparedTextWriter, type Segment, type SegmentCallback } from "./prepared-text-writer.ts";

/**
 * Prepares text for the full-text index. Indexed text and queries both go through `prepare`, so that they match. FTS5's
 * `unicode61` tokenizer then only splits at characters other than letters and digits, and converts ASCII to lower case.
 */

/** A longer run of letters and digits is data (a key, minified code), unless it looks like a name. */
const MAX_WORD = 80;
/**
 * Words to FTS5 that cannot come from a text, because `fold` replaces these characters. They are in Latin-1, because V8
 * processes strings of one byte per character faster.
 */
export const BOUNDARY_WORD = "ª";
const PLUS_WORD = "º";
const SHARP_WORD = "¹";

/**
 * `prepareText` with the parts of each distinct identifier (`once`), of each occurrence (`each`), or without parts. One pass
 * that copies spans, because every indexed byte goes through it.
 */
export function prepareSegments(
  text: string,
  parts: "once" | "each" | "none",
  trace?: SegmentCallback,
): string {
  const { length } = text;
  const writer = new PreparedTextWriter(text, trace);
  const identifiers = parts === "none" ? undefined : new Identifiers(text, parts === "once");
  const emoji = parts === "none" ? undefined : new EmojiNeighbors(text, parts === "once");
  let noDataBefore = 0;
  let at = 0;
  while (at < length) {
    const code = text.charCodeAt(at);
    if (code >= 128) {
      const end = writeNonAscii(text, at, writer);
      if (emoji && isEmoji(text, at)) emoji.add(at, end);
      at = end;
      continue;
    }
    const kind = ASCII_KINDS[code] as number;
    if (kind === OTHER) {
      at++;
      continue;
    }
    if (at >= noDataBefore) {
      const { end, noneBefore } = findDataEnd(text, at);
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
    let hasCapitals = false;
    for (; end < length; end++) {
      next = text.charCodeAt(end);
      if (next >= 128) break;
      const kind = ASCII_KINDS[next] as number;
      if (kind < WORD) break;
      if (kind === UPPER) hasCapitals = true;
    }
    if (next >= 128 && continuesWord(text, end)) {
      at = writeNonAsciiWord(text, at, writer);
      continue;
    }
    if (end - at > MAX_WORD && !isLongName(text, at, end)) {
      writer.gap(at, end);
      at = end;
      continue;
    }
    if (hasCapitals && findPartEnd(text, at, end) < end) identifiers?.add(at, end, end);
    if (next === DOT && identifiers) {
      const version = findVersion(text, at, end);
      if (version) identifiers.add(version.start, version.end, version.end);
    }
    if (next === PLUS || next === SHARP) {
      const signs = findNameSuffixEnd(text, at, end);
      if (signs > end) {
        writer.put(next === SHARP ? SHARP_WORD : PLUS_WORD, end, signs);
        writer.gap(signs, signs); // `C++20` is two words
        identifiers?.add(at, end, signs);
        end = signs;
      }
    }
    at = end;
  }
  let prepared = writer.done();
  if (identifiers) prepared += identifiers.words(prepared.length, trace);
  if (emoji) prepared += emoji.words(prepared.length, trace);
  return prepared;
}

/** Collects identifiers and writes their parts as words. */
class Identifiers {
  readonly #text: string;
  readonly #once: boolean;
  readonly #seen = new Set<string>();
  readonly #places: number[] = [];

  constructor(text: string, once: boolean) {
    this.#text = text;
    this.#once = once;
  }

  /** Adds an identifier. If signs follow it, up to `signs`, the identifier without them is its only part. */
  add(start: number, end: number, signs: number): void {
    if (this.#once) {
      const name = this.#text.slice(start, signs);
      if (this.#seen.has(name)) return;
      this.#seen.add(name);
    }
    this.#places.push(start, end, signs);
  }

  /** The parts as words; `at` is where they will be in the prepared text. */
  words(at: number, trace: SegmentCallback | undefined): string {
    const places = this.#places;
    let words = "";
    for (let n = 0; n < places.length; n += 3) {
      const numbered: number[] = [];
      const [start, end, signs] = [places[n] as number, places[n + 1] as number, places[n + 2] as number];
      words += " ";
      trace?.({ at: at + words.length, length: 1, start, end: start });
      words += BOUNDARY_WORD;
      for (let from = start; from < end; ) {
        const to = signs > end ? end : findPartEnd(this.#text, from, end);
        trace?.({ at: at + words.length + 1, length: to - from, start: from, end: to });
        words += ` ${this.#text.slice(from, to)}`;
        const bare = trimTrailingDigits(this.#text, from, to);
        if (bare < to && signs === end) numbered.push(from, bare);
        from = to;
      }
      for (let i = 0; i < numbered.length; i += 2) {
        const [from, to] = [numbered[i] as number, numbered[i + 1] as number];
        const piece = ` ${BOUNDARY_WORD} ${this.#text.slice(from, to)}`;
        trace?.({ at: at + words.length + 1, length: 1, start: from, end: from });
        trace?.({
          at: at + words.length + piece.length - (to - from),
          length: to - from,
          start: from,
          end: to,
        });
        words += piece;
      }
    }
    return words;
  }
}

/**
 * Repeats the words around an emoji without the emoji, so that the phrase `"tests passed"` finds `tests ✅ passed`. After all
 * other words, because FTS5 has no optional positions.
 */
class EmojiNeighbors {
  readonly #text: string;
  readonly #once: boolean;
  readonly #seen = new Set<string>();
  /** Start and end of the words before the emoji, and of those after it. */
  readonly #places: [number, number, number, number][] = [];

  constructor(text: string, once: boolean) {
    this.#text = text;
    this.#once = once;
  }

  add(start: number, end: number): void {
    const before = WORDS_BEFORE.exec(this.#text.slice(Math.max(0, start - NEIGHBORS), start));
    const after = WORDS_AFTER.exec(this.#text.slice(end, end + NEIGHBORS));
    if (!before || !after) return;
    // A longer neighbor is cut by the slice: a part of a word is not a word.
    const isCut = before.index === 0 && start > NEIGHBORS;
    if (isCut || after[0].length === NEIGHBORS) return;
    const key = `${before[1]} ${after[1]}`;
    if (this.#once && (this.#seen.has(key) || !this.#seen.add(key))) return;
    const from = Math.max(0, start - NEIGHBORS) + before.index;
    const to = end + after[0].length;
    this.#places.push([from, from + (before[1] as string).length, to - (after[1] as string).length, to]);
  }

  /** The repeated words; `at` is where they will be in the prepared text. */
  words(at: number, trace: SegmentCallback | undefined): string {
    let words = "";
    for (const [from, to, next, end] of this.#places) {
      trace?.({ at: at + words.length + 1, length: 1, start: from, end: from });
      words += ` ${BOUNDARY_WORD}`;
      for (const [start, stop] of [
        [from, to],
        [next, end],
      ] as const) {
        const base = at + words.length + 1;
        const moved = (piece: Segment) =>
          trace?.({ ...piece, at: base + piece.at, start: start + piece.start, end: start + piece.end });
        words += ` ${prepareSegments(this.#text.slice(start, stop), "none", trace && moved)}`;
      }
    }
    return words;
  }
}

/** Characters on either side of an emoji that are searched for words. */
const NEIGHBORS = 48;
/** Other emoji and spaces between the words. */
const EMOJI_RUN = String.raw`(?:[ \t]|\u200d|\ufe0f|\p{Extended_Pictographic}|\p{Emoji_Modifier})*`;
const WORDS_BEFORE = new RegExp(String.raw`((?:[\w.'-]+[ \t]+)?[\w.'-]+)${EMOJI_RUN}$`, "u");
const WORDS_AFTER = new RegExp(String.raw`^${EMOJI_RUN}([\w.'-]+(?:[ \t]+[\w.'-]+)?)`, "u");

function isEmoji(text: string, at: number): boolean {
  return getCharacterKind(text, at) === EMOJI;
}
