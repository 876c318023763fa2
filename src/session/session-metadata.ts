/**
 * Session metadata: pinned, archived, tags. Stored in the session file as `custom` entries of pidex's own type, so that it
 * moves with the file; pi ignores these entries.
 */
import { z } from "zod";
import { normalizeTags } from "./tags.ts";

/** The `customType` of metadata entries. */
export const METADATA_TYPE = "pidex";

/** A session's metadata: the last value of each field in the file, whatever the branch. */
export interface SessionMetadata {
  pinned: boolean;
  archived: boolean;
  /** Normalized by `normalizeTags`, in their original order. */
  tags: string[];
}

// An invalid field is ignored; the other fields of the entry still apply.
const MetadataFields = z.object({
  pinned: z.boolean().optional().catch(undefined),
  archived: z.boolean().optional().catch(undefined),
  tags: z.array(z.string()).optional().catch(undefined),
});

/** The metadata of a session without metadata entries. */
export function emptyMetadata(): SessionMetadata {
  return { pinned: false, archived: false, tags: [] };
}

/** Applies the next entry of a file to `metadata`, which is modified. Ignores other entries; never throws. */
export function applyMetadata(
  metadata: SessionMetadata,
  entry: { type: string; customType?: unknown; data?: unknown },
): void {
  if (entry.type !== "custom" || entry.customType !== METADATA_TYPE) return;
  const { success, data } = MetadataFields.safeParse(entry.data);
  if (!success) return;
  metadata.pinned = data.pinned ?? metadata.pinned;
  metadata.archived = data.archived ?? metadata.archived;
  if (data.tags) metadata.tags = normalizeTags(data.tags);
}
