/** Reads of usage. */
export type UsageReads = object;
