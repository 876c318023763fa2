/** Changes of sessions that are asked for by what they are to be, so that a thread can be told of them. */
import type { SessionManager } from "../../../library/index.ts";
import type { Change } from "../../actions/organise.ts";

export type SessionChange =
  | { kind: "name"; name: string }
  | { kind: "label"; entryId: string; label: string }
  | { kind: "pin"; pinned: boolean }
  | { kind: "archive"; archived: boolean }
  | { kind: "tags"; tags: string[] };

/** What a change does to a session, where it is not so already. */
export function changeOf(wanted: SessionChange): Change {
  return {
    change: (manager) => changed(manager, wanted),
    ...(wanted.kind === "label" && { entryId: wanted.entryId }),
  };
}

function changed(manager: SessionManager, wanted: SessionChange): string | undefined {
  switch (wanted.kind) {
    case "name":
      return (manager.getSessionName() ?? "") === wanted.name ? undefined : manager.setName(wanted.name);
    case "label": {
      const { entryId, label } = wanted;
      const isSame = (manager.getLabel(entryId) ?? "") === label;
      return isSame ? undefined : manager.appendLabelChange(entryId, label === "" ? undefined : label);
    }
    case "pin":
      return manager.getPinned() === wanted.pinned ? undefined : manager.setPinned(wanted.pinned);
    case "archive":
      return manager.getArchived() === wanted.archived ? undefined : manager.setArchived(wanted.archived);
    case "tags": {
      const isSame = JSON.stringify(wanted.tags) === JSON.stringify(manager.getTags());
      return isSame ? undefined : manager.setTags(wanted.tags);
    }
  }
}
