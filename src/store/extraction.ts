/**
 * Version of the extraction. Raise it when `indexer/extract.ts`, `prepare-text.ts` or anything they use (`events.ts`,
 * `hash.ts`, `usage-rollup.ts`, `run-paths.ts` and others) produces different rows for the same file. Every file is then
 * read again, and queries report the files that are still to be read.
 */
export const EXTRACTION = 13;

/** The extraction of a file with missing or unreliable rows: it is read again. */
export const UNFINISHED = 0;

/** The extraction of a file with all rows except some or all of its words: a large load continues there. */
export const WITHOUT_WORDS = -EXTRACTION;

/** Whether this version of pidex has started to index a file and has not finished. */
export function isUnfinished(extraction: number): boolean {
  return extraction === UNFINISHED || extraction === WITHOUT_WORDS;
}
