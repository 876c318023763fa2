import { DENSE, kindOf } from "./fold.ts";
import { MAX_FOREIGN_WORD } from "./foreign.ts";
import { PARTS_FOLLOW, prepare } from "./prepare.ts";
import { IndexedText, type QueryPhrase } from "./tokens.ts";

/**
 * Text as the index takes it:
 * - words in their row, accents folded (`fold.ts`);
 * - runs of Chinese, Japanese, Korean, Thai and the like as overlapping pairs, so that a word of two or more
 *   characters is found exactly and one character by prefix;
 * - each emoji, and `C++` and `C#`, a word of its own;
 * - behind all that the parts of identifiers, each distinct identifier once, and the `C` of `C++`. Before each
 *   stands a word that no query has, so that no phrase runs across;
 * - no data that is longer than a word can be.
 *
 * Of a text longer than its cap the middle is left out: between words, and so that no phrase runs across the gap.
 *
 * @example prepareText("a parseSession 数据库") // "a parseSession  数据 据库 库  ª parse Session"
 */
export function prepareText(text: string, cap?: Cap): string {
  if (!cap || text.length <= cap.head + cap.tail) return prepare(text, "once");
  const head = text.slice(0, headEnd(text, cap.head));
  const tail = text.slice(tailStart(text, text.length - cap.tail));
  return `${prepare(head, "once")} ${PARTS_FOLLOW} ${prepare(tail, "once")}`;
}

/** The longest part of a text that is indexed: of anything longer, its head and its tail, in UTF-16 units. */
export interface Cap {
  head: number;
  tail: number;
}

/** How far a cut moves so as not to go through a word: what is longer is none. */
const LONGEST_CUT = 80;

function headEnd(text: string, at: number): number {
  const space = text.slice(Math.max(0, at - LONGEST_CUT), at + 1).search(/\s\S*$/);
  return space === -1 ? at : Math.max(0, at - LONGEST_CUT) + space;
}

function tailStart(text: string, at: number): number {
  const space = text.slice(Math.max(0, at - 1), at + LONGEST_CUT).search(/\s/);
  return space === -1 ? at : Math.max(0, at - 1) + space;
}

/**
 * What a query asks for: its words in the row they have in the index, identifiers whole, a run of Chinese and
 * the like by its pairs, a single such character by what begins with it. Undefined when there is no word in it.
 *
 * @example prepareQuery("src/readLines.ts") // { words: "src readlines ts", prefix: false }
 */
export function prepareQuery(text: string): QueryPhrase | undefined {
  const tokens = new IndexedText(text, "none").tokens();
  const last = tokens.at(-1);
  if (!last) return unfindable(text);
  // The last character of a run stands alone behind its pairs; what is asked for may go on there.
  if (last.start < (tokens.at(-2)?.end ?? 0)) tokens.pop();
  const single = tokens.at(-1) === last && last.end === text.trimEnd().length && isDense(text, last.start);
  return { words: tokens.map(({ word }) => word).join(" "), prefix: single };
}

/** Data are no words of the index; who asks for them alone gets a word longer than any there. */
function unfindable(text: string): QueryPhrase | undefined {
  if (!/[\p{L}\p{N}]/u.test(text)) return undefined;
  return { words: "x".repeat(MAX_FOREIGN_WORD + 1), prefix: false };
}

function isDense(text: string, at: number): boolean {
  return text.charCodeAt(at) >= 128 && kindOf(text, at) === DENSE;
}
