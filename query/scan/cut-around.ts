import type { Snippet } from "../answers.ts";
import { graphemeEnd, graphemeStart } from "../snippet/graphemes.ts";
import type { Range } from "./pattern.ts";

/** How much text a snippet shows, in UTF-16 units, about. */
const WIDTH = 160;

/** What is shown before a match that fills the line by itself. */
const LEAD = 20;

/**
 * The piece of a text around its first range, on one line, with the ranges that lie in it. A match that is longer
 * than the snippet is shown by its beginning.
 */
export function cutAround(text: string, ranges: readonly Range[]): Snippet {
  const [start, end] = ranges[0] ?? [0, 0];
  const room = Math.max(2 * LEAD, WIDTH - (end - start));
  const from = graphemeStart(text, Math.max(0, start - Math.floor(room / 2)));
  const to = graphemeEnd(text, Math.min(text.length, Math.max(from + WIDTH, start + 1)));
  return onOneLine(text, from, to, ranges);
}

/** Each run of white space as one space, and the ranges moved along. */
function onOneLine(text: string, from: number, to: number, ranges: readonly Range[]): Snippet {
  const inside = ranges.filter(([start, end]) => start < to && end > from);
  const firstMatch = inside[0]?.[0] ?? to;
  let line = from > 0 ? "…" : "";
  /** Where each place of the text came to stand: as the start of a range, and as the end of one. */
  const starts: number[] = [];
  const ends: number[] = [];
  let inSpace = true; // what is cut at white space starts without any, unless that is what matched
  for (let at = from; at < to; at++) {
    const white = isWhite(text, at);
    const shown = !white || !inSpace || (at === firstMatch && !line.endsWith(" "));
    if (shown) line += white ? " " : text[at];
    starts.push(line === "" ? 0 : line.length - 1);
    ends.push(line.length);
    inSpace = white;
  }
  return {
    text: to < text.length ? `${line}…` : line,
    ranges: inside.map(([start, end]): Range => {
      const [first, last] = [Math.max(start, from), Math.min(end, to) - 1];
      return [starts[first - from] as number, ends[last - from] as number];
    }),
  };
}

function isWhite(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code < 128) return code === 32 || (code >= 9 && code <= 13);
  return /\s/.test(text[at] as string);
}
