/** What is beside a transcript: the tree, and the files that were changed. In a narrow window, it is over the transcript. */
import { useId, useRef, useState } from "preact/hooks";
import { formatInteger } from "../../../format/safe.ts";
import type { BranchRows } from "./branch-rows.ts";
import { FileList, type OpenedCalls } from "./file-list.tsx";
import type { ForkPositions } from "./linked-sessions.ts";
import "./sidebar.css";
import { SidebarEdge } from "./sidebar-edge.tsx";
import { sidebarWidth } from "./sidebar-width.ts";
import { TreeView } from "./tree-view.tsx";
import { useFileEdits } from "./use-file-edits.ts";

interface Props {
  session: string;
  /** The displayed branch; undefined until it is known. */
  rows: BranchRows | undefined;
  forkPositions: ForkPositions;
  /** The entry being read. */
  seen: number | undefined;
  /** The line in the address. */
  line: number;
  addressOf: (params: Record<string, string>) => string;
  /** The address of a message with edits, by its line. */
  editAddressOf: (line: number) => string;
  /** Whether it is shown in a narrow window. */
  isOpen: boolean;
  onClose: () => void;
  /** The calls of a file are gone to. */
  onCalls: (calls: OpenedCalls) => void;
}

const TABS = ["tree", "files"] as const;
type Tab = (typeof TABS)[number];

const TAB_KEY = "pidex-sidebar-tab";

function describeFiles(count: number | undefined): string | undefined {
  if (count === undefined) return "Lists and counts the changed files";
  return count === 0 ? "No files were changed with editing tools" : undefined;
}

export function Sidebar({ session, rows, line, isOpen, editAddressOf, onClose, onCalls, ...tree }: Props) {
  const [tab, setTab] = useState<Tab>(() => (localStorage.getItem(TAB_KEY) === "files" ? "files" : "tree"));
  const nav = useRef<HTMLElement>(null);
  const id = useId();
  const files = useFileEdits(session, rows, tab === "files");
  const hasNoFiles = files?.length === 0;
  const select = (next: Tab) => {
    setTab(next);
    localStorage.setItem(TAB_KEY, next);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    event.preventDefault();
    const next = tab === "tree" && !hasNoFiles ? "files" : "tree";
    select(next);
    document.getElementById(`${id}-${next}`)?.focus();
  };
  const width = sidebarWidth.value;
  const isTree = tab === "tree";
  return (
    <>
      {isOpen && <div class="tree-backdrop" onPointerDown={onClose} />}
      <nav
        ref={nav}
        class={`session-tree${isOpen ? " session-tree-open" : ""}`}
        aria-label="Tree and files of this session"
        style={width === undefined ? undefined : { "--sidebar-width": `${width}px` }}
      >
        <div class="tree-head">
          <div class="sidebar-tabs" role="tablist" aria-label="Sidebar" onKeyDown={onKeyDown}>
            {TABS.map((each) => (
              <button
                key={each}
                type="button"
                id={`${id}-${each}`}
                class="sidebar-tab"
                role="tab"
                aria-selected={each === tab}
                aria-controls={`${id}-panel`}
                tabIndex={each === tab ? 0 : -1}
                disabled={each === "files" && hasNoFiles && isTree}
                title={each === "files" ? describeFiles(files?.length) : undefined}
                onClick={() => select(each)}
              >
                {each === "tree" ? "Tree" : "Files"}
                {each === "files" && files && (
                  <span class="sidebar-count">{formatInteger(files.length)}</span>
                )}
              </button>
            ))}
          </div>
          <button type="button" class="button button-plain tree-close" onClick={onClose}>
            Close
          </button>
        </div>
        <div class="sidebar-panel" id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${tab}`}>
          {rows && isTree && <TreeView path={session} {...{ rows, ...tree }} onGo={onClose} />}
          {rows && !isTree && (
            <FileList
              {...{ files, line }}
              addressOf={editAddressOf}
              onGo={(calls) => {
                onCalls(calls);
                onClose();
              }}
            />
          )}
        </div>
        <SidebarEdge getSidebar={() => nav.current} />
      </nav>
    </>
  );
}
