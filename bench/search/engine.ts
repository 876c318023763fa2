/** Where something was found: the session by its id, and the line of the entry in its file. */
export interface Place {
  session: string;
  line: number;
}

/** A search that is evaluated. Both lists are best first. */
export interface Engine {
  /** The ids of the sessions found. */
  sessions(ask: string, limit: number): Promise<string[]>;
  /** The entries found, of whatever session. */
  entries(ask: string, limit: number): Promise<Place[]>;
}
