import { once } from "../../src/once.ts";

/** What a reader takes for one character: a letter with its accents, a flag, a family of emoji. Made by who needs it: that takes 10 ms. */
const segmenter = once(() => new Intl.Segmenter(undefined, { granularity: "grapheme" }));

/** How far from a place its grapheme is looked for. What is longer than this on one side is cut. */
const MAX_GRAPHEME = 256;

/** The border of a grapheme at `at`, or the nearest before it. */
export function graphemeStart(text: string, at: number): number {
  const [start] = graphemeAround(text, at);
  return start;
}

/** The border of a grapheme at `at`, or the nearest behind it. */
export function graphemeEnd(text: string, at: number): number {
  const [, end] = graphemeAround(text, at);
  return end;
}

/** Where the grapheme starts and ends that `at` cuts in two; `at` twice when it cuts none. */
function graphemeAround(text: string, at: number): [number, number] {
  if (at <= 0 || at >= text.length || isSureBorder(text, at)) return [at, at];
  let from = at - 1;
  while (from > 0 && from > at - MAX_GRAPHEME && !isSureBorder(text, from)) from--;
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

/** Between two characters that stand alone is a border, but within a line's end. */
function isSureBorder(text: string, at: number): boolean {
  return standsAlone(text.charCodeAt(at - 1)) && standsAlone(text.charCodeAt(at)) && text[at] !== "\n";
}

/** ASCII, ideographs and kana: nothing of them joins another. Of these most texts are, and asking `Intl` takes long. */
function standsAlone(code: number): boolean {
  if (code < 128) return true;
  return (
    (code >= 0x4e00 && code <= 0x9fff) ||
    (code >= 0x3041 && code <= 0x3096) ||
    (code >= 0x30a1 && code <= 0x30fa)
  );
}

function isLow(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}
