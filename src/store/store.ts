import type { EntryReads } from "./entry-reads.ts";
import type { SearchReads } from "./search-reads.ts";
import type { SessionReads } from "./session-reads.ts";
import type { UsageReads } from "./usage-reads.ts";

/**
 * What queries read, whichever database keeps it. A store is the view of one reader, who may see some of its sessions: no read
 * returns anything of the others. Parts that not every command needs are loaded on first use.
 */
export interface Store {
  readonly sessions: SessionReads;
  entries(): Promise<EntryReads>;
  search(): Promise<SearchReads>;
  usage(): Promise<UsageReads>;
  /** Runs several reads that all see the same state. */
  snapshot<T>(queries: (store: Store) => Promise<T>): Promise<T>;
}
