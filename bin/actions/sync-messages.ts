/** Messages of syncs that run in another thread. */
import type { SyncProgress, SyncReport } from "../../library/index.ts";

/** The result of a sync: whether it finished, and whether any session changed. */
export interface SyncResult extends Pick<SyncReport, "busy" | "behind"> {
  changed: boolean;
}

/** A message from the thread that syncs. */
export type SyncMessage = { progress: SyncProgress } | { synced: SyncResult } | { notice: string };

export function toSyncResult(report: SyncReport): SyncResult {
  const { busy, behind, added, appended, reindexed, moved, forgotten } = report;
  return { busy, behind, changed: added + appended + reindexed + moved + forgotten > 0 };
}
