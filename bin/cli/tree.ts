import type { Index, TreeEntry, TreeNode } from "../../index.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLine } from "./json.ts";
import { type CommonOptions, EXIT, withIndex } from "./run.ts";
import { cut, oneLine, width } from "./text.ts";
import { preview } from "./transcript.ts";

interface Flags extends CommonOptions {
  all?: boolean;
}

/** `pidex tree`. JSON gives the entries in file order with their parents: nested, a long session has no end. */
export async function run(io: Io, [session = ""]: string[], flags: Flags): Promise<number> {
  return withIndex(io, flags, async (index) => {
    const info = await index.find(session);
    const roots = await index.tree(info.path);
    const entries = await index.treeEntries(info.path);
    if (flags.json) writeJson(io, { session: info, entries });
    else if (flags.ndjson) for (const entry of entries) writeJsonLine(io, entry);
    else await draw(io, index, info.path, roots, entries, flags.all === true);
    return EXIT.done;
  });
}

interface Line {
  entry: TreeEntry;
  /** What stands before it: the branches it hangs from. */
  stem: string;
}

async function draw(
  io: Io,
  index: Index,
  path: string,
  roots: TreeNode<TreeEntry>[],
  entries: readonly TreeEntry[],
  all: boolean,
): Promise<void> {
  const leaf = entries.at(-1);
  const lines = layOut(roots, (node) => all || isOfInterest(node, leaf));
  const previews = await previewsOf(index, path, lines);
  for (const { entry, stem } of lines) {
    const mark = entry.line === leaf?.line ? io.style("green", "●") : entry.onCurrentBranch ? "•" : io.style("dim", "·");
    const label = entry.label === undefined ? "" : io.style("yellow", ` ★ ${oneLine(entry.label)}`);
    const id = oneLine(String(entry.id ?? "-"));
    const kind = KINDS[entry.role ?? ""] ?? entry.role ?? entry.type;
    const head = `${stem}${mark} ${io.style("dim", id)} ${oneLine(kind)}${label} `;
    const room = io.isTerminal ? Math.max(10, io.columns - width(head)) : 120;
    const text = cut(previews.get(entry.line) ?? "", room);
    io.out(`${head}${entry.onCurrentBranch ? text : io.style("dim", text)}`.trimEnd());
    io.out("\n");
  }
}

const KINDS: Record<string, string> = { toolResult: "output", bashExecution: "bash" };

/** What a person looks for in a tree: what people said, where it branches, labels, summaries, ends. */
function isOfInterest({ item, children }: TreeNode<TreeEntry>, leaf: TreeEntry | undefined): boolean {
  if (item.line === leaf?.line || item.label !== undefined) return true;
  if (item.role === "user" || item.role === "bashExecution") return true;
  if (item.type === "compaction" || item.type === "branch_summary" || item.type === "custom_message") return true;
  return children.length !== 1 && item.type !== "label";
}

/**
 * The lines of a tree, in order. As in pi, what follows in a row stands below at the same depth; only where a
 * tree branches do the branches go one deeper. Not recursive: a chain may be 200,000 deep.
 */
function layOut(roots: TreeNode<TreeEntry>[], wanted: (node: TreeNode<TreeEntry>) => boolean): Line[] {
  const lines: Line[] = [];
  const ahead = roots.map((node) => ({ node, stem: "", last: true, first: false })).reverse();
  for (let next = ahead.pop(); next; next = ahead.pop()) {
    const { node, first, last } = next;
    const { children } = node;
    // The stem turns the corner at the first line that is shown of a branch.
    let { stem } = next;
    let corner = first;
    if (wanted(node)) {
      lines.push({ entry: node.item, stem: corner ? `${stem}${last ? "└─ " : "├─ "}` : stem });
      if (corner) stem += last ? "   " : "│  ";
      corner = false;
    }
    const branches = children.length > 1;
    const below = branches && corner ? `${stem}${last ? "   " : "│  "}` : stem;
    children.forEach((_, n) => {
      const position = children.length - 1 - n; // pushed last to first
      const child = children[position] as TreeNode<TreeEntry>;
      if (branches) ahead.push({ node: child, stem: below, last: position === children.length - 1, first: true });
      else ahead.push({ node: child, stem, last, first: corner });
    });
  }
  return lines;
}

async function previewsOf(index: Index, path: string, lines: readonly Line[]): Promise<Map<number, string>> {
  const previews = new Map<number, string>();
  const branch = { lines: lines.map(({ entry }) => entry.line) };
  for await (const { line, entry } of index.entries(path, { branch })) previews.set(line, preview(entry, 200));
  return previews;
}
