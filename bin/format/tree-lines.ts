/** The tree of a session as lines, for terminals. */

import { buildTree, type TreeEntry, type TreeNode } from "../../library/index.ts";
import { isSummary } from "./entry-kinds.ts";

/** An entry where it stands in the tree. */
export interface TreeLine {
  entry: TreeEntry;
  /** What stands before it: the branches it hangs from. */
  stem: string;
  /** Whether the session goes on from here: of what is shown, its last entry. */
  isLeaf: boolean;
}

/** The lines of a session's tree: those a person would look for, or `all`. `entries` are in file order. */
export function treeLines(entries: readonly TreeEntry[], all: boolean): TreeLine[] {
  const roots = buildTree(entries);
  if (all)
    return layOut(roots, { wanted: () => true, below: ({ children }) => children, leaf: entries.at(-1) });
  const quiet = quietNodes(roots);
  const leaf = lastHeard(roots, quiet, entries.at(-1));
  const isHeard = (node: Node) => !quiet.has(node);
  const below = ({ children }: Node) => (children.every(isHeard) ? children : children.filter(isHeard));
  const wanted = (node: Node) => isOfInterest(node.entry, below(node).length, leaf);
  return layOut(roots.filter(isHeard), { wanted, below, leaf });
}

type Node = TreeNode<TreeEntry>;

/**
 * What programs put beside a session for themselves, and all that hangs from it likewise: that it was pinned, the state
 * of an extension. Nobody looks for it in a tree.
 */
function quietNodes(roots: readonly Node[]): Set<Node> {
  const order: Node[] = [];
  const ahead = [...roots];
  for (let node = ahead.pop(); node; node = ahead.pop()) {
    order.push(node);
    for (const child of node.children) ahead.push(child);
  }
  const quiet = new Set<Node>();
  for (const node of order.reverse()) {
    const { type, label } = node.entry;
    if (type === "custom" && label === undefined && node.children.every((child) => quiet.has(child)))
      quiet.add(node);
  }
  return quiet;
}

/** The entry that the last one of the file hangs from, where that one is quiet. */
function lastHeard(
  roots: readonly Node[],
  quiet: ReadonlySet<Node>,
  last: TreeEntry | undefined,
): TreeEntry | undefined {
  if (last?.type !== "custom") return last;
  const ahead = roots.map((node) => ({ node, heard: undefined as TreeEntry | undefined }));
  for (let next = ahead.pop(); next; next = ahead.pop()) {
    const heard = quiet.has(next.node) ? next.heard : next.node.entry;
    if (next.node.entry === last) return heard;
    for (const node of next.node.children) ahead.push({ node, heard });
  }
  return last;
}

/** What a person looks for in a tree: what people said, where it branches, labels, summaries, ends. */
function isOfInterest(entry: TreeEntry, childCount: number, leaf: TreeEntry | undefined): boolean {
  if (entry === leaf || entry.label !== undefined) return true;
  if (entry.role === "user" || entry.role === "bashExecution" || entry.role === "pythonExecution")
    return true;
  if (isSummary(entry.type) || entry.type === "custom_message") return true;
  return childCount !== 1 && entry.type !== "label";
}

interface Laying {
  wanted: (node: Node) => boolean;
  /** What hangs from an entry, as far as it is looked at. */
  below: (node: Node) => Node[];
  leaf: TreeEntry | undefined;
}

/**
 * The lines of a tree, in order. As in pi, what follows in a row stands below at the same depth; only where a
 * tree branches do the branches go one deeper. Not recursive: a chain may be 200,000 deep.
 */
function layOut(roots: Node[], { wanted, below: childrenOf, leaf }: Laying): TreeLine[] {
  const lines: TreeLine[] = [];
  const ahead = roots.map((node) => ({ node, stem: "", last: true, first: false })).reverse();
  for (let next = ahead.pop(); next; next = ahead.pop()) {
    const { node, first, last } = next;
    const children = childrenOf(node);
    // The stem turns the corner at the first line that is shown of a branch.
    let { stem } = next;
    let corner = first;
    if (wanted(node)) {
      const isLeaf = node.entry.line === leaf?.line;
      lines.push({ entry: node.entry, stem: corner ? `${stem}${last ? "└─ " : "├─ "}` : stem, isLeaf });
      if (corner) stem += last ? "   " : "│  ";
      corner = false;
    }
    const branches = children.length > 1;
    const below = branches && corner ? `${stem}${last ? "   " : "│  "}` : stem;
    children.forEach((_, n) => {
      const position = children.length - 1 - n; // pushed last to first
      const child = children[position] as Node;
      if (branches)
        ahead.push({ node: child, stem: below, last: position === children.length - 1, first: true });
      else ahead.push({ node: child, stem, last, first: corner });
    });
  }
  return lines;
}
