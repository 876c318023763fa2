/** Session changes as plain data, described by the new values, so that they can be sent to a thread. */

import { z } from "zod";
import type { SessionManager } from "../../../library/index.ts";
import { normalizeTags } from "../../../library/internal.ts";
import { applyMetadataChange } from "../../actions/change-metadata.ts";
import type { WriteBoundary } from "../../actions/inside-roots.ts";
import type { SessionMetadata } from "../../actions/session-metadata.ts";

/** Text on one line; line breaks become spaces. */
const Line = z
  .string()
  .max(2000)
  .transform((text) => text.replace(/[\r\n]+/g, " ").trim());
const session = z.string().min(1).max(20_000);

/** The bodies of requests by route. */
export const CHANGE_BODIES = {
  rename: z.strictObject({ session, name: Line }),
  label: z.strictObject({
    session,
    entryId: z.union([z.string(), z.number()]).transform(String),
    label: Line,
  }),
  pin: z.strictObject({ session, pinned: z.boolean() }),
  archive: z.strictObject({ session, archived: z.boolean() }),
  tag: z.strictObject({ session, tags: z.array(Line.refine((tag) => tag !== "", "is empty")).max(100) }),
};
export const SessionBody = z.strictObject({ session });
export const CompressBody = z.strictObject({ session, compressed: z.boolean() });

type Bodies = typeof CHANGE_BODIES;
export type SessionChange = {
  [Route in keyof Bodies]: { route: Route } & z.infer<Bodies[Route]>;
}[keyof Bodies];

/** Changes a session. Does nothing if it already has the values. @throws as `applyMetadataChange` */
export function applySessionChange(
  path: string,
  change: SessionChange,
  inside: WriteBoundary,
): SessionMetadata {
  const target = change.route === "label" && { entryId: change.entryId };
  return applyMetadataChange({ path }, { change: (manager) => apply(manager, change), ...target, ...inside });
}

function apply(manager: SessionManager, change: SessionChange): string | undefined {
  switch (change.route) {
    case "rename":
      return (manager.getSessionName() ?? "") === change.name ? undefined : manager.setName(change.name);
    case "label": {
      const { entryId, label } = change;
      const isSame = (manager.getLabel(entryId) ?? "") === label;
      return isSame ? undefined : manager.appendLabelChange(entryId, label === "" ? undefined : label);
    }
    case "pin":
      return manager.getPinned() === change.pinned ? undefined : manager.setPinned(change.pinned);
    case "archive":
      return manager.getArchived() === change.archived ? undefined : manager.setArchived(change.archived);
    case "tag": {
      const tags = normalizeTags(change.tags);
      return JSON.stringify(tags) === JSON.stringify(manager.getTags()) ? undefined : manager.setTags(tags);
    }
  }
}
