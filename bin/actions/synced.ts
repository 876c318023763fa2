/** Sync events between threads. */
import type { SyncProgress, SyncReport } from "../../library/index.ts";

/** How the index came up to the files: whether it did, and whether any session changed. */
export interface Synced extends Pick<SyncReport, "busy" | "behind"> {
  changed: boolean;
}

/** What the thread tells that brings it up to date. */
export type FromSync = { progress: SyncProgress } | { synced: Synced } | { notice: string };

export function syncedOf({ busy, behind, added, appended, reindexed, moved, forgotten }: SyncReport): Synced {
  return { busy, behind, changed: added + appended + reindexed + moved + forgotten > 0 };
}

/** Where the index is, for threads that open it. */
export interface IndexPlace {
  db: string | undefined;
  roots: string[] | undefined;
}
