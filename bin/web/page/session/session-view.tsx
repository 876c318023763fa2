/** One session: its transcript and its tree. */
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { getSessionTitle } from "../../../format/titles.ts";
import "../entries/entries.css";
import "../entries/split-lines.css";
import { browserHighlighter } from "../highlight/browser-highlighter.ts";
import { HighlighterContext } from "../highlight/highlighter.ts";
import { useParams, withParams } from "../shell/address.ts";
import { useAnswer } from "../shell/api.ts";
import { useVersion } from "../shell/changes.ts";
import { useCommands } from "../shell/commands.ts";
import { TextDialog } from "../shell/dialog.tsx";
import { hub } from "../shell/source.ts";
import { BackLink, useWayBack } from "./back-link.tsx";
import { createEntryLinks } from "./entry-addresses.ts";
import type { OpenedCalls } from "./file-list.tsx";
import { locateForks, locateSubagents } from "./linked-sessions.ts";
import { NoSession } from "./no-session.tsx";
import { OtherBranch } from "./other-branch.tsx";
import { ProblemCount } from "./problem-count.tsx";
import { ReadingColumn } from "./reading-column.tsx";
import { SessionHeader } from "./session-header.tsx";
import { Sidebar } from "./sidebar.tsx";
import "./session.css";
import "./session-header.css";
import "./tree.css";
import "./print.css";
import { Transcript } from "./transcript.tsx";
import { TranscriptBar } from "./transcript-bar.tsx";
import { isFilter } from "./transcript-rows.ts";
import { TrashedSession } from "./trashed.tsx";
import { useFind } from "./use-find.ts";
import { useSessionActions } from "./use-session-actions.ts";
import { useSessionAnswer } from "./use-session-answer.ts";
import { useShownBranch } from "./use-shown-branch.ts";

export function SessionView() {
  const session = useRoute().params.session ?? "";
  // The key resets all state when the session changes.
  return (
    <HighlighterContext.Provider value={browserHighlighter}>
      <OneSession key={session} session={session} />
    </HighlighterContext.Provider>
  );
}

