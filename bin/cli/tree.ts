import { buildTree, type Index, type TreeEntry, type TreeNode } from "../../index.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { type CommonOptions, EXIT, withIndex } from "./run.ts";
import { counted, cut, cutStart, oneLine, width } from "./text.ts";
import { preview } from "./transcript.ts";

interface Flags extends CommonOptions {
  all?: boolean;
}

/** `pidex tree`. JSON gives the entries in file order with their parents: nested, a long session has no end. */
export async function run(io: Io, [session = ""]: string[], flags: Flags): Promise<number> {
  return withIndex(io, flags, async (index) => {
    const info = await index.find(session);
    const entries = await index.treeEntries(info.path);
    if (flags.json) await writeJson(io, { session: info, entries });
    else if (flags.ndjson) await writeJsonLines(io, entries);
    else if (entries.length === 0) io.err("the session has no entries\n");
    else await draw(io, index, info.path, entries, flags.all === true);
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
  entries: readonly TreeEntry[],
  all: boolean,
): Promise<void> {
  const leaf = entries.at(-1);
  const lines = layOut(buildTree(entries), (node) => all || isOfInterest(node, leaf));
  const previews = await previewsOf(index, path, lines);
  for (const line of lines) await io.out(drawn(io, line, previews.get(line.entry.line) ?? "", leaf));
  const hidden = entries.length - lines.length;
  if (hidden > 0 && io.isTerminal)
    io.err(`${io.style("dim", `… ${counted(hidden, "more entry", "more entries")}: --all`)}\n`);
}

/** How much of a line of a pipe a text takes: there is no terminal that says. */
const PIPE_WIDTH = 120;

function drawn(io: Io, { entry, stem }: Line, text: string, leaf: TreeEntry | undefined): string {
  const most = (share: number) => (io.isTerminal ? Math.floor(io.columns * share) : PIPE_WIDTH);
  const mark =
    entry.line === leaf?.line ? io.style("green", "●") : entry.onCurrentBranch ? "•" : io.style("dim", "·");
  const id = cut(oneLine(String(entry.id ?? "-")), most(0.5));
  const kind = cut(kindOf(entry), most(0.25));
  const label = entry.label === undefined ? "" : ` [${cut(oneLine(entry.label), most(0.25))}]`;
  // Branches of branches without end would push everything off a terminal.
  const above = io.isTerminal ? cutStart(stem, most(0.5)) : stem;
  const head = `${above}● ${id} ${kind}${label} `;
  const room = io.isTerminal ? io.columns - width(head) : PIPE_WIDTH;
  const shown = cut(text, room);
  const styled = `${above}${mark} ${io.style("dim", id)} ${kind}${label && io.style("yellow", label)}`;
  if (room < 0) return `${cut(head, io.columns)}\n`;
  return `${styled} ${entry.onCurrentBranch || shown === "" ? shown : io.style("dim", shown)}`
    .trimEnd()
    .concat("\n");
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

function kindOf({ role, type }: TreeEntry): string {
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

async function previewsOf(index: Index, path: string, lines: readonly Line[]): Promise<Map<number, string>> {
  const previews = new Map<number, string>();
  const branch = { lines: lines.map(({ entry }) => entry.line) };
  for await (const { line, entry } of index.entries(path, { branch }))
    previews.set(line, preview(entry, 200));
  return previews;
}
