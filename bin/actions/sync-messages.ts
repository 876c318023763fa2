/** Messages of syncs that run in another thread. */
import type { SyncProgress, SyncReport } from "../../library/index.ts";

/** The result of a sync: whether it finished, and whether any session changed, also by another process. */
export interface SyncResult extends Pick<SyncReport, "busy" | "behind"> {
  changed: boolean;
}

/** A message from the thread that syncs. */
export type SyncMessage = { progress: SyncProgress } | { synced: SyncResult } | { notice: string };

export function toSyncResult(report: SyncReport): SyncResult {
  const { busy, behind, changedElsewhere = false } = report;
  return { busy, behind, changed: changedElsewhere || hasChanges(report) };
}

/** Whether the sync itself changed the index. */
export function hasChanges({ added, appended, reindexed, moved, forgotten }: SyncReport): boolean {
  return added + appended + reindexed + moved + forgotten > 0;
}
