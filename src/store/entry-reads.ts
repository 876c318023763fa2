/** Reads of entry. */
export type EntryReads = object;
