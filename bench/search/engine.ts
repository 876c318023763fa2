/** An entry: the id of its session, and its line number in the file. */
export interface EntryLocation {
  session: string;
  line: number;
}

/** A search to evaluate. Results are sorted by rank. */
export interface Engine {
  /** Ids of the matching sessions. */
  sessions(query: string, limit: number): Promise<string[]>;
  /** Matching entries of all sessions. */
  entries(query: string, limit: number): Promise<EntryLocation[]>;
}
