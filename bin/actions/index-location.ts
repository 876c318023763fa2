import { type HubIndex, type Index, type IndexQueries, PidexError } from "../../library/index.ts";

/** Where the index and its sessions are, for threads that open it. Undefined means the default. */
export interface IndexLocation {
  db: string | undefined;
  roots: string[] | undefined;
}

/** How to sign in to a hub. */
export interface HubLocation {
  url: string;
  token: string;
  /** The name of this machine there. */
  machine?: string;
  person?: string;
}

/** An open index, or a hub. */
export type AnyIndex = Index | HubIndex;

export function isLocalIndex(index: IndexQueries): index is Index {
  return "sync" in index;
}

/**
 * The local index, for what reads or writes session files.
 *
 * @throws PidexError `BAD_OPTION` for a hub
 */
export function requireLocalIndex(index: IndexQueries, what: string): Index {
  if (isLocalIndex(index)) return index;
  throw notOnHub(what);
}

/** The error for what needs session files. */
export function notOnHub(what: string): PidexError {
  const hint = "Run pidex pull for copies of your sessions on other machines, and retry without --hub.";
  return new PidexError("BAD_OPTION", `${what} needs session files, which a hub does not have`, hint);
}
