/**
 * How a session is organised by its owner: pinned, archived, tagged. It stands in the session itself, as `custom` entries of
 * pidex's own type, so that it goes wherever the file goes, and pi passes over it.
 */
import { z } from "zod";
import { cleanTags } from "./tags.ts";

/** The `customType` of entries that organise a session. */
export const ORGANISING_TYPE = "pidex";

/** What a session's entries say of it, all branches together: of each the latest in the file counts. */
export interface Organised {
  pinned: boolean;
  archived: boolean;
  /** Clean (`cleanTags`), in the order they were given. */
  tags: string[];
}

// What is not there, or of another shape, sets nothing; the rest of the entry still does.
const Organising = z.object({
  pinned: z.boolean().optional().catch(undefined),
  archived: z.boolean().optional().catch(undefined),
  tags: z.array(z.string()).optional().catch(undefined),
});

/** A session about which no entry says anything. */
export function startOrganised(): Organised {
  return { pinned: false, archived: false, tags: [] };
}

/** Adds what the next entry of the file says, if it organises. Changes `organised`; never throws. */
export function organise(
  organised: Organised,
  entry: { type: string; customType?: unknown; data?: unknown },
): void {
  if (entry.type !== "custom" || entry.customType !== ORGANISING_TYPE) return;
  const { success, data } = Organising.safeParse(entry.data);
  if (!success) return;
  organised.pinned = data.pinned ?? organised.pinned;
  organised.archived = data.archived ?? organised.archived;
  if (data.tags) organised.tags = cleanTags(data.tags);
}
