import { CURRENT_SESSION_VERSION } from "./current-version.ts";
import type { EntryId, SessionHeader } from "./entries.ts";
import { isRecord } from "./json.ts";

/**
 * The version in a header, read as pi does, from 1 to 3: missing or null is 1, and anything that is not less than 3 (99, `"3"`,
 * text) is 3, which is not upgraded.
 */
export function getHeaderVersion(header: SessionHeader): number {
  const claimed = header.version ?? 1;
  // pi compares with `<`, which converts "1" to a number.
  const version = typeof claimed === "string" ? Number(claimed) : claimed;
  return typeof version === "number" && version < CURRENT_SESSION_VERSION
    ? Math.max(1, Math.floor(version))
    : CURRENT_SESSION_VERSION;
}

/**
 * The id of a version 1 entry, derived from its index among the file's parsed lines (the header is 0), so that it is stable and
 * equal in forks.
 */
export function toEntryId(index: number): string {
  return index.toString(16).padStart(8, "0");
}

/** The position of an entry in its file. */
interface EntryPosition {
  /** Index among the parsed lines; the header is 0. */
  index: number;
  /** Id of the previous entry; null for the first. */
  previousId: EntryId | null;
}

/**
 * Upgrades one entry of an old session to version 3 in memory, as pi does when it opens the file: version 1 gets ids in line order
 * and a `firstKeptEntryId` for `firstKeptEntryIndex`; version 2's role `hookMessage` becomes `custom`. Needs only the entry's
 * position, so it can start anywhere in a file.
 *
 * @returns the entry itself if nothing changes, else a changed copy
 */
export function upgradeEntry(
  entry: Record<string, unknown>,
  { index, previousId }: EntryPosition,
  version: number,
): Record<string, unknown> {
  if (version >= CURRENT_SESSION_VERSION) return entry;
  let upgraded = entry;
  if (version < 2) {
    upgraded = { ...upgraded, id: toEntryId(index), parentId: previousId };
    if (upgraded.type === "compaction" && typeof upgraded.firstKeptEntryIndex === "number") {
      const kept = upgraded.firstKeptEntryIndex;
      // The header (0) and later entries, which have no id yet in pi, are not kept entries.
      if (Number.isInteger(kept) && kept > 0 && kept <= index) upgraded.firstKeptEntryId = toEntryId(kept);
      delete upgraded.firstKeptEntryIndex;
    }
  }
  const { message } = upgraded;
  if (upgraded.type === "message" && isRecord(message) && message.role === "hookMessage") {
    upgraded = { ...upgraded, message: { ...message, role: "custom" } };
  }
  return upgraded;
}
