import { IndexedText, type QueryPhrase, type Range } from "../../src/store/sqlite/tokens.ts";
import { prepareQuery } from "../../src/store/sqlite/words.ts";
import type { Snippet } from "../answers.ts";
import type { Term } from "../match.ts";
import { cutAround, onOneLine, pieceAround, WIDTH } from "./cut-around.ts";
import { graphemeEnd, graphemeStart } from "./graphemes.ts";
import { bestWindow, type Found } from "./window.ts";

/**
 * How much of a text is looked at: half of it at its start and half at its end, as the index has the start and the
 * end of a part, and less of both.
 */
const MAX_SEARCHED = 1 << 20;

/** Finds of one term that are looked at: enough to choose a place. */
const MAX_FOUND = 20_000;

/** A snippet, and how much of the query stands in it. */
export interface FoundSnippet {
  snippet: Snippet;
  /** How many different terms. */
  terms: number;
}

/**
 * The piece of a text that shows best why it matched, on one line, and where in it the words are that the index
 * has: whole ones, parts of identifiers, characters of a run. Undefined when none of the terms is there.
 */
export function findSnippet(text: string, terms: readonly Term[]): FoundSnippet | undefined {
  const found = findTerms(text, terms);
  const window = bestWindow(found, WIDTH);
  if (!window) return undefined;
  const piece = pieceAround(text, window);
  const shown = found.filter(({ start, end }) => start >= piece.start && end <= piece.end);
  return {
    snippet: onOneLine(text, piece, marks(text, shown)),
    terms: new Set(shown.map(({ term }) => term)).size,
  };
}

/** The snippet alone. */
export function snippet(text: string, terms: readonly Term[]): Snippet | undefined {
  return findSnippet(text, terms)?.snippet;
}

/** The beginning of a text, for a hit whose words were in a part that is not shown. */
export function opening(text: string): Snippet {
  return cutAround(text, []);
}

/** Where terms stand in a text, in order; those of different terms may overlap. */
function findTerms(text: string, terms: readonly Term[]): Found[] {
  if (text.length <= MAX_SEARCHED) return findAll(text, terms);
  const headEnd = graphemeStart(text, MAX_SEARCHED / 2);
  const tailStart = graphemeEnd(text, text.length - MAX_SEARCHED / 2);
  const inTail = findAll(text.slice(tailStart), terms).map((find) => ({
    ...find,
    start: find.start + tailStart,
    end: find.end + tailStart,
  }));
  return [...findAll(text.slice(0, headEnd), terms), ...inTail];
}

function findAll(text: string, terms: readonly Term[]): Found[] {
  const isThere = mayHold(text);
  let indexed: IndexedText | undefined;
  const found = terms.flatMap((term, number): Found[] => {
    const { phrase, written, before } = soughtOf(term);
    if (!phrase?.words.split(" ").every(isThere)) return [];
    indexed ??= new IndexedText(text);
    return indexed.find(phrase, MAX_FOUND).flatMap((find) => {
      const literal = standsAt(text, find.start - before, written);
      // With much between its words, or many of them, a phrase is marked word by word.
      const ranges = find.end - find.start > WIDTH ? (indexed?.wordsOf(find) ?? []) : [find];
      return ranges.map(({ start, end }) => ({ start, end, term: number, literal }));
    });
  });
  return found.sort((a, b) => a.start - b.start || b.end - a.end);
}

/**
 * Tells of a word at once that a text has it nowhere, as most parts of an entry that was found have not. Only of ASCII:
 * other characters are folded, and one word may be written in several ways.
 */
function mayHold(text: string): (word: string) => boolean {
  if (!isAscii(text)) return () => true;
  const lower = text.toLowerCase();
  return (word) => !isAscii(word) || lower.includes(word.toLowerCase());
}

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}

/** How a term is looked for in a text. */
interface Sought {
  phrase: QueryPhrase | undefined;
  /** As it stands there with its signs, too (`a.b()`, not `a b`), and how many of those come before its first word. */
  written: string;
  before: number;
}

/** What was found out of terms: each is looked for in hundreds of texts. */
const known = new WeakMap<Term, Sought>();

function soughtOf(term: Term): Sought {
  const found = known.get(term);
  if (found) return found;
  const phrase = prepareQuery(term.text);
  const written = term.text.trim().toLowerCase();
  const sought: Sought = {
    phrase: phrase && { ...phrase, prefix: term.prefix || phrase.prefix },
    written,
    before: new IndexedText(written, "none").tokens()[0]?.start ?? 0,
  };
  known.set(term, sought);
  return sought;
}

function standsAt(text: string, at: number, written: string): boolean {
  return at >= 0 && text.slice(at, at + written.length).toLowerCase() === written;
}

/** Finds as whole graphemes; what overlaps is one. */
function marks(text: string, found: readonly Range[]): Range[] {
  const marks: Range[] = [];
  for (const find of found) {
    const mark = { start: graphemeStart(text, find.start), end: graphemeEnd(text, find.end) };
    const last = marks.at(-1);
    if (last && mark.start < last.end) last.end = Math.max(last.end, mark.end);
    else marks.push(mark);
  }
  return marks;
}
