/** One session: its transcript and its tree. */
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { getSessionTitle } from "../../../format/titles.ts";
import "../entries/entries.css";
import { browserHighlighter } from "../highlight/browser-highlighter.ts";
import { HighlighterContext } from "../highlight/highlighter.ts";
import { useParams, withParams } from "../shell/address.ts";
import { useAnswer } from "../shell/api.ts";
import { useVersion } from "../shell/changes.ts";
import { useCommands } from "../shell/commands.ts";
import { TextDialog } from "../shell/dialog.tsx";
import { hub } from "../shell/source.ts";
import { BackLink, useWayBack } from "./back-link.tsx";
import { BranchRows } from "./branch-rows.ts";
import { createEntryLinks } from "./entry-addresses.ts";
import { locateForks, locateSubagents } from "./linked-sessions.ts";
import { NoSession } from "./no-session.tsx";
import { ProblemCount } from "./problem-count.tsx";
import { SessionHeader } from "./session-header.tsx";
import "./session.css";
import "./session-header.css";
import "./tree.css";
import "./print.css";
import { Transcript } from "./transcript.tsx";
import { TranscriptBar } from "./transcript-bar.tsx";
import { isFilter } from "./transcript-rows.ts";
import { TrashedSession } from "./trashed.tsx";
import { TreeView } from "./tree-view.tsx";
import { useFind } from "./use-find.ts";
import { useOutline } from "./use-outline.ts";
import { useSessionActions } from "./use-session-actions.ts";

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
  const { entry = "", line = "", leaf = "", q = "", show = "" } = params;
  const { path: address, query } = useLocation();
  const [path, setPath] = useState<string>();
  const version = useVersion(path);
  // Requested first, because everything else depends on it.
  const outlined = useOutline(session, version, entry, leaf);
  const { tree } = outlined;
  const [idleChecks, setIdleChecks] = useState(0);
  const { data: about, error } = useAnswer("session", { session }, `${version} ${idleChecks}`);
  const sinceWritten = about?.secondsSinceWritten;
  useEffect(() => {
    if (sinceWritten === undefined) return undefined;
    // A minute without writes ends the "running" state, and no change event reports that.
    const timer = setTimeout(() => setIdleChecks((count) => count + 1), (61 - sinceWritten) * 1000);
    return () => clearTimeout(timer);
  }, [about, sinceWritten]);
  useEffect(() => setPath(about?.session.path), [about?.session.path]);
  const acts = useSessionActions(about?.session);
  const [isTreeOpen, setTreeOpen] = useState(false);
  const [isPrinting, setPrinting] = useState(false);
  const [labelEdit, setLabelEdit] = useState<{ entryId: string; label: string }>();
  const [seen, setSeen] = useState<number>();
  const currentRow = useRef(0);

  const isCurrent = outlined.params?.leaf === leaf && (entry === "" || outlined.params.at === entry);
  const requested = entry !== "" ? outlined.at : line !== "" ? tree?.findByLine(Number(line)) : undefined;
  const at = isCurrent ? requested : undefined;
  const unknown = tree && isCurrent && entry !== "" && at === undefined ? entry : undefined;
  const shown = useMemo(() => {
    if (!tree || tree.count === 0) return undefined;
    const current = new BranchRows(
      tree,
      outlined.leaf === undefined ? tree.count - 1 : tree.newestLeafFrom(outlined.leaf),
    );
    // Shows the requested entry, whatever branch it is on.
    if (at === undefined || leaf !== "" || current.findRow(at) !== undefined) return current;
    return new BranchRows(tree, tree.newestLeafFrom(at));
  }, [tree, outlined.leaf, at, leaf]);
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
      <TrashedSession title={title.current} gone={acts.trashed} back={way.address} onUndo={acts.restore} />
    );
  if (error !== undefined || outlined.error !== undefined)
    return <NoSession session={session} error={error ?? outlined.error} />;
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
        {isTreeOpen && <div class="tree-backdrop" onPointerDown={() => setTreeOpen(false)} />}
        <nav
          class={`session-tree${isTreeOpen ? " session-tree-open" : ""}`}
          aria-label="Tree of this session"
        >
          <div class="tree-head">
            <h2>Tree</h2>
            <button type="button" class="button button-plain tree-close" onClick={() => setTreeOpen(false)}>
              Close
            </button>
          </div>
          {shown && (
            <TreeView
              path={session}
              rows={shown}
              {...{ forkPositions, seen, addressOf }}
              onGo={() => setTreeOpen(false)}
            />
          )}
        </nav>
        {shown ? (
          <div class="transcript-column">
            <TranscriptBar
              {...{ filter, findBox, find, isExpanded }}
              onFilter={(show) => change({ show: show === "all" ? "" : show }, "replace")}
              onPrompt={(by) => goToPrompt.current(by)}
              onExpand={() => setExpanded(!isExpanded)}
            />
            {isCurrent && about ? (
              <Transcript
                path={session}
                rows={shown}
                at={at === undefined ? undefined : shown.findRow(at)}
                {...{ find, filter, isExpanded, goToPrompt }}
                folder={about?.session.cwd}
                onLabel={hub.value === undefined ? editLabel : undefined}
                onSeen={setSeen}
                isLive={sinceWritten !== undefined}
                onPrinted={isPrinting ? () => setPrinting(false) : undefined}
                {...{ links, subagents, forkPositions, addressOf, currentRow, version }}
              />
            ) : (
              <div class="transcript" aria-busy="true" />
            )}
          </div>
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
