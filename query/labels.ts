import type { Store } from "../src/store/store.ts";
import type { Label } from "./answers.ts";
import { toIsoTime } from "./iso-time.ts";

/** Current labels of one session or of all, newest first. */
export async function listLabels(store: Store, fileId?: number): Promise<Label[]> {
  const rows = await (await store.entries()).listLabels(fileId);
  return rows.map((row) => ({
    label: row.label,
    targetId: row.target_id,
    timestamp: toIsoTime(row.timestamp),
    sessionPath: row.path,
    sessionId: row.session_id,
    line: row.line ?? undefined,
  }));
}
