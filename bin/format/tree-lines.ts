/** The tree of a session as lines, for terminals. */
import type { Outline, OutlineKind } from "../../library/index.ts";
import { type CallCounts, countCalls, isOnlyCalls } from "./call-counts.ts";
import { isHousekeeping, isSummary } from "./entry-kinds.ts";
import { TreeOfPositions } from "./tree-of-positions.ts";

/** An entry with its position in the tree, or a group of tool calls with that of its first entry. */
export interface TreeLine {
  id: Outline["id"][number];
  /** Its line in the file. */
  line: number;
  kind: OutlineKind;
  /** Unix milliseconds. */
  time: number | undefined;
  label: string | undefined;
  /** The branch lines drawn before it. */
  prefix: string;
  /** Set on the first line of a branch: which of the branches at that point it is, from 1. */
  branch?: { number: number; of: number };
  isOnCurrentBranch: boolean;
  /** Whether the session continues from here: it is the last entry of the conversation. */
  isLeaf: boolean;
  /** The calls of a group. */
  calls?: CallCounts;
  /** Whether it is in a group that is open. */
  isMember?: boolean;
  /** Entries that are hidden below a closed prompt. */
  hidden?: number;
}

export interface TreeOptions {
  /** Whether every entry is shown, without groups. */
  all: boolean;
  /** Lines of the first entries of open groups. */
  opened?: readonly number[];
  /** Lines of prompts that hide what follows, up to the next prompt. */
  closed?: readonly number[];
}

/** The lines of a session's tree: all entries, or prompts, answers and landmarks, with consecutive tool calls as one line. */
export function treeLines(outline: Outline, options: TreeOptions): TreeLine[] {
  const tree = new TreeOfPositions(outline.parent, outline.time);
  const labels = new Map(outline.labels.map(({ position, label }) => [position, label]));
  const hidden = findHousekeeping(tree, outline, labels);
  const current = new Uint8Array(outline.line.length);
  let leaf: number | undefined;
  for (let at = outline.line.length - 1; at >= 0; at = outline.parent[at] as number) {
    current[at] = 1;
    if (!hidden[at]) leaf ??= at;
  }
  const left = options.all ? new Uint8Array(hidden.length) : hidden;
  return layOut(tree, { outline, labels, current, leaf, hidden: left, options });
}

function kindAt({ kind, kinds }: Outline, position: number): OutlineKind {
  return kinds[kind[position] as number] as OutlineKind;
}

/** Names, tags, labels and the like without a label of their own, if everything below them is such an entry too: 1 by position. */
function findHousekeeping(
  tree: TreeOfPositions,
  outline: Outline,
  labels: ReadonlyMap<number, string>,
): Uint8Array {
  const found = new Uint8Array(outline.line.length);
  for (const position of tree.inOrder().reverse()) {
    if (
      isHousekeeping(kindAt(outline, position).type) &&
      !labels.has(position) &&
      tree.childrenOf(position).every((child) => found[child])
    )
      found[position] = 1;
  }
  return found;
}

/** Whether the short tree shows an entry of a kind, wherever it is in the tree. */
function isNotable({ type, role, hasText, failed }: OutlineKind): boolean {
  if (role === "assistant") return hasText === true || failed === true;
  if (role === "user" || role === "bashExecution" || role === "pythonExecution") return true;
  return isSummary(type) || type === "custom_message";
}

interface Layout {
  outline: Outline;
  labels: ReadonlyMap<number, string>;
  /** The entries of the current branch: 1 by position. */
  current: Uint8Array;
  leaf: number | undefined;
  /** Entries that are left out as if they did not exist: 1 by position. */
  hidden: Uint8Array;
  options: TreeOptions;
}

interface Ahead {
  /** The position of an entry. */
  at: number;
  stem: string;
  isLast: boolean;
  /** The branch whose corner comes next, at its first visible line. */
  branch?: TreeLine["branch"];
  group?: Group | undefined;
  /** The closed prompt that hides the entry. */
  prompt?: TreeLine | undefined;
}

interface Group {
  line: TreeLine;
  kinds: OutlineKind[];
}

/**
 * The lines of a tree, in order. As in pi, an only child has the depth of its parent, and branches are indented by one
 * level. Not recursive, because a chain may be 200,000 entries deep.
 */
function layOut(tree: TreeOfPositions, { outline, labels, current, leaf, hidden, options }: Layout) {
  const opened = new Set(options.opened);
  const closed = new Set(options.closed);
  const isVisible = (position: number) => !hidden[position];
  const lines: TreeLine[] = [];
  const groups: Group[] = [];
  const ahead = Array.from(
    tree.roots().filter(isVisible),
    (at): Ahead => ({ at, stem: "", isLast: true }),
  ).reverse();
  for (let next = ahead.pop(); next; next = ahead.pop()) {
    const { at, isLast } = next;
    let { stem, branch, group, prompt } = next;
    const kind = kindAt(outline, at);
    const line = outline.line[at] as number;
    const label = labels.get(at);
    const isLeaf = at === leaf;
    const all = tree.childrenOf(at);
    const children = all.every(isVisible) ? all : all.filter(isVisible);
    const addLine = (more: Partial<TreeLine> = {}): TreeLine => {
      const time = outline.time[at] ?? undefined;
      const prefix = branch ? `${stem}${isLast ? "└─ " : "├─ "}` : stem;
      const isOnCurrentBranch = current[at] === 1;
      const added = { ...{ id: outline.id[at] ?? null, line, kind, time, label, prefix }, isOnCurrentBranch };
      lines.push({ ...added, isLeaf, ...(branch && { branch }), ...more });
      if (branch) stem += isLast ? "   " : "│  ";
      branch = undefined;
      return lines.at(-1) as TreeLine;
    };
    if (kind.role === "user") prompt = undefined;
    const isCall =
      !options.all &&
      label === undefined &&
      children.length <= 1 &&
      (isOnlyCalls(kind) || kind.role === "toolResult");
    if (!isCall && (kind.type === "message" || isNotable(kind))) group = undefined;
    if (prompt && !isLeaf && label === undefined) prompt.hidden = (prompt.hidden ?? 0) + 1;
    else if (isCall) {
      const isOpen = opened.has(group?.line.line ?? line);
      if (!group) {
        group = { line: addLine({ isLeaf: isLeaf && !isOpen }), kinds: [] };
        groups.push(group);
      }
      group.kinds.push(kind);
      if (isOpen) addLine({ isMember: true });
      else if (isLeaf) group.line.isLeaf = true;
    } else if (
      options.all ||
      isLeaf ||
      label !== undefined ||
      isNotable(kind) ||
      (children.length !== 1 && kind.type !== "label")
    ) {
      const added = addLine();
      if (kind.role === "user" && closed.has(line)) prompt = added;
    }
    const below = children.length > 1 && branch ? `${stem}${isLast ? "   " : "│  "}` : stem;
    for (let n = children.length - 1; n >= 0; n--) {
      const child = { at: children[n] as number, prompt };
      if (children.length === 1) ahead.push({ ...child, stem, isLast, branch, group });
      else {
        const ofPoint = { number: n + 1, of: children.length };
        ahead.push({ ...child, stem: below, isLast: n === children.length - 1, branch: ofPoint });
      }
    }
  }
  // Without results there is nothing to count: thinking, or calls that were interrupted.
  for (const { line, kinds } of groups) {
    const calls = countCalls(kinds);
    if (calls.total > 0) line.calls = calls;
  }
  return lines;
}
