import { memoizeByObject } from "../../src/memoize.ts";
import { prepareQuery } from "../../src/store/words/prepare-text.ts";
import { IndexedText, type QueryPhrase, type TextRange } from "../../src/store/words/tokens.ts";
import type { Snippet } from "../answers.ts";
import type { SearchTerm } from "../compile-query.ts";
import { DEFAULT_SNIPPET_LENGTH } from "../snippet-length.ts";
import { expandToSnippet, snippetAround, toSnippetLine } from "./cut-around.ts";
import { graphemeEnd, graphemeStart } from "./graphemes.ts";
import { DEFAULT_TERM_WEIGHT } from "./term-weight.ts";
import { findBestWindow, type TermMatch } from "./window.ts";

/** Maximum length of text searched: half at its start and half at its end, as the index limits parts of entries, only less. */
const MAX_SEARCHED = 1 << 20;

/** Maximum number of matches per term, enough to choose a window. */
const MAX_FOUND = 20_000;

/** A snippet, and how many of the query's terms it contains. */
export interface FoundSnippet {
  snippet: Snippet;
  /** Number of distinct terms. */
  terms: number;
  /** Their weight. */
  weight: number;
}

/**
 * Returns the part of a text that best shows why it matched, on one line, with the matches that the index would find: whole
 * words, parts of identifiers, characters of a run. Undefined if the text contains none of the terms.
 */
export function findSnippet(
  text: string,
  terms: readonly SearchTerm[],
  length: number = DEFAULT_SNIPPET_LENGTH,
): FoundSnippet | undefined {
  const found = findTerms(text, terms);
  const weightOf = (term: number) => terms[term]?.weight ?? DEFAULT_TERM_WEIGHT;
  const window = findBestWindow(found, DEFAULT_SNIPPET_LENGTH, weightOf);
  if (!window) return undefined;
  const piece = expandToSnippet(text, window, length);
  const shown = found.filter(({ start, end }) => start >= piece.start && end <= piece.end);
  const distinct = new Set(shown.map(({ term }) => term));
  return {
    snippet: toSnippetLine(text, piece, marks(text, shown)),
    terms: distinct.size,
    weight: distinct.values().reduce((sum, term) => sum + weightOf(term), 0),
  };
}

/** Returns only the snippet. */
export function createSnippet(text: string, terms: readonly SearchTerm[]): Snippet | undefined {
  return findSnippet(text, terms)?.snippet;
}

/** Returns the beginning of a text, for hits that matched in a part that is not shown. */
export function createOpeningSnippet(text: string, length?: number): Snippet {
  return snippetAround(text, [], length);
}

/** Finds the terms in a text, in order; matches of different terms may overlap. */
function findTerms(text: string, terms: readonly SearchTerm[]): TermMatch[] {
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

function findAll(text: string, terms: readonly SearchTerm[]): TermMatch[] {
  const isThere = mayContain(text);
  let indexed: IndexedText | undefined;
  const found = terms.flatMap((term, number): TermMatch[] => {
    const { phrase, written, before } = prepareTerm(term);
    if (!phrase?.words.split(" ").every(isThere)) return [];
    indexed ??= new IndexedText(text);
    return indexed.find(phrase, MAX_FOUND).flatMap((find) => {
      const literal = isWrittenAt(text, find.start - before, written);
      // A phrase with much text between its words, or with many words, is highlighted word by word.
      const ranges =
        find.end - find.start > DEFAULT_SNIPPET_LENGTH ? (indexed?.wordRanges(find) ?? []) : [find];
      return ranges.map(({ start, end }) => ({ start, end, term: number, literal }));
    });
  });
  return found.sort((a, b) => a.start - b.start || b.end - a.end);
}

/**
 * Returns a fast test for words that a text cannot contain, which is the case for most parts of an entry. Only for ASCII: other
 * characters are folded, so that one word has several spellings.
 */
function mayContain(text: string): (word: string) => boolean {
  if (!isAscii(text)) return () => true;
  const lower = text.toLowerCase();
  return (word) => !isAscii(word) || lower.includes(word.toLowerCase());
}

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}

/** A term, prepared for searching. */
interface PreparedTerm {
  phrase: QueryPhrase | undefined;
  /** The term with its punctuation (`a.b()`, not `a b`), and the length of the punctuation before its first word. */
  written: string;
  before: number;
}

/** Cached because each term is searched in hundreds of texts. */
const prepareTerm = memoizeByObject((term: SearchTerm): PreparedTerm => {
  const phrase = prepareQuery(term.text);
  const written = term.text.trim().toLowerCase();
  return {
    phrase: phrase && { ...phrase, prefix: term.prefix || phrase.prefix },
    written,
    before: new IndexedText(written, "none").tokens()[0]?.start ?? 0,
  };
});

function isWrittenAt(text: string, at: number, written: string): boolean {
  return at >= 0 && text.slice(at, at + written.length).toLowerCase() === written;
}

/** Extends ranges to whole graphemes and merges overlaps. */
function marks(text: string, found: readonly TextRange[]): TextRange[] {
  const marks: TextRange[] = [];
  for (const find of found) {
    const mark = { start: graphemeStart(text, find.start), end: graphemeEnd(text, find.end) };
    const last = marks.at(-1);
    if (last && mark.start < last.end) last.end = Math.max(last.end, mark.end);
    else marks.push(mark);
  }
  return marks;
}
