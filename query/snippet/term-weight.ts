/** The weight of a term without one. */
export const DEFAULT_TERM_WEIGHT = toTermWeight(1, 3);

/**
 * The weight of a term in the choice of a snippet, an integer. Squared, so that a rare word counts more than the common words of a
 * phrase together: of a pasted error, the snippet shows its names rather than "is not a function".
 *
 * @param docs number of entries with it, of all `entries`
 */
export function toTermWeight(docs: number, entries: number): number {
  return Math.round(1000 * Math.log(1 + entries / Math.max(1, docs)) ** 2);
}
