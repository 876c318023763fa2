/** Reads of the words that entries contain, as indexed. */
export interface WordReads {
  /** Those of these words that are in the vocabulary: words of letters only, which entries contain or once contained. */
  filterKnown(words: Iterable<string>): Promise<string[]>;
  /** At most `limit` words of the vocabulary with a prefix, in alphabetical order, with a length within `letters`. */
  findByPrefix(prefix: string, limit: number, letters: { min: number; max: number }): Promise<string[]>;
  /**
   * The most frequent words with each prefix, for prefixes of so many words that searching them all is slow. Others are omitted. It
   * may be some time ago that they were counted.
   */
  findFrequent(prefixes: ReadonlySet<string>, limit: number): Promise<Map<string, readonly string[]>>;
  /**
   * Words of letters to search for in place of a longer prefix, the shortest ones if there are more than `limit`. Empty if searching
   * the prefix is as fast.
   */
  findForTyping(prefix: string, limit: number): Promise<readonly string[]>;
}
