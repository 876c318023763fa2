/** The bar with actions on the selected sessions. What the last action did is above it. */
import { formatCount, formatInteger } from "../../../format/safe.ts";
import type { SessionJson } from "../../api/json.ts";
import { ActionBar } from "../shell/action-bar.tsx";
import { ActionMessage } from "../shell/action-message.tsx";
import { getKey } from "../shell/commands.ts";
import type { ListDialog } from "./list-dialogs.tsx";
import type { BulkActions } from "./use-bulk-actions.ts";
import type { SelectAll } from "./use-result-selection.ts";
import type { SearchResults } from "./use-search-results.ts";

interface Props {
  selected: readonly SessionJson[];
  /** The results, of which the rows may be only the first. */
  found: SearchResults;
  selectAll: SelectAll;
  acts: BulkActions;
  onDialog: (kind: ListDialog["kind"]) => void;
  onClear: () => void;
}

export function BulkBar({ selected, found, selectAll, acts, onDialog, onClear }: Props) {
  const { progress } = acts;
  const isLong = progress !== undefined && progress.total > 1;
  const error = acts.error ?? selectAll.error;
  const hasMessage = !isLong && (acts.done !== "" || error !== undefined);
  if (selected.length === 0 && !isLong && !hasMessage) return null;
  const isBusy = acts.isRunning || selectAll.loadedCount !== undefined;
  const button = (label: string, key: string, action: () => unknown, kind = "", isDisabled = isBusy) => (
    <button
      type="button"
      class={`button ${kind}`}
      disabled={isDisabled}
      title={key && `${label.replace("…", "")} (${key})`}
      onClick={() => void action()}
    >
      {label}
    </button>
  );
  const pin = selected.every(({ pinned }) => pinned) ? "Unpin" : "Pin";
  const archive = selected.every(({ archived }) => archived) ? "Unarchive" : "Archive";
  const compress = selected.every(({ compressed }) => compressed) ? "Decompress" : "Compress";
  return (
    <ActionBar>
      {hasMessage && (
        <div class="bulk-row card">
          <ActionMessage
            {...acts}
            error={error}
            onClose={() => {
              acts.dismiss();
              selectAll.dismiss();
            }}
          >
            {acts.isInTrash && <a href="/trash">Show trash</a>}
          </ActionMessage>
        </div>
      )}
      {isLong && (
        <div class="bulk-row card">
          <span>
            {formatInteger(progress.count)} of {formatCount(progress.total, "session")} done
          </span>
          {button("Stop", "", acts.stop, "", false)}
        </div>
      )}
      {!isLong && selected.length > 0 && (
        <div class="bulk-row card">
          <span role="status">{formatSelected(selected.length, selectAll.loadedCount)}</span>
          {canSelectMore(found, selected.length) &&
            button(nameAll(found), "", selectAll.start, "button-plain")}
          <div class="bulk-actions">
            {button(pin, getKey("sessions", "pin"), () => acts.pin(selected))}
            {button(archive, getKey("sessions", "archive"), () => acts.archive(selected))}
            {button("Tags…", getKey("sessions", "tag"), () => onDialog("tag"))}
            {button("Export…", getKey("sessions", "export"), () => onDialog("export"))}
            {button(compress, getKey("sessions", "compress"), () => acts.compress(selected), "bulk-wide")}
            {button("Move to trash…", getKey("sessions", "trash"), () => onDialog("trash"))}
          </div>
          <button
            type="button"
            class="button button-plain"
            aria-label="Clear selection"
            disabled={acts.isRunning}
            onClick={onClear}
          >
            <span class="bulk-clear">Clear selection</span>
          </button>
        </div>
      )}
    </ActionBar>
  );
}

function formatSelected(count: number, loadedCount: number | undefined): string {
  return loadedCount === undefined
    ? `${formatCount(count, "session")} selected`
    : `Selecting all: ${formatCount(loadedCount, "session")} …`;
}

/** Whether several sessions are selected, and there are other results. Not depending on the rows: more of them may be loading. */
function canSelectMore(found: SearchResults, selected: number): boolean {
  const hasFurther = selected > found.sessions.length; // all were selected before
  return selected > 1 && !hasFurther && (found.hasMore || countResults(found) > selected);
}

const countResults = ({ total, closestCount = 0 }: SearchResults): number => total + closestCount;

/** "Select all 1,978 sessions"; without the number while it isn't known. */
function nameAll(found: SearchResults): string {
  return found.hasMore ? "Select all results" : `Select all ${formatCount(countResults(found), "session")}`;
}
