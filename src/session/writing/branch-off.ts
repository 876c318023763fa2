import type { LabelEntry, SessionEntry } from "../session-types.ts";
import { newEntryId } from "./ids.ts";
import type { SetLabel } from "./session-store.ts";

/**
 * The entries of a session that is made of one path of another: the path without its labels, chained past them, and then
 * the labels that are in force on it, with their old times. By pi's rules.
 *
 * @param path from the root to the new leaf
 * @param labels those of the whole session, by target
 */
export function branchOff(
  path: readonly SessionEntry[],
  labels: ReadonlyMap<string, SetLabel>,
): SessionEntry[] {
  const kept: SessionEntry[] = [];
  const behind = new Map<string, string>(); // of a label, the next entry that stays
  let passed: string[] = [];
  let parentId: string | null = null;
  for (const entry of path) {
    if (entry.type === "label") {
      passed.push(entry.id);
      continue;
    }
    for (const label of passed) behind.set(label, entry.id);
    passed = [];
    const copy = { ...entry, parentId };
    if (copy.type === "compaction" && copy.firstKeptEntryId !== copy.id) {
      copy.firstKeptEntryId = behind.get(copy.firstKeptEntryId) ?? copy.firstKeptEntryId;
    }
    kept.push(copy);
    parentId = entry.id;
  }
  const ids = new Set(kept.map(({ id }) => id));
  const relabelled: LabelEntry[] = [];
  for (const [targetId, { label, timestamp }] of labels) {
    if (!ids.has(targetId)) continue;
    const id = newEntryId(ids);
    relabelled.push({ type: "label", id, parentId, timestamp, targetId, label });
    ids.add(id);
    parentId = id;
  }
  return [...kept, ...relabelled];
}
