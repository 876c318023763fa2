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

/** In other writing a word may be a sentence. */
export const MAX_FOREIGN_WORD = 1000;

/** Whether a word goes on at `at` with what is not ASCII, as in `addCafé`. */
export function goesOn(text: string, at: number): boolean {
  if (at >= text.length || text.charCodeAt(at) < 128) return false;
  const kind = kindOf(text, at);
  return kind === LETTER || kind === CHANGING || kind === MARK;
}

/** Writes what starts at `at`, which is not ASCII, and tells where that ends. */
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

/** Where the marks end that belong to the character before `from`. */
function marksEnd(text: string, from: number): number {
  let at = from;
  while (isKind(text, at, MARK)) at += unitsAt(text, at);
  return at;
}

/** A word with anything in it that is not ASCII. */
export function foreignWord(text: string, start: number, writer: Writer): number {
  let end = start;
  let asItIs = true;
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
      asItIs = false;
    }
    end += unitsAt(text, end);
  }
  if (end - start > MAX_FOREIGN_WORD) writer.gap(start, end);
  else if (!asItIs) writeFolded(text, start, end, writer);
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

/** A run of a script without spaces, as overlapping pairs. */
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
  // The last one stands alone too: else nothing would start with it.
  pieces?.push({ at: words.length, length: before.length, start: beforeStart, end: at });
  writer.put(`${words}${before} `, start, at, pieces);
  return at;
}

/** Signs below a Khmer or Burmese letter that make the next letter part of its syllable. */
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
  const code = text.charCodeAt(at); // NaN behind the end
  return code >= 128 && (KINDS[code] || kindOf(text, at)) === kind;
}
