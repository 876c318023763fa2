import { getCharacterKind, UNSPACED } from "./fold.ts";
import { MAX_NON_ASCII_WORD } from "./non-ascii.ts";
import { BOUNDARY_WORD, prepareSegments } from "./prepare.ts";
import { IndexedText, type QueryPhrase } from "./tokens.ts";

/**
 * Prepares text for FTS5:
 * - words keep their order, with accents folded (`fold.ts`);
 * - runs of Chinese, Japanese, Korean, Thai and similar scripts become overlapping pairs, so that a word of two or more
 *   characters is found exactly, and one character by prefix;
 * - each emoji is a word, and so are `C++` and `C#`;
 * - the parts of each distinct identifier, and the `C` of `C++`, are appended. Before each one is a word that no query
 *   contains, so that no phrase matches across the boundary;
 * - data longer than a word can be is removed.
 *
 * The middle of a text longer than `cap` is omitted. The cuts are between words, and no phrase matches across the gap.
 *
 * @example prepareText("a parseSession 数据库") // "a parseSession  数据 据库 库  ª parse Session"
 */
export function prepareText(text: string, cap?: IndexedLength): string {
  if (!cap || text.length <= cap.head + cap.tail) return prepareSegments(text, "once");
  const head = text.slice(0, headEnd(text, cap.head));
  const tail = text.slice(tailStart(text, text.length - cap.tail));
  return `${prepareSegments(head, "once")} ${BOUNDARY_WORD} ${prepareSegments(tail, "once")}`;
}

/** How much of the start and the end of a longer text is indexed, in UTF-16 units. */
export interface IndexedLength {
  head: number;
  tail: number;
}

/** How far a cut moves to avoid splitting a word, in UTF-16 units. */
const MAX_CUT_SHIFT = 80;

function headEnd(text: string, at: number): number {
  const space = text.slice(Math.max(0, at - MAX_CUT_SHIFT), at + 1).search(/\s\S*$/);
  return space === -1 ? at : Math.max(0, at - MAX_CUT_SHIFT) + space;
}

function tailStart(text: string, at: number): number {
  const space = text.slice(Math.max(0, at - 1), at + MAX_CUT_SHIFT).search(/\s/);
  return space === -1 ? at : Math.max(0, at - 1) + space;
}

/**
 * Converts text of a query to the words to look up: identifiers whole, a run of Chinese and similar scripts as pairs, a
 * single character of these as a prefix. Undefined if it contains no word.
 *
 * @example prepareQuery("src/readLines.ts") // { words: "src readlines ts", prefix: false }
 */
export function prepareQuery(text: string): QueryPhrase | undefined {
  const tokens = new IndexedText(text, "none").tokens();
  const last = tokens.at(-1);
  if (!last) return unfindable(text);
  // Drops the single last character of a run after its pairs: in the text, the run may continue.
  if (last.start < (tokens.at(-2)?.end ?? 0)) tokens.pop();
  const single = tokens.at(-1) === last && last.end === text.trimEnd().length && isDense(text, last.start);
  return { words: tokens.map(({ word }) => word).join(" "), prefix: single };
}

/** Data isn't indexed: a query that contains nothing else looks up a word longer than any in the index. */
function unfindable(text: string): QueryPhrase | undefined {
  if (!/[\p{L}\p{N}]/u.test(text)) return undefined;
  return { words: "x".repeat(MAX_NON_ASCII_WORD + 1), prefix: false };
}

function isDense(text: string, at: number): boolean {
  return text.charCodeAt(at) >= 128 && getCharacterKind(text, at) === UNSPACED;
}
