import type { LabelEntry, SessionEntry } from "../session-types.ts";
import { newEntryId } from "./ids.ts";
import type { CurrentLabel } from "./session-store.ts";

/**
 * The entries of a new session that contains one branch of another, by pi's rules: the path without label entries, with parents
 * adjusted, followed by the current labels of its entries with their original times.
 *
 * @param path from the root to the new leaf
 * @param labels of the whole session, by target
 */
export function extractBranch(
  path: readonly SessionEntry[],
  labels: ReadonlyMap<string, CurrentLabel>,
): SessionEntry[] {
  const kept: SessionEntry[] = [];
  const replacements = new Map<string, string>(); // by label entry, the next entry that is kept
  let skippedLabels: string[] = [];
  let parentId: string | null = null;
  for (const entry of path) {
    if (entry.type === "label") {
      skippedLabels.push(entry.id);
      continue;
    }
    for (const label of skippedLabels) replacements.set(label, entry.id);
    skippedLabels = [];
    const copy = { ...entry, parentId };
    if (copy.type === "compaction" && copy.firstKeptEntryId !== copy.id) {
      copy.firstKeptEntryId = replacements.get(copy.firstKeptEntryId) ?? copy.firstKeptEntryId;
    }
    kept.push(copy);
    parentId = entry.id;
  }
  const ids = new Set(kept.map(({ id }) => id));
  const relabeled: LabelEntry[] = [];
  for (const [targetId, { label, timestamp }] of labels) {
    if (!ids.has(targetId)) continue;
    const id = newEntryId(ids);
    relabeled.push({ type: "label", id, parentId, timestamp, targetId, label });
    ids.add(id);
    parentId = id;
  }
  return [...kept, ...relabeled];
}
