/** The reason that a session folder is skipped, for doctor and the health page. */
import type { Diagnosis } from "../../library/index.ts";

export function formatSkipReason({ why, detail }: Diagnosis["skippedFolders"][number]): string {
  const reasons: Record<typeof why, string> = {
    unreadable: `unreadable: ${detail ?? "no permission"}`,
    "not a folder": "not a folder",
    "same folder": `the same folder as ${detail}`,
    excluded: `excluded by ${detail}`,
  };
  return reasons[why];
}
