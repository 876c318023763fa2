import type { IndexQueries } from "../query/query-index.ts";

/**
 * The sessions on a hub that you may see. Its methods are those of `Index` that need no session files, with the same options and results.
 * Paths begin with the name of the machine: `laptop:/home/ada/.pi/agent/sessions/…`. `allMessagesText` of a session throws `FILE_UNREADABLE`.
 *
 * All methods throw PidexError `HUB_UNAVAILABLE` if the hub cannot be reached, `NOT_SIGNED_IN` if it does not know the token,
 * `NOT_ALLOWED` if your role does not allow the query.
 */
export interface HubIndex extends IndexQueries, AsyncDisposable {
  /** The hub's address. */
  readonly url: string;
  /** Aborts all calls. The index cannot be used afterwards. */
  close(): Promise<void>;
}
