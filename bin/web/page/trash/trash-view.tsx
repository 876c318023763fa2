/** The sessions in the trash, and the way back. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { formatBytes } from "../../../format/bytes.ts";
import { formatCount, toOneLine } from "../../../format/safe.ts";
import { formatMoment, formatWhen } from "../../../format/times.ts";
import { folderName, getSessionTitle } from "../../../format/titles.ts";
import type { Answers } from "../../api/answers.ts";
import { useRowKeys } from "../search/use-row-keys.ts";
import { useSelection } from "../search/use-selection.ts";
import { ActionBar } from "../shell/action-bar.tsx";
import { ActionMessage } from "../shell/action-message.tsx";
import { getLastSearch, sessionUrl } from "../shell/address.ts";
import { apiPost, useAnswer } from "../shell/api.ts";
import { reloadViews, useVersion } from "../shell/changes.ts";
import { useCommands } from "../shell/commands.ts";
import { LoadError } from "../shell/load-error.tsx";
import { SelectBox } from "../shell/select-box.tsx";
import { hub } from "../shell/source.ts";
import "./trash.css";
import { TrashedDetails } from "./trashed-details.tsx";

type Trashed = Answers["trashed"]["trashed"][number];

interface Outcome {
  /** The paths of the restored sessions. */
  restored: readonly string[];
  error?: unknown;
}

/** Sessions that are moved together follow each other in less. The trash of a desktop has times in seconds. */
const TOGETHER_MS = 2000;

/** The sessions that were moved to the trash last, together. */
function listMovedLast(trashed: readonly Trashed[]): Trashed[] {
  const newest = trashed.toSorted((a, b) => Date.parse(b.deletedAt) - Date.parse(a.deletedAt));
  const before = newest.findIndex(
    ({ deletedAt }, n) =>
      n > 0 && Date.parse((newest[n - 1] as Trashed).deletedAt) - Date.parse(deletedAt) > TOGETHER_MS,
  );
  return before < 0 ? newest : newest.slice(0, before);
}

