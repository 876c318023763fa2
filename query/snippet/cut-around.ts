import type { TextRange } from "../../src/store/words/tokens.ts";
import type { Snippet } from "../answers.ts";
import { DEFAULT_SNIPPET_LENGTH } from "../snippet-length.ts";
import { graphemeEnd, graphemeStart } from "./graphemes.ts";

/** Minimum context before a match that fills the snippet. */
const LEAD = 20;

/**
 * Returns the part of a text around the first range, on one line, with all ranges in it highlighted. A range longer than a
 * snippet is cut at its end. Ranges must be sorted and must not overlap.
 */
export function snippetAround(
  text: string,
  ranges: readonly TextRange[],
  length: number = DEFAULT_SNIPPET_LENGTH,
): Snippet {
  const { start, end } = ranges[0] ?? { start: 0, end: 0 };
  const window = { start, end: Math.min(end, start + DEFAULT_SNIPPET_LENGTH) };
  return toSnippetLine(text, expandToSnippet(text, window, length), ranges);
}

/**
 * Extends a window to the length of a snippet. Starts at a word, if one is near, and never splits a grapheme. A longer snippet
 * starts where the shortest does, so that a narrow window that cuts its end shows the match, too.
 */
export function expandToSnippet(
  text: string,
  window: TextRange,
  length: number = DEFAULT_SNIPPET_LENGTH,
): TextRange {
  const room = Math.max(2 * LEAD, DEFAULT_SNIPPET_LENGTH - (window.end - window.start));
  const from = Math.max(0, window.start - Math.floor(room / 2));
  const start = graphemeStart(text, wordBorder(text, from, window.start));
  const end = graphemeEnd(text, Math.min(text.length, Math.max(window.end, start + length)));
  return { start, end };
}

/** The start of a word at or after `from`, but not after `limit`. */
function wordBorder(text: string, from: number, limit: number): number {
  if (from === 0) return 0;
  const space = text.slice(from, limit).search(/\s\S/);
  return space === -1 || space > 30 ? from : from + space + 1;
}

/**
 * Returns a part of a text with white space collapsed to single spaces and the ranges adjusted. White space at the ends is
 * removed unless it is in a range. If two ranges share a space, it belongs to the first.
 */
export function toSnippetLine(text: string, piece: TextRange, ranges: readonly TextRange[]): Snippet {
  const inside = ranges
    .map(({ start, end }) => ({ start: Math.max(start, piece.start), end: Math.min(end, piece.end) }))
    .filter(({ start, end }) => start < end);
  const marks: [number, number][] = [];
  const cut = piece.start > 0 ? "…" : "";
  let line = cut;
  let next = 0; // index of the range that `at` is in or before
  let from = 0; // its start in the line
  let space = false; // whether white space is pending
  for (let at = piece.start; at < piece.end; at++) {
    const range = inside[next];
    const isFound = range !== undefined && at >= range.start;
    const white = isWhite(text, at);
    if (white && !isFound) {
      space = true;
      continue;
    }
    const wantsSpace = white || (space && line !== cut);
    if (wantsSpace && !line.endsWith(" ")) line += " ";
    space = false;
    if (at === range?.start) from = white ? line.length - 1 : line.length;
    if (!white) {
      const end = runEnd(text, at, isFound ? range.end : Math.min(range?.start ?? piece.end, piece.end));
      line += text.slice(at, end);
      at = end - 1;
    }
    if (!isFound || at !== range.end - 1) continue;
    from = Math.max(from, marks.at(-1)?.[1] ?? 0);
    if (from < line.length) marks.push([from, line.length]);
    next++;
  }
  return { text: piece.end < text.length ? `${line}…` : line, ranges: marks };
}

/** The offset of the next white space after `at`, or `border`. */
function runEnd(text: string, at: number, border: number): number {
  let end = at + 1;
  while (end < border && !isWhite(text, end)) end++;
  return end;
}

function isWhite(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code < 128) return code === 32 || (code >= 9 && code <= 13);
  return /\s/.test(text[at] as string);
}
