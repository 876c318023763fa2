import type { SyncReport } from "../../library/index.ts";
import { formatNumber } from "../format/numbers.ts";

const LABELS = {
  added: "added",
  appended: "appended",
  reindexed: "reindexed",
  moved: "moved",
  forgotten: "removed",
  faulty: "failed",
} as const;

/** The numbers of files that a sync changed, without zeros: `3 added, 1 removed`. */
export function formatChanges(report: Pick<SyncReport, keyof typeof LABELS>): string {
  return (Object.keys(LABELS) as (keyof typeof LABELS)[])
    .filter((change) => report[change] > 0)
    .map((change) => `${formatNumber(report[change])} ${LABELS[change]}`)
    .join(", ");
}
