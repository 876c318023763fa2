/** Reads of search. */
export type SearchReads = object;
