import { IndexedText, type Range } from "../../src/database/tokens.ts";
import { prepareQuery } from "../../src/database/words.ts";
import type { Snippet } from "../answers.ts";
import type { Term } from "../match.ts";
import { graphemeEnd, graphemeStart } from "./graphemes.ts";
import { bestWindow, type Found } from "./window.ts";

/** How much text a snippet shows, in UTF-16 units, about. */
const WIDTH = 160;

/** The longest text a snippet is looked for in; the index itself holds less of any part. */
const MAX_SEARCHED = 1 << 20;

/** Finds of one term that are looked at: enough to choose a place. */
const MAX_FOUND = 20_000;

/**
 * The piece of a text that shows best why it matched, on one line, and where in it the words are that the index
 * has: whole ones, parts of identifiers, characters of a run. Undefined when none of the terms is there.
 */
export function snippet(text: string, terms: readonly Term[]): Snippet | undefined {
  const searched = text.slice(0, graphemeStart(text, MAX_SEARCHED));
  const found = findTerms(searched, terms);
  const window = bestWindow(found, WIDTH);
  return window && cutOut(searched, window, found);
}

/** The beginning of a text, for a hit whose words were in a part that is not shown. */
export function opening(text: string): Snippet {
  return cutOut(text.slice(0, graphemeStart(text, MAX_SEARCHED)), { start: 0, end: 0 }, []);
}

/** Where terms stand in a text, in order; those of different terms may overlap. */
export function findTerms(text: string, terms: readonly Term[]): Found[] {
  const indexed = new IndexedText(text);
  const found = terms.flatMap((term, number): Found[] => {
    const phrase = prepareQuery(term.text);
    if (!phrase) return [];
    const prefix = term.prefix || phrase.prefix;
    const isLiteral = literally(text, term.text);
    return indexed.find({ ...phrase, prefix }, MAX_FOUND).flatMap((find) => {
      const literal = isLiteral(find.start);
      // With much between its words, or many of them, a phrase is marked word by word.
      const ranges = find.end - find.start > WIDTH ? indexed.wordsOf(find) : [find];
      return ranges.map(({ start, end }) => ({ start, end, term: number, literal }));
    });
  });
  return found.sort((a, b) => a.start - b.start || b.end - a.end);
}

/** Tells whether a term that was found at a place stands there with its signs, too: `a.b()`, not `a b`. */
function literally(text: string, term: string): (start: number) => boolean {
  const written = term.trim().toLowerCase();
  const before = new IndexedText(written, "none").tokens()[0]?.start ?? 0;
  return (start) => {
    const from = start - before;
    return from >= 0 && text.slice(from, from + written.length).toLowerCase() === written;
  };
}

function cutOut(text: string, window: Range, found: readonly Range[]): Snippet {
  const room = Math.max(0, WIDTH - (window.end - window.start));
  const from = wordBorder(text, Math.max(0, window.start - Math.floor(room / 2)), window.start);
  const start = graphemeStart(text, from);
  const end = graphemeStart(text, Math.min(text.length, Math.max(window.end, start + WIDTH)));
  return onOneLine(text, start, end, marks(text, { start, end }, found));
}

/** The start of a word at or after `from`, but not after `limit`. */
function wordBorder(text: string, from: number, limit: number): number {
  if (from === 0) return 0;
  const space = text.slice(from, limit).search(/\s\S/);
  return space === -1 || space > 30 ? from : from + space + 1;
}

/** The finds within a window as whole graphemes; what overlaps is one. */
function marks(text: string, window: Range, found: readonly Range[]): Range[] {
  const marks: Range[] = [];
  for (const find of found) {
    if (find.start < window.start || find.end > window.end) continue;
    const mark = { start: graphemeStart(text, find.start), end: graphemeEnd(text, find.end) };
    const last = marks.at(-1);
    if (last && mark.start < last.end) last.end = Math.max(last.end, mark.end);
    else marks.push(mark);
  }
  return marks;
}

/** The text between two borders with each run of white space as one space, and the ranges moved along. */
function onOneLine(text: string, start: number, end: number, found: readonly Range[]): Snippet {
  let line = start > 0 ? "…" : "";
  const moved = new Map<number, number>();
  const borders = new Set(found.flatMap((range) => [range.start, range.end]));
  let space = false;
  for (let at = start; at <= end; at++) {
    const white = at < end && /\s/.test(text[at] as string);
    if (!white && space && at < end) {
      if (line !== "" && line !== "…") line += " ";
      space = false;
    }
    if (borders.has(at)) moved.set(at, line.length);
    if (white) space = true;
    else if (at < end) line += text[at];
  }
  const ranges = found.flatMap((range): [number, number][] => {
    const from = moved.get(range.start);
    const to = moved.get(range.end);
    return from === undefined || to === undefined || to <= from ? [] : [[from, to]];
  });
  return { text: end < text.length ? `${line}…` : line, ranges };
}
