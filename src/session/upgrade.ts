import { CURRENT_SESSION_VERSION } from "./current-version.ts";
import type { EntryId, SessionHeader } from "./entries.ts";
import { isRecord } from "./json.ts";

/**
 * The version a header claims, as pi reads it: none or null is 1, and anything that is not below 3 (99, `"3"`,
 * words) is left as it is.
 */
export function headerVersion(header: SessionHeader): number {
  const claimed = header.version ?? 1;
  // pi compares with `<`, for which "1" is a number too.
  const version = typeof claimed === "string" ? Number(claimed) : claimed;
  return typeof version === "number" && version < CURRENT_SESSION_VERSION
    ? Math.max(1, Math.floor(version))
    : CURRENT_SESSION_VERSION;
}

/**
 * The id of a version 1 entry, made from its position among the file's parsed lines (the header is 0), so that
 * it comes out the same on every run, and the same for the copies a fork holds.
 */
export function idOfLine(index: number): string {
  return index.toString(16).padStart(8, "0");
}

/** Where an entry stands in its file, which is all that upgrading it takes. */
interface Standing {
  /** Position among the parsed lines, the header being 0. */
  index: number;
  /** Id of the entry before it, or null for the first. */
  previousId: EntryId | null;
}

/**
 * Upgrades one entry of an old session to version 3, in memory, the way pi does when it opens the file:
 * version 1 gets ids in line order and a `firstKeptEntryId` for `firstKeptEntryIndex`; version 2's role
 * `hookMessage` becomes `custom`. Needs nothing but the entry's standing, so it can start in mid-file.
 *
 * @returns the entry itself when nothing has to change, else a changed copy
 */
export function upgradeEntry(
  entry: Record<string, unknown>,
  { index, previousId }: Standing,
  version: number,
): Record<string, unknown> {
  if (version >= CURRENT_SESSION_VERSION) return entry;
  let upgraded = entry;
  if (version < 2) {
    upgraded = { ...upgraded, id: idOfLine(index), parentId: previousId };
    if (upgraded.type === "compaction" && typeof upgraded.firstKeptEntryIndex === "number") {
      const kept = upgraded.firstKeptEntryIndex;
      // The header (0) keeps nothing, and neither does an entry that is still to come: pi has no id for it yet.
      if (Number.isInteger(kept) && kept > 0 && kept <= index) upgraded.firstKeptEntryId = idOfLine(kept);
      delete upgraded.firstKeptEntryIndex;
    }
  }
  const { message } = upgraded;
  if (upgraded.type === "message" && isRecord(message) && message.role === "hookMessage") {
    upgraded = { ...upgraded, message: { ...message, role: "custom" } };
  }
  return upgraded;
}
