/** Goes through earlier queries, as shells do. */
export class QueryHistory {
  readonly #read: () => readonly string[];
  #entries: readonly string[] = [];
  /** Index of the recalled entry; the number of entries if none is. */
  #at = 0;
  /** The query typed before the first one was recalled. */
  #typed = "";
  #recalled: string | undefined;

  /** @param read returns the queries, oldest first */
  constructor(read: () => readonly string[]) {
    this.#read = read;
  }

  /** Whether a query is the one that was recalled, unchanged. */
  isRecalled(query: string): boolean {
    return query === this.#recalled;
  }

  /** The query before the current one; undefined if there is none. */
  older(query: string): string | undefined {
    if (!this.isRecalled(query) || this.#at >= this.#entries.length) {
      this.#entries = this.#read();
      this.#at = this.#entries.length;
      this.#typed = query;
    }
    return this.#go(-1, query);
  }

  /** The query after the recalled one, in the end what was typed; undefined if none was recalled. */
  newer(query: string): string | undefined {
    return this.isRecalled(query) ? this.#go(1, query) : undefined;
  }

  #go(by: 1 | -1, query: string): string | undefined {
    let at = this.#at + by;
    while (this.#entries[at] === query.trim() && at > 0) at += by;
    if (at < 0 || at > this.#entries.length || this.#entries[at] === query.trim()) return undefined;
    this.#at = at;
    this.#recalled = this.#entries[at] ?? this.#typed;
    return this.#recalled;
  }
}