export function TrashView() {
  const version = useVersion();
  const { data, error, isLoading } = useAnswer("trashed", {}, version);
  const [outcome, setOutcome] = useState<Outcome>();
  const [isRunning, setRunning] = useState(false);
  const trashed = data?.trashed ?? [];
  const { selected, select, selectOnly } = useSelection(trashed.map(({ trashPath }) => trashPath));
  const chosen = trashed.filter(({ trashPath }) => selected.has(trashPath));
  const list = useRef<HTMLOListElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  useRowKeys("trash", list, ".result-check");
  useEffect(() => {
    document.title = "Trash · pidex";
  }, []);
  /** The row that gets the focus when the focused one is gone. */
  const nextRow = useRef<number>(undefined);
  useLayoutEffect(() => {
    if (nextRow.current === undefined || document.activeElement !== document.body) return;
    const boxes = list.current?.querySelectorAll<HTMLElement>(".result-check") ?? [];
    (boxes[Math.min(nextRow.current, boxes.length - 1)] ?? heading.current)?.focus();
    nextRow.current = undefined;
  }, [data]);
  const restore = async (sessions: readonly Trashed[]) => {
    setRunning(true);
    const restored: string[] = [];
    let failure: { error: unknown } | undefined;
    for (const { trashPath } of sessions) {
      try {
        const answer = await apiPost("restore", { session: trashPath });
        restored.push(...answer.restored.map(({ path }) => path));
      } catch (error) {
        failure = { error };
        break;
      }
    }
    setRunning(false);
    setOutcome({ restored, ...failure });
    selectOnly(sessions.slice(restored.length).map(({ trashPath }) => trashPath));
    nextRow.current = sessions[0] && trashed.indexOf(sessions[0]);
    reloadViews();
  };
  const undo = async ({ restored }: Outcome) => {
    setRunning(true);
    const left = [...restored];
    let failure: { error: unknown } | undefined;
    try {
      for (const path of restored) {
        await apiPost("trash", { session: path });
        left.shift();
      }
    } catch (error) {
      failure = { error };
    }
    setRunning(false);
    setOutcome(failure && { restored: left, ...failure });
    reloadViews();
  };
  useCommands("trash", () => {
    if (isRunning || hub.value !== undefined) return {};
    if (outcome && outcome.restored.length > 0) return { undo: () => void undo(outcome) };
    // What was moved here last comes back, as by the same key in the list.
    const last = listMovedLast(trashed);
    return last.length > 0 ? { undo: () => void restore(last) } : {};
  });
  return (
    <main class="trash" aria-busy={isLoading}>
      <p>
        <a href={getLastSearch()}>← All sessions</a>
      </p>
      <h1 ref={heading} tabIndex={-1}>
        Trash
      </h1>
      {error !== undefined && <LoadError error={error} />}
      {!data && error === undefined && <p class="quiet">Loading …</p>}
      {data && trashed.length === 0 && (
        <p class="quiet">No sessions in the trash. Sessions that you move there can be restored here.</p>
      )}
      {trashed.length > 0 && (
        <>
          <p class="quiet">
            {formatCount(trashed.length, "session")} in the trash of this computer. Until you empty it,
            sessions can be restored.
          </p>
          <ol ref={list} class={chosen.length > 0 ? "results results-selecting" : "results"}>
            {trashed.map((session) => (
              <TrashedRow
                key={session.trashPath}
                session={session}
                isSelected={selected.has(session.trashPath)}
                isDisabled={isRunning}
                onSelect={(...change) => {
                  setOutcome(undefined);
                  select(...change);
                }}
                onRestore={() => void restore([session])}
              />
            ))}
          </ol>
        </>
      )}
      {(chosen.length > 0 || outcome) && (
        <ActionBar>
          {outcome && (
            <div class="bulk-row card">
              <ActionMessage
                done={outcome.restored.length > 0 ? describeRestored(outcome) : ""}
                error={outcome.error}
                undo={outcome.restored.length > 0 ? () => undo(outcome) : undefined}
                isRunning={isRunning}
                onClose={() => setOutcome(undefined)}
              >
                {outcome.restored.length === 1 && <a href={sessionUrl(outcome.restored[0] ?? "")}>Open</a>}
              </ActionMessage>
            </div>
          )}
          {chosen.length > 0 && (
            <div class="bulk-row card">
              <span role="status">{formatCount(chosen.length, "session")} selected</span>
              <button
                type="button"
                class="button button-main"
                disabled={isRunning}
                onClick={() => void restore(chosen)}
              >
                Restore
              </button>
              <button type="button" class="button button-plain" onClick={() => selectOnly([])}>
                Clear selection
              </button>
            </div>
          )}
        </ActionBar>
      )}
    </main>
  );
}

function describeRestored({ restored }: Outcome): string {
  return `Restored ${formatCount(restored.length, "session")}.`;
}

interface RowProps {
  session: Trashed;
  isSelected: boolean;
  isDisabled: boolean;
  onSelect: (path: string, isSelected: boolean, isRange: boolean) => void;
  onRestore: () => void;
}

function TrashedRow({ session, isSelected, isDisabled, onSelect, onRestore }: RowProps) {
  const { cwd, trashPath, deletedAt, messageCount, bytes } = session;
  const title = getSessionTitle(session);
  const date = new Date(deletedAt);
  const [isOpen, setOpen] = useState(false);
  return (
    <li class={isSelected ? "result result-selected" : "result"}>
      <div class="result-head">
        <SelectBox {...{ title, isSelected }} onSelect={(...change) => onSelect(trashPath, ...change)} />
        <button
          type="button"
          class="result-title trash-title"
          aria-expanded={isOpen}
          title={isOpen ? "Hide details" : "Show details"}
          onClick={() => setOpen(!isOpen)}
        >
          <bdi>{title}</bdi>
        </button>
        <button type="button" class="button" disabled={isDisabled} onClick={onRestore}>
          Restore<span class="unseen"> {title.slice(0, 80)}</span>
        </button>
      </div>
      <div class="result-facts">
        {cwd === "" ? (
          <span>no folder</span>
        ) : (
          <bdi class="result-project" title={toOneLine(cwd)}>
            {folderName(cwd)}
          </bdi>
        )}
        <span>
          deleted{" "}
          <time dateTime={deletedAt} title={formatMoment(date)}>
            {formatWhen(date)}
          </time>
        </span>
        <span>{formatCount(messageCount, "message")}</span>
        <span>{formatBytes(bytes)}</span>
      </div>
      {isOpen && <TrashedDetails session={session} />}
    </li>
  );
}
