/** The bar with actions on the selected sessions, or with what the last action did. */
import { formatCount } from "../../../format/safe.ts";
import type { SessionJson } from "../../api/json.ts";
import { ActionMessage } from "../shell/action-message.tsx";
import { getKey } from "../shell/commands.ts";
import { ErrorMessage } from "../shell/error-message.tsx";
import type { ListDialog } from "./list-dialogs.tsx";
import type { BulkActions } from "./use-bulk-actions.ts";

interface Props {
  selected: readonly SessionJson[];
  acts: BulkActions;
  onDialog: (kind: ListDialog["kind"]) => void;
  onClear: () => void;
}

export function BulkBar({ selected, acts, onDialog, onClear }: Props) {
  if (selected.length === 0 && acts.done === "" && acts.error === undefined) return null;
  const button = (label: string, key: string, action: () => unknown, kind = "") => (
    <button
      type="button"
      class={`button ${kind}`}
      disabled={acts.isRunning}
      title={key && `${label.replace("…", "")} (${key})`}
      onClick={() => void action()}
    >
      {label}
    </button>
  );
  const pin = selected.every(({ pinned }) => pinned) ? "Unpin" : "Pin";
  const archive = selected.every(({ archived }) => archived) ? "Unarchive" : "Archive";
  return (
    <div class="bulk card" role="toolbar" aria-label="Selected sessions">
      {selected.length > 0 ? (
        <>
          {acts.error !== undefined && <ErrorMessage error={acts.error} />}
          <span role="status">{formatCount(selected.length, "session")} selected</span>
          {button(pin, getKey("sessions", "pin"), () => acts.pin(selected))}
          {button(archive, getKey("sessions", "archive"), () => acts.archive(selected))}
          {button("Tags…", getKey("sessions", "tag"), () => onDialog("tag"))}
          {button("Export…", getKey("sessions", "export"), () => onDialog("export"))}
          {button("Move to trash…", getKey("sessions", "trash"), () => onDialog("trash"))}
          {button("Clear selection", "", onClear, "button-plain")}
        </>
      ) : (
        <ActionMessage {...acts} onClose={acts.dismiss}>
          {acts.isInTrash && <a href="/trash">Show trash</a>}
        </ActionMessage>
      )}
    </div>
  );
}
