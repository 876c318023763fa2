import { memoize } from "../../src/memoize.ts";

/**
 * Splits text into what readers perceive as characters: a letter with its accents, a flag, a family emoji. Created lazily:
 * that takes 10 ms.
 */
const segmenter = memoize(() => new Intl.Segmenter(undefined, { granularity: "grapheme" }));

/** Maximum distance to a grapheme boundary; longer graphemes are split. */
const MAX_GRAPHEME = 256;

/** The grapheme boundary at or before `at`. */
export function graphemeStart(text: string, at: number): number {
  const [start] = graphemeAround(text, at);
  return start;
}

/** The grapheme boundary at or after `at`. */
export function graphemeEnd(text: string, at: number): number {
  const [, end] = graphemeAround(text, at);
  return end;
}

/** Start and end of the grapheme that `at` splits; `at` twice if it is a boundary. */
function graphemeAround(text: string, at: number): [number, number] {
  if (at <= 0 || at >= text.length || isSafeBoundary(text, at)) return [at, at];
  let from = at - 1;
  while (from > 0 && from > at - MAX_GRAPHEME && !isSafeBoundary(text, from)) from--;
  if (isLow(text, from)) from++;
  let to = Math.min(text.length, at + MAX_GRAPHEME);
  if (isLow(text, to)) to--;
  const segment = segmenter()
    .segment(text.slice(from, to))
    .containing(at - from);
  if (!segment) return [at, at];
  const start = from + segment.index;
  return start === at ? [at, at] : [start, start + segment.segment.length];
}

/** Whether both neighbors never join with others, so that this is a boundary, except within CRLF. */
function isSafeBoundary(text: string, at: number): boolean {
  const [before, after] = [text.charCodeAt(at - 1), text.charCodeAt(at)];
  return neverJoins(before) && neverJoins(after) && !(after === LINE_FEED && before === CARRIAGE_RETURN);
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/**
 * Whether a character never joins with another such character: Latin, Greek, Cyrillic, Hebrew and Arabic letters,
 * punctuation, arrows, boxes and symbols, kana, Chinese, complete Korean syllables. Accents, jamo, joiners and flags are not
 * included.
 */
function neverJoins(code: number): boolean {
  if (code < 0x300) return true;
  return (
    (code >= 0x370 && code <= 0x482) ||
    (code >= 0x48a && code <= 0x58f) ||
    (code >= 0x5d0 && code <= 0x5ea) ||
    (code >= 0x620 && code <= 0x64a) ||
    (code >= 0x1e00 && code <= 0x1fff) ||
    (code >= 0x2010 && code <= 0x2027) ||
    (code >= 0x2030 && code <= 0x205e) ||
    (code >= 0x20a0 && code <= 0x20c0) ||
    (code >= 0x2190 && code <= 0x2bff) ||
    (code >= 0x3000 && code <= 0x3029) ||
    (code >= 0x3041 && code <= 0x3096) ||
    (code >= 0x30a1 && code <= 0x30fe) ||
    (code >= 0x3400 && code <= 0x9fff) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xff01 && code <= 0xff60)
  );
}

function isLow(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}
