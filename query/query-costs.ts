import { PidexError } from "../src/errors.ts";
import { prepareQuery } from "../src/store/sqlite/words.ts";
import { type QueryNode, queryTexts, queryValues } from "./query-tree.ts";

/** A beginning of one or two letters stands for thousands of words, each of which is looked up. */
const MOST_SHORT_PREFIXES = 4;
/** Alternatives are looked up one by one, however many entries have them. */
const MOST_ALTERNATIVES = 64;

/** All words together, those of phrases too: each is looked up, and a common one has tens of thousands of places. */
export const MOST_WORDS = 300;

/** Each value of a field is asked of each entry. */
const MOST_VALUES = 32;

/**
 * Refuses what would take seconds.
 *
 * @param conjuncts what the query wants, one by one
 * @throws PidexError `BAD_QUERY` that says what there is too much of
 */
export function refuseCostly(node: QueryNode, conjuncts: readonly QueryNode[]): void {
  const values = queryValues(node).length;
  if (values > MOST_VALUES) {
    const hint = `Give at most ${MOST_VALUES}.`;
    throw new PidexError("BAD_QUERY", `${values} values of fields are too many`, hint);
  }
  const texts = queryTexts(node, "with excluded");
  const words = texts.reduce((sum, { text }) => sum + wordCount(text), 0);
  if (words > MOST_WORDS) {
    const hint = `Give at most ${MOST_WORDS}, such as the part of a pasted text that is like no other.`;
    throw new PidexError("BAD_QUERY", `${words} words are too many`, hint);
  }
  const short = texts.filter(({ text, prefix }) => isShortPrefix(text, prefix));
  if (short.length > MOST_SHORT_PREFIXES) {
    const hint = `Give at most ${MOST_SHORT_PREFIXES}, or longer ones: conf* instead of c*`;
    throw new PidexError("BAD_QUERY", `${short.length} beginnings of one or two letters are too many`, hint);
  }
  const alternatives = conjuncts.filter(({ kind }) => kind === "or" || kind === "not");
  const count = alternatives.reduce((sum, each) => sum + queryTexts(each, "with excluded").length, 0);
  if (count > MOST_ALTERNATIVES) {
    const hint = `Give at most ${MOST_ALTERNATIVES} words with OR or a dash in front.`;
    throw new PidexError("BAD_QUERY", `${count} alternatives are too many`, hint);
  }
}

/** Words as the index has them: `src/a.ts` has three. */
export function wordCount(text: string): number {
  return prepareQuery(text)?.words.split(" ").length ?? 0;
}

function isShortPrefix(text: string, prefix: boolean): boolean {
  const phrase = prepareQuery(text);
  return (prefix || (phrase?.prefix ?? false)) && Array.from(text.trim()).length <= 2;
}
