/** The tree of a session as lines, for terminals. */

import { buildTree, type TreeEntry, type TreeNode } from "../../library/index.ts";
import { isSummary } from "./entry-kinds.ts";

/** An entry with its position in the tree. */
export interface TreeLine {
  entry: TreeEntry;
  /** The branch lines drawn before it. */
  prefix: string;
  /** Whether the session continues from here: it is the last visible entry of the file. */
  isLeaf: boolean;
}

/** The lines of a session's tree: `all`, or only landmarks. `entries` are in file order. */
export function treeLines(entries: readonly TreeEntry[], all: boolean): TreeLine[] {
  const roots = buildTree(entries);
  const nodes = listNodes(roots);
  const quiet = all ? new Set<Node>() : quietNodes(nodes);
  // The last entry of the file, or its nearest ancestor that isn't quiet.
  const leaf = nodes.findLast((node) => node.entry.onCurrentBranch && !quiet.has(node))?.entry;
  const isVisible = (node: Node) => !quiet.has(node);
  const childrenOf = ({ children }: Node) =>
    children.every(isVisible) ? children : children.filter(isVisible);
  const isShown = (node: Node) => all || isLandmark(node.entry, childrenOf(node).length, leaf);
  return layOut(roots.filter(isVisible), { isShown, childrenOf, leaf });
}

type Node = TreeNode<TreeEntry>;

/** All nodes, each before its descendants. */
function listNodes(roots: readonly Node[]): Node[] {
  const nodes: Node[] = [];
  const ahead = [...roots];
  for (let node = ahead.pop(); node; node = ahead.pop()) {
    nodes.push(node);
    for (const child of node.children) ahead.push(child);
  }
  return nodes;
}

/**
 * `custom` entries without a label whose descendants are all such: metadata such as pins, and the state of extensions.
 * The short tree hides them.
 */
function quietNodes(nodes: readonly Node[]): Set<Node> {
  const quiet = new Set<Node>();
  for (const node of nodes.toReversed()) {
    const { type, label } = node.entry;
    if (type === "custom" && label === undefined && node.children.every((child) => quiet.has(child)))
      quiet.add(node);
  }
  return quiet;
}

/** Whether the short tree shows an entry: user input, branching points, labels, summaries, ends. */
function isLandmark(entry: TreeEntry, childCount: number, leaf: TreeEntry | undefined): boolean {
  if (entry === leaf || entry.label !== undefined) return true;
  if (entry.role === "user" || entry.role === "bashExecution" || entry.role === "pythonExecution")
    return true;
  if (isSummary(entry.type) || entry.type === "custom_message") return true;
  return childCount !== 1 && entry.type !== "label";
}

interface LayoutOptions {
  isShown: (node: Node) => boolean;
  /** The children to lay out. */
  childrenOf: (node: Node) => Node[];
  leaf: TreeEntry | undefined;
}

/**
 * The lines of a tree, in order. As in pi, an only child has the depth of its parent, and branches are indented by one
 * level. Not recursive, because a chain may be 200,000 entries deep.
 */
function layOut(roots: Node[], { isShown, childrenOf, leaf }: LayoutOptions): TreeLine[] {
  const lines: TreeLine[] = [];
  const ahead = roots.map((node) => ({ node, stem: "", last: true, first: false })).reverse();
  for (let next = ahead.pop(); next; next = ahead.pop()) {
    const { node, first, last } = next;
    const children = childrenOf(node);
    // The corner is drawn at the first visible line of a branch.
    let { stem } = next;
    let corner = first;
    if (isShown(node)) {
      const isLeaf = node.entry.line === leaf?.line;
      lines.push({ entry: node.entry, prefix: corner ? `${stem}${last ? "└─ " : "├─ "}` : stem, isLeaf });
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
