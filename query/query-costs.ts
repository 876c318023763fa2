import { PidexError } from "../src/errors.ts";
import { prepareQuery } from "../src/store/sqlite/prepare-text.ts";
import { extractFieldValues, extractTexts, type QueryNode } from "./query-tree.ts";

/** Maximum number of one- or two-letter prefixes: each expands to thousands of words. */
const MAX_SHORT_PREFIXES = 4;
/** Maximum number of alternatives: each is looked up, however many entries match. */
const MAX_ALTERNATIVES = 64;

/** Maximum number of words, including those of phrases: each is looked up, and a common one has tens of thousands of entries. */
export const MAX_QUERY_WORDS = 300;

/** Maximum number of field values: each is tested on every entry. */
const MAX_VALUES = 32;

/**
 * Rejects queries that would take seconds.
 *
 * @param conjuncts the operands of the query's top-level AND
 * @throws PidexError `BAD_QUERY` that names the exceeded limit
 */
export function rejectCostlyQuery(node: QueryNode, conjuncts: readonly QueryNode[]): void {
  const values = extractFieldValues(node).length;
  if (values > MAX_VALUES) {
    const hint = "Remove some of them.";
    throw new PidexError(
      "BAD_QUERY",
      `the query has ${values} field values, more than the maximum of ${MAX_VALUES}`,
      hint,
    );
  }
  const texts = extractTexts(node, "with excluded");
  const words = texts.reduce((sum, { text }) => sum + countWords(text), 0);
  if (words > MAX_QUERY_WORDS) {
    const hint = `Use at most ${MAX_QUERY_WORDS}, such as the distinctive part of a pasted text.`;
    throw new PidexError(
      "BAD_QUERY",
      `the query has ${words} words, more than the maximum of ${MAX_QUERY_WORDS}`,
      hint,
    );
  }
  const short = texts.filter(({ text, prefix }) => isShortPrefix(text, prefix));
  if (short.length > MAX_SHORT_PREFIXES) {
    const hint = `Use at most ${MAX_SHORT_PREFIXES}, or longer ones: conf* instead of c*`;
    throw new PidexError(
      "BAD_QUERY",
      `the query has ${short.length} prefixes of one or two letters, more than the maximum of ${MAX_SHORT_PREFIXES}`,
      hint,
    );
  }
  const alternatives = conjuncts.filter(({ kind }) => kind === "or" || kind === "not");
  const count = alternatives.reduce((sum, each) => sum + extractTexts(each, "with excluded").length, 0);
  if (count > MAX_ALTERNATIVES) {
    const hint = `Use at most ${MAX_ALTERNATIVES} words with OR or a dash.`;
    throw new PidexError(
      "BAD_QUERY",
      `the query has ${count} alternatives, more than the maximum of ${MAX_ALTERNATIVES}`,
      hint,
    );
  }
}

/** Number of words as the index tokenizes them: `src/a.ts` has three. */
export function countWords(text: string): number {
  return prepareQuery(text)?.words.split(" ").length ?? 0;
}

function isShortPrefix(text: string, prefix: boolean): boolean {
  const phrase = prepareQuery(text);
  return (prefix || (phrase?.prefix ?? false)) && Array.from(text.trim()).length <= 2;
}
