/** The tree of a session as lines, for terminals. */
import { buildTree, type TreeEntry, type TreeNode } from "../../index.ts";
import { oneLine } from "./safe.ts";

/** An entry where it stands in the tree. */
export interface TreeLine {
  entry: TreeEntry;
  /** What stands before it: the branches it hangs from. */
  stem: string;
}

/** The lines of a session's tree: those a person would look for, or `all`. `entries` are in file order. */
export function treeLines(entries: readonly TreeEntry[], all: boolean): TreeLine[] {
  const leaf = entries.at(-1);
  return layOut(buildTree(entries), (node) => all || isOfInterest(node, leaf));
}

const KINDS: Record<string, string> = {
  toolResult: "output",
  bashExecution: "bash",
  branch_summary: "summary",
  session_info: "name",
  model_change: "model",
  thinking_level_change: "thinking",
  custom_message: "custom",
  context_edit: "context",
  session_summary: "summary",
};

/** What an entry is, in a word. */
export function kindOf({ role, type }: Pick<TreeEntry, "role" | "type">): string {
  const kind = role ?? type;
  return oneLine(Object.hasOwn(KINDS, kind) ? (KINDS[kind] as string) : kind);
}

/** What a person looks for in a tree: what people said, where it branches, labels, summaries, ends. */
function isOfInterest({ entry, children }: TreeNode<TreeEntry>, leaf: TreeEntry | undefined): boolean {
  if (entry.line === leaf?.line || entry.label !== undefined) return true;
  if (entry.role === "user" || entry.role === "bashExecution") return true;
  if (entry.type === "compaction" || entry.type === "branch_summary" || entry.type === "custom_message")
    return true;
  return children.length !== 1 && entry.type !== "label";
}

/**
 * The lines of a tree, in order. As in pi, what follows in a row stands below at the same depth; only where a
 * tree branches do the branches go one deeper. Not recursive: a chain may be 200,000 deep.
 */
function layOut(roots: TreeNode<TreeEntry>[], wanted: (node: TreeNode<TreeEntry>) => boolean): TreeLine[] {
  const lines: TreeLine[] = [];
  const ahead = roots.map((node) => ({ node, stem: "", last: true, first: false })).reverse();
  for (let next = ahead.pop(); next; next = ahead.pop()) {
    const { node, first, last } = next;
    const { children } = node;
    // The stem turns the corner at the first line that is shown of a branch.
    let { stem } = next;
    let corner = first;
    if (wanted(node)) {
      lines.push({ entry: node.entry, stem: corner ? `${stem}${last ? "└─ " : "├─ "}` : stem });
      if (corner) stem += last ? "   " : "│  ";
      corner = false;
    }
    const branches = children.length > 1;
    const below = branches && corner ? `${stem}${last ? "   " : "│  "}` : stem;
    children.forEach((_, n) => {
      const position = children.length - 1 - n; // pushed last to first
      const child = children[position] as TreeNode<TreeEntry>;
      if (branches)
        ahead.push({ node: child, stem: below, last: position === children.length - 1, first: true });
      else ahead.push({ node: child, stem, last, first: corner });
    });
  }
  return lines;
}
