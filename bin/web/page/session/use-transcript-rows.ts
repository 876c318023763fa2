/** The rows of a transcript, and which of their parts and groups are open. */
import { useMemo, useReducer } from "preact/hooks";
import type { FoldState } from "../entries/display-options.ts";
import { LimitedMap } from "../shell/limited-map.ts";
import type { BranchRows } from "./branch-rows.ts";
import type { RowProps } from "./transcript-row.tsx";
import { type CallGroup, type Filter, TranscriptRows } from "./transcript-rows.ts";

/** Parts with a state that outlives their rows. */
const MAX_FOLDED_PARTS = 5000;

interface Options extends Pick<RowProps, "subagents" | "forkPositions"> {
  path: string;
  branch: BranchRows;
  filter: Filter;
  /** Whether everything is expanded that the user did not collapse. */
  isExpanded: boolean;
  /** Whether an agent may be running. */
  isLive: boolean;
  /** Returns the open parts and groups to start with, if the user comes back. */
  restore: () => FoldState | undefined;
}

export function useTranscriptRows(options: Options) {
  const { path, branch, filter, isExpanded, isLive, restore, subagents, forkPositions } = options;
  const folding = useMemo(
    (): FoldState => restore() ?? new LimitedMap<string, boolean>(MAX_FOLDED_PARTS),
    [path, isExpanded],
  );
  /** How often groups were opened or closed: the rows change with it. */
  const [toggled, countToggle] = useReducer((count: number) => count + 1, 0);
  const rows = useMemo(() => {
    const standsAlone = (message: number) =>
      branch
        .positions(message)
        .some(
          (position) =>
            branch.tree.labels.has(position) ||
            branch.tree.childCount(position) > 1 ||
            subagents.has(position) ||
            forkPositions.forks.has(position) ||
            forkPositions.parent?.position === position,
        );
    const isLast = ({ last }: CallGroup) => isLive && last === branch.count - 1;
    const isOpen = (key: number, group: CallGroup) =>
      folding.get(groupName(key)) ?? (isExpanded || isLast(group));
    return new TranscriptRows(branch, { filter, isOpen, standsAlone });
  }, [branch, filter, folding, toggled, subagents, forkPositions, isLive, isExpanded]);
  return {
    rows,
    folding,
    toggled,
    /** Whether the user opened a group. */
    isGroupOpened: (group: CallGroup) => folding.get(groupName(branch.key(group.first))) === true,
    setGroup: (group: CallGroup, isOpen: boolean) => {
      folding.set(groupName(branch.key(group.first)), isOpen);
      countToggle(undefined as never);
    },
  };
}

/** The name of a group of calls among the foldable parts. */
function groupName(key: number): string {
  return `calls/${key}`;
}
