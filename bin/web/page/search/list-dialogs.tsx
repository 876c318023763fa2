/** The dialogs of actions on sessions of the list. */
import { formatCount } from "../../../format/safe.ts";
import { getSessionTitle } from "../../../format/titles.ts";
import type { SessionJson } from "../../api/json.ts";
import { toUrlName } from "../shell/address.ts";
import { TextDialog } from "../shell/dialog.tsx";
import { ExportDialog } from "../shell/export-dialog.tsx";
import { TagDialog } from "../shell/tag-dialog.tsx";
import { TrashDialog } from "../shell/trash-dialog.tsx";
import type { BulkActions } from "./use-bulk-actions.ts";

/** An open dialog, and the sessions that it is about. */
export interface ListDialog {
  kind: "tag" | "rename" | "export" | "trash";
  sessions: readonly [SessionJson, ...SessionJson[]];
}

interface Props extends ListDialog {
  acts: BulkActions;
  onClose: () => void;
}

export function ListDialogs({ kind, sessions, acts, onClose }: Props) {
  const [first] = sessions;
  const many = sessions.length === 1 ? "this session" : formatCount(sessions.length, "session");
  switch (kind) {
    case "tag":
      return (
        <TagDialog
          tags={sessions.map(({ tags }) => tags)}
          onSave={async (change) => {
            onClose();
            await acts.tag(sessions, change); // the bar reports an error
            return undefined;
          }}
          onClose={onClose}
        />
      );
    case "rename":
      return (
        <TextDialog
          title="Rename"
          label="Name of this session"
          hint="Leave empty to remove the name."
          value={first.name ?? ""}
          onDone={(name) => acts.rename(first, name)}
          onClose={onClose}
        />
      );
    case "export":
      return (
        <ExportDialog
          sources={[
            {
              id: "selected",
              label: sessions.length === 1 ? getSessionTitle(first).slice(0, 80) : `${many} selected`,
              subject: many,
              params: { session: sessions.map(toUrlName) },
              hasBranches: true,
            },
          ]}
          onClose={onClose}
        />
      );
    case "trash":
      return (
        <TrashDialog what={many} onMove={() => acts.trash(sessions)} onClose={onClose}>
          {sessions.length === 1 && (
            <p class="dialog-text" dir="auto">
              {getSessionTitle(first).slice(0, 200)}
            </p>
          )}
        </TrashDialog>
      );
  }
}
