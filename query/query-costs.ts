import { PidexError } from "../src/errors.ts";
import { prepareQuery } from "../src/store/words/prepare-text.ts";
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
  const texts = extractTexts(node, "with excluded");
  const alternatives = conjuncts.filter(({ kind }) => kind === "or" || kind === "not");
  const costs: [count: number, max: number, what: string, hint: string][] = [
    [extractFieldValues(node).length, MAX_VALUES, "field values", "Remove some of them."],
    [
      texts.reduce((sum, { text }) => sum + countWords(text), 0),
      MAX_QUERY_WORDS,
      "words",
      `Use at most ${MAX_QUERY_WORDS}, such as the distinctive part of a pasted text.`,
    ],
    [
      texts.filter(({ text, prefix }) => isShortPrefix(text, prefix)).length,
      MAX_SHORT_PREFIXES,
      "prefixes of one or two letters",
      `Use at most ${MAX_SHORT_PREFIXES}, or longer ones: conf* instead of c*`,
    ],
    [
      alternatives.reduce((sum, each) => sum + extractTexts(each, "with excluded").length, 0),
      MAX_ALTERNATIVES,
      "alternatives",
      `Use at most ${MAX_ALTERNATIVES} words with OR or a dash.`,
    ],
  ];
  for (const [count, max, what, hint] of costs) {
    if (count <= max) continue;
    throw new PidexError(
      "BAD_QUERY",
      `the query has ${count} ${what}, more than the maximum of ${max}`,
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
