/** What is beside a transcript; in a narrow window, over it. */
import type { BranchRows } from "./branch-rows.ts";
import type { ForkPositions } from "./linked-sessions.ts";
import { TreeView } from "./tree-view.tsx";

interface Props {
  session: string;
  /** The displayed branch; undefined until it is known. */
  rows: BranchRows | undefined;
  forkPositions: ForkPositions;
  /** The entry being read. */
  seen: number | undefined;
  addressOf: (params: Record<string, string>) => string;
  /** Whether it is shown in a narrow window. */
  isOpen: boolean;
  onClose: () => void;
}

export function Sidebar({ session, rows, isOpen, onClose, ...tree }: Props) {
  return (
    <>
      {isOpen && <div class="tree-backdrop" onPointerDown={onClose} />}
      <nav class={`session-tree${isOpen ? " session-tree-open" : ""}`} aria-label="Tree of this session">
        <div class="tree-head">
          <h2>Tree</h2>
          <button type="button" class="button button-plain tree-close" onClick={onClose}>
            Close
          </button>
        </div>
        {rows && <TreeView path={session} {...{ rows, ...tree }} onGo={onClose} />}
      </nav>
    </>
  );
}
