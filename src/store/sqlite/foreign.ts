import { ASCII_KINDS, WORD } from "./ascii.ts";
import {
  CHANGING,
  DENSE,
  EMOJI,
  FLAG,
  foldAt,
  KINDS,
  kindOf,
  LETTER,
  MARK,
  privately,
  SIGN,
  unitsAt,
} from "./fold.ts";
import type { Piece, Writer } from "./writer.ts";

/** The longest word beyond ASCII, in UTF-16 units: in some scripts a sentence has no spaces. */
export const MAX_FOREIGN_WORD = 1000;

/** Whether an ASCII word continues at `at` with another character, as in `addCafé`. */
export function goesOn(text: string, at: number): boolean {
  if (at >= text.length || text.charCodeAt(at) < 128) return false;
  const kind = kindOf(text, at);
  return kind === LETTER || kind === CHANGING || kind === MARK;
}

/** Writes the word or character beyond ASCII that starts at `at`. @returns where it ends */
export function foreign(text: string, at: number, writer: Writer): number {
  const kind = KINDS[text.charCodeAt(at)] || kindOf(text, at);
  if (kind === SIGN) return at + 1;
  if (kind === LETTER || kind === CHANGING) return foreignWord(text, at, writer);
  if (kind === DENSE) return denseRun(text, at, writer);
  const end = at + unitsAt(text, at);
  const flagEnd = kind === FLAG && isKind(text, end, FLAG) ? end + 2 : end;
  if (kind === EMOJI || flagEnd > end) {
    const word = Array.from(text.slice(at, flagEnd), (half) => privately(half.codePointAt(0) as number)).join(
      "",
    );
    writer.gap(at, at);
    writer.put(`${word} `, at, flagEnd, [{ at: 0, length: word.length, start: at, end: flagEnd }]);
  } else writer.gap(at, flagEnd);
  return flagEnd;
}

/** Where the marks of the character before `from` end. */
function marksEnd(text: string, from: number): number {
  let at = from;
  while (isKind(text, at, MARK)) at += unitsAt(text, at);
  return at;
}

/** Writes a word that contains characters beyond ASCII. @returns where it ends */
export function foreignWord(text: string, start: number, writer: Writer): number {
  let end = start;
  let isUnchanged = true;
  while (end < text.length) {
    const code = text.charCodeAt(end);
    if (code < 128) {
      if ((ASCII_KINDS[code] as number) < WORD) break;
      end++;
      continue;
    }
    const kind = KINDS[code] || kindOf(text, end);
    if (kind !== LETTER) {
      if (kind !== CHANGING && kind !== MARK) break;
      isUnchanged = false;
    }
    end += unitsAt(text, end);
  }
  if (end - start > MAX_FOREIGN_WORD) writer.gap(start, end);
  else if (!isUnchanged) writeFolded(text, start, end, writer);
  return end;
}

function writeFolded(text: string, start: number, end: number, writer: Writer): void {
  for (let at = start; at < end; ) {
    const changing = text.charCodeAt(at) >= 128 && kindOf(text, at) === CHANGING;
    const alone = at + unitsAt(text, at);
    const next = marksEnd(text, alone);
    if (changing || next > alone) writer.put(foldAt(text, at, next), at, next);
    at = next;
  }
}

/** Writes a run of a script without spaces as overlapping pairs. @returns where it ends */
function denseRun(text: string, start: number, writer: Writer): number {
  const pieces: Piece[] | undefined = writer.traced ? [] : undefined;
  let words = " ";
  let before = "";
  let beforeStart = start;
  let at = start;
  while (isKind(text, at, DENSE)) {
    const end = syllableEnd(text, at);
    const now = foldAt(text, at, end);
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
const COENG = 0x17d2;
const VIRAMA = 0x1039;

function syllableEnd(text: string, at: number): number {
  let end = marksEnd(text, at + unitsAt(text, at));
  for (
    let last = text.charCodeAt(end - 1);
    last === COENG || last === VIRAMA;
    last = text.charCodeAt(end - 1)
  ) {
    if (!isKind(text, end, DENSE)) break;
    end = marksEnd(text, end + unitsAt(text, end));
  }
  return end;
}

function isKind(text: string, at: number, kind: number): boolean {
  const code = text.charCodeAt(at); // NaN after the end
  return code >= 128 && (KINDS[code] || kindOf(text, at)) === kind;
}
