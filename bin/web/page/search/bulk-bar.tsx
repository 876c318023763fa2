/** The bar with actions on the selected sessions. */
import { useState } from "preact/hooks";
import { formatCount } from "../../../format/safe.ts";
import type { SessionJson } from "../../api/json.ts";
import { toUrlName } from "../shell/address.ts";
import { TextDialog } from "../shell/dialog.tsx";
import { ErrorMessage } from "../shell/error-message.tsx";
import { ExportDialog } from "../shell/export-dialog.tsx";
import { TrashDialog } from "../shell/trash-dialog.tsx";
import { useBulkActions } from "./use-bulk-actions.ts";

interface Props {
  selected: readonly SessionJson[];
  /** Selects these sessions only. */
  onSelect: (paths: readonly string[]) => void;
}

export function BulkBar({ selected, onSelect }: Props) {
  const acts = useBulkActions(selected, (left) => onSelect(left.map(({ path }) => path)));
  const [dialog, setDialog] = useState<"tag" | "export" | "trash">();
  if (selected.length === 0 && acts.done === "" && acts.error === undefined) return null;
  const many = formatCount(selected.length, "session");
  const button = (label: string, action: () => unknown, kind = "") => (
    <button type="button" class={`button ${kind}`} disabled={acts.isRunning} onClick={() => void action()}>
      {label}
    </button>
  );
  const arePinned = selected.every(({ pinned }) => pinned);
  const areArchived = selected.every(({ archived }) => archived);
  return (
    <div class="bulk card" role="toolbar" aria-label="Selected sessions">
      {acts.error !== undefined && <ErrorMessage error={acts.error} />}
      <span role="status">
        {selected.length > 0 ? `${formatCount(selected.length, "session")} selected` : acts.done}
      </span>
      {selected.length > 0 ? (
        <>
          {arePinned ? button("Unpin", acts.unpin) : button("Pin", acts.pin)}
          {areArchived ? button("Unarchive", acts.unarchive) : button("Archive", acts.archive)}
          {button("Tag…", () => setDialog("tag"))}
          {button("Export…", () => setDialog("export"))}
          {button("Move to trash…", () => setDialog("trash"))}
          {button("Clear selection", () => onSelect([]), "button-plain")}
        </>
      ) : (
        <>
          {acts.undo && button("Undo", acts.undo)}
          {acts.isInTrash && <a href="/trash">Show trash</a>}
          {button("Close", acts.dismiss, "button-plain")}
        </>
      )}
      {dialog === "tag" && (
        <TextDialog
          title={`Tag ${many}`}
          label="Tags to add"
          hint="Separated by commas. Their other tags stay."
          value=""
          onDone={async (text) => {
            const tags = text.split(/\s*,\s*/).flatMap((tag) => tag.trim() || []);
            if (tags.length > 0) void acts.tag(tags);
          }}
          onClose={() => setDialog(undefined)}
        />
      )}
      {dialog === "export" && (
        <ExportDialog
          sources={[
            {
              id: "selected",
              label: `${many} selected`,
              subject: many,
              params: { session: selected.map(toUrlName) },
              hasBranches: true,
            },
          ]}
          onClose={() => setDialog(undefined)}
        />
      )}
      {dialog === "trash" && (
        <TrashDialog what={many} onMove={acts.trash} onClose={() => setDialog(undefined)}>
          <p class="quiet dialog-hint">{selected.length === 1 ? "Its" : "Their"} forks are not affected.</p>
        </TrashDialog>
      )}
    </div>
  );
}
