/** Session changes as plain data, described by the new values, so that they can be sent to a thread. */
import type { SessionManager } from "../../../library/index.ts";
import type { MetadataChange } from "../../actions/change-metadata.ts";

export type SessionChange =
  | { kind: "name"; name: string }
  | { kind: "label"; entryId: string; label: string }
  | { kind: "pin"; pinned: boolean }
  | { kind: "archive"; archived: boolean }
  | { kind: "tags"; tags: string[] };

/** The metadata change to apply. Does nothing if the session already has the values. */
export function toMetadataChange(target: SessionChange): MetadataChange {
  return {
    change: (manager) => apply(manager, target),
    ...(target.kind === "label" && { entryId: target.entryId }),
  };
}

function apply(manager: SessionManager, target: SessionChange): string | undefined {
  switch (target.kind) {
    case "name":
      return (manager.getSessionName() ?? "") === target.name ? undefined : manager.setName(target.name);
    case "label": {
      const { entryId, label } = target;
      const isSame = (manager.getLabel(entryId) ?? "") === label;
      return isSame ? undefined : manager.appendLabelChange(entryId, label === "" ? undefined : label);
    }
    case "pin":
      return manager.getPinned() === target.pinned ? undefined : manager.setPinned(target.pinned);
    case "archive":
      return manager.getArchived() === target.archived ? undefined : manager.setArchived(target.archived);
    case "tags": {
      const isSame = JSON.stringify(target.tags) === JSON.stringify(manager.getTags());
      return isSame ? undefined : manager.setTags(target.tags);
    }
  }
}
