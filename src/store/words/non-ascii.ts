import { ASCII_KINDS, WORD } from "./ascii.ts";
import {
  CHARACTER_KINDS,
  characterLength,
  EMOJI,
  FLAG,
  FOLDED_LETTER,
  foldCharacterAt,
  getCharacterKind,
  LETTER,
  MARK,
  SIGN,
  toPrivateUse,
  UNSPACED,
} from "./fold.ts";
import type { PreparedTextWriter, Segment } from "./prepared-text-writer.ts";

/** The longest word beyond ASCII, in UTF-16 units: in some scripts a sentence has no spaces. */
export const MAX_NON_ASCII_WORD = 1000;

/** Whether an ASCII word continues at `at` with another character, as in `addCafé`. */
export function continuesWord(text: string, at: number): boolean {
  if (at >= text.length || text.charCodeAt(at) < 128) return false;
  const kind = getCharacterKind(text, at);
  return kind === LETTER || kind === FOLDED_LETTER || kind === MARK;
}

/** Writes the word or character beyond ASCII that starts at `at`. @returns where it ends */
export function writeNonAscii(text: string, at: number, writer: PreparedTextWriter): number {
  const kind = CHARACTER_KINDS[text.charCodeAt(at)] || getCharacterKind(text, at);
  if (kind === SIGN) return at + 1;
  if (kind === LETTER || kind === FOLDED_LETTER) return writeNonAsciiWord(text, at, writer);
  if (kind === UNSPACED) return denseRun(text, at, writer);
  const end = at + characterLength(text, at);
  const flagEnd = kind === FLAG && isKind(text, end, FLAG) ? end + 2 : end;
  if (kind === EMOJI || flagEnd > end) {
    const word = Array.from(text.slice(at, flagEnd), (half) =>
      toPrivateUse(half.codePointAt(0) as number),
    ).join("");
    writer.gap(at, at);
    writer.put(`${word} `, at, flagEnd, [{ at: 0, length: word.length, start: at, end: flagEnd }]);
  } else writer.gap(at, flagEnd);
  return flagEnd;
}

/** Where the marks of the character before `from` end. */
function marksEnd(text: string, from: number): number {
  let at = from;
  while (isKind(text, at, MARK)) at += characterLength(text, at);
  return at;
}

/** Writes a word that contains characters beyond ASCII. @returns where it ends */
export function writeNonAsciiWord(text: string, start: number, writer: PreparedTextWriter): number {
  let end = start;
  let isUnchanged = true;
  while (end < text.length) {
    const code = text.charCodeAt(end);
    if (code < 128) {
      if ((ASCII_KINDS[code] as number) < WORD) break;
      end++;
      continue;
    }
    const kind = CHARACTER_KINDS[code] || getCharacterKind(text, end);
    if (kind !== LETTER) {
      if (kind !== FOLDED_LETTER && kind !== MARK) break;
      isUnchanged = false;
    }
    end += characterLength(text, end);
  }
  if (end - start > MAX_NON_ASCII_WORD) writer.gap(start, end);
  else if (!isUnchanged) writeFolded(text, start, end, writer);
  return end;
}

function writeFolded(text: string, start: number, end: number, writer: PreparedTextWriter): void {
  for (let at = start; at < end; ) {
    const changing = text.charCodeAt(at) >= 128 && getCharacterKind(text, at) === FOLDED_LETTER;
    const alone = at + characterLength(text, at);
    const next = marksEnd(text, alone);
    if (changing || next > alone) writer.put(foldCharacterAt(text, at, next), at, next);
    at = next;
  }
}

/** Writes a run of a script without spaces as overlapping pairs. @returns where it ends */
function denseRun(text: string, start: number, writer: PreparedTextWriter): number {
  const pieces: Segment[] | undefined = writer.traced ? [] : undefined;
  let words = " ";
  let before = "";
  let beforeStart = start;
  let at = start;
  while (isKind(text, at, UNSPACED)) {
    const end = syllableEnd(text, at);
    const now = foldCharacterAt(text, at, end);
    if (before !== "") {
      pieces?.push({ at: words.length, length: before.length, start: beforeStart, end: at });
      pieces?.push({ at: words.length + before.length, length: now.length, start: at, end });
      words += `${before}${now} `;
    }
    before = now;
    beforeStart = at;
    at = end;
  }
  // The last character is also a word of its own, so that a prefix query finds it.
  pieces?.push({ at: words.length, length: before.length, start: beforeStart, end: at });
  writer.put(`${words}${before} `, start, at, pieces);
  return at;
}

/** Khmer and Burmese signs that make the next letter part of the syllable. */
const JOINING_SIGNS = [0x17d2, 0x1039];

function syllableEnd(text: string, at: number): number {
  let end = marksEnd(text, at + characterLength(text, at));
  while (JOINING_SIGNS.includes(text.charCodeAt(end - 1)) && isKind(text, end, UNSPACED)) {
    end = marksEnd(text, end + characterLength(text, end));
  }
  return end;
}

function isKind(text: string, at: number, kind: number): boolean {
  const code = text.charCodeAt(at); // NaN after the end
  return code >= 128 && (CHARACTER_KINDS[code] || getCharacterKind(text, at)) === kind;
}