function OneSession({ session }: { session: string }) {
  const [params, change] = useParams();
  const { q = "", show = "" } = params;
  const { path: address, query } = useLocation();
  const [path, setPath] = useState<string>();
  const version = useVersion(path);
  // Requested first, because everything else depends on it.
  const { tree, shown, at, unknown, isCurrent, error: treeError } = useShownBranch(session, version, params);
  const { about, error, isLive } = useSessionAnswer(session, version);
  useEffect(() => setPath(about?.session.path), [about?.session.path]);
  const acts = useSessionActions(about?.session);
  const [isTreeOpen, setTreeOpen] = useState(false);
  const [isPrinting, setPrinting] = useState(false);
  const [labelEdit, setLabelEdit] = useState<{ entryId: string; label: string }>();
  const [seen, setSeen] = useState<number>();
  const currentRow = useRef(0);

  const addressOf = useCallback(
    (changes: Record<string, string>) => withParams(address, { ...query, ...changes }),
    [address, query],
  );
  const links = useMemo(
    () => createEntryLinks(session, (id) => addressOf({ entry: String(id), line: "" })),
    [session, addressOf],
  );
  const subagents = useMemo(
    () => (shown && about ? locateSubagents(shown, about.subagents) : new Map()),
    [shown, about],
  );
  // Changes when there may be other forks.
  const family = about && `${about.forks.length} ${about.session.parentSessionPath ?? ""}`;
  const { data: forks } = useAnswer(about && shown && "forks", { session: about?.session.path }, family);
  const forkPositions = useMemo(() => locateForks(tree, forks), [tree, forks]);
  const filter = isFilter(show) ? show : "all";
  /** The address of an edit, which other filters hide. */
  const editAddressOf = (line: number) =>
    addressOf({ line: String(line), entry: "", show: filter === "edits" ? show : "" });
  const [openedCalls, setOpenedCalls] = useState<OpenedCalls>();
  const [isExpanded, setExpanded] = useState(false);
  const find = useFind({
    ...{ session, version, at, filter, currentRow, params, change },
    folder: about?.session.cwd,
    shown: isCurrent ? shown : undefined,
  });
  // Kept for the trash view: the server no longer knows a deleted session.
  const title = useRef("");
  if (about) title.current = getSessionTitle(about.session);
  useEffect(() => {
    document.title = about ? `${getSessionTitle(about.session).slice(0, 80)} · pidex` : "pidex";
  }, [about]);

  const findBox = useRef<HTMLInputElement>(null);
  const goToPrompt = useRef<(by: 1 | -1) => void>(() => {});
  const startFinding = () => {
    if (document.activeElement === findBox.current) return false; // a second time, the browser's own search
    findBox.current?.focus();
    findBox.current?.select();
    return true;
  };
  const editLabel = (entryId: string, label: string) => setLabelEdit({ entryId, label });
  const way = useWayBack(q);
  useCommands("session", () => ({
    nextMatch: () => find.go(1),
    previousMatch: () => find.go(-1),
    openTree: () => setTreeOpen((isOpen) => !isOpen),
    closeTree: isTreeOpen ? () => setTreeOpen(false) : acts.done !== "" ? acts.dismiss : undefined,
    find: startFinding,
    previousPrompt: () => goToPrompt.current(-1),
    nextPrompt: () => goToPrompt.current(1),
    foldAll: () => setExpanded((isOn) => !isOn),
    back: way.go,
    // The browser's own printing sees only the entries that are drawn.
    print: () =>
      document.querySelector("main:has(.transcript-scroller)") === null ? false : setPrinting(true),
  }));

  if (acts.trashed)
    return (
      <TrashedSession
        title={title.current}
        gone={acts.trashed}
        back={way.name === "Usage" ? "/" : way.address}
        onUndo={acts.restore}
      />
    );
  if (error !== undefined || treeError !== undefined)
    return <NoSession session={session} error={error ?? treeError} />;
  return (
    <main class="session">
      {about ? (
        <SessionHeader
          {...{ about, acts, unknown, way }}
          parent={forkPositions.parent?.from}
          onTree={() => setTreeOpen(true)}
          onPrint={() => setPrinting(true)}
          isExpanded={isExpanded}
          onExpand={() => setExpanded(!isExpanded)}
        />
      ) : (
        <header class="session-header session-header-waiting" aria-busy="true">
          <BackLink way={way} />
        </header>
      )}
      <div class="session-body">
        <Sidebar
          {...{ session, forkPositions, seen, addressOf }}
          rows={shown}
          line={Number(params.line ?? 0)}
          editAddressOf={editAddressOf}
          isOpen={isTreeOpen}
          onClose={() => setTreeOpen(false)}
          onCalls={setOpenedCalls}
        />
        {shown ? (
          <ReadingColumn>
            {(isSplit) => (
              <>
                <TranscriptBar
                  rows={shown}
                  {...{ filter, findBox, find, isExpanded }}
                  onFilter={(show) => change({ show: show === "all" ? "" : show }, "replace")}
                  onPrompt={(by) => goToPrompt.current(by)}
                  onExpand={() => setExpanded(!isExpanded)}
                  {...{ isSplit }}
                />
                <OtherBranch rows={shown} {...{ addressOf }} />
                {isCurrent && about ? (
                  <Transcript
                    path={session}
                    rows={shown}
                    at={at === undefined ? undefined : shown.findRow(at)}
                    {...{ find, filter, isExpanded, isLive, goToPrompt, openedCalls }}
                    isSplit={isSplit === true}
                    folder={about?.session.cwd}
                    onLabel={hub.value === undefined ? editLabel : undefined}
                    onSeen={setSeen}
                    onPrinted={isPrinting ? () => setPrinting(false) : undefined}
                    {...{ links, subagents, forkPositions, addressOf, currentRow, version }}
                  />
                ) : (
                  <div class="transcript" aria-busy="true" />
                )}
              </>
            )}
          </ReadingColumn>
        ) : (
          <div class="transcript" aria-busy={tree === undefined}>
            {tree?.count === 0 && about && <NoEntries problems={about.problems.count} />}
          </div>
        )}
      </div>
      {labelEdit && (
        <TextDialog
          title="Label"
          label="Label of this entry"
          hint="Leave empty to remove the label."
          value={labelEdit.label}
          onDone={(text) => acts.label(labelEdit.entryId, text, labelEdit.label)}
          onClose={() => setLabelEdit(undefined)}
        />
      )}
    </main>
  );
}

function NoEntries({ problems }: { problems: number }) {
  if (problems === 0) return <p class="transcript-empty">This session has no entries yet.</p>;
  return (
    <p class="transcript-empty">
      No entries could be read: <ProblemCount count={problems} />.
    </p>
  );
}
