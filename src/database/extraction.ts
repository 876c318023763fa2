/**
 * Version of the extraction: what rows are made of. Raise it when `indexer/extract.ts`, `words.ts`, or anything they
 * stand on (`events.ts`, `hash.ts`, `ledger-sums.ts`, `run-paths.ts` among it) gives other rows for the same file; every file is then read again. Queries tell of files that still are to be.
 */
export const EXTRACTION = 6;
