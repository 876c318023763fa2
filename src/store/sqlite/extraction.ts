/**
 * Version of the extraction: what rows are made of. Raise it when `indexer/extract.ts`, `words.ts`, or anything they
 * stand on (`events.ts`, `hash.ts`, `usage-rollup.ts`, `run-paths.ts` among it) gives other rows for the same file; every file is then read again. Queries tell of files that still are to be.
 */
export const EXTRACTION = 8;

/** The extraction of a file whose rows are not all there, or are not to be trusted: it is read again. */
export const UNFINISHED = 0;

/** The extraction of a file that has all rows but its words, or some of those: a load goes on there. */
export const WORDLESS = -EXTRACTION;

/** Whether this version of pidex has begun to index a file and was interrupted, or is still at it. */
export function isUnfinished(extraction: number): boolean {
  return extraction === UNFINISHED || extraction === WORDLESS;
}
