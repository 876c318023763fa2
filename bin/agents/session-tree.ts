import type { z } from "zod";
import type { EntryId, Index, Outline } from "../../library/index.ts";
import type { Redactor } from "../../library/internal.ts";
import { isSummary } from "../format/entry-kinds.ts";
import { preview } from "../format/preview.ts";
import { counted, field } from "../format/safe.ts";
import type { Answer } from "./answer.ts";
import type { TreeAnswer } from "./answers.ts";
import { branchTo } from "./branch.ts";
import type { Context } from "./context.ts";
import { cursorGone, decodePageEnd, encodePageEnd } from "./page-end.ts";
import { citationIn, findGiven } from "./place.ts";
import type { TreeQuestion } from "./questions.ts";
import { tokensIn } from "./tokens.ts";
import { briefly, headingOf, headingTokens, lines, nameIn, QUOTED } from "./told.ts";

/** What is left for anything but the entries, in tokens. */
const AROUND = 90;
/** How much of an entry says what it is about, in characters. */
const MOST_ABOUT = 100;
/** Entries that are read at once. */
const AT_ONCE = 32;

/** The tree of a session where it has a shape: where branches part, begin and end. */
export async function sessionTree(
  index: Index,
  asked: z.output<typeof TreeQuestion>,
  { asking, redactor, control, outlines }: Context,
): Promise<Answer<TreeAnswer>> {
  const { session } = await findGiven(index, asked.session, asking);
  const { outline } = await outlines.of(session);
  const begun = asked.cursor === undefined ? 0 : begunAt(asked.cursor, outline, session.path);
  const { nodes, branchCount } = shapeOf(outline, begun);
  const first = Math.max(
    0,
    asked.cursor === undefined ? 0 : nodes.findIndex(({ position }) => position === begun),
  );
  const isCurrent = new Set(branchTo(outline, undefined).positions);
  const labels = new Map(outline.labels.map(({ position, label }) => [position, label]));

  const entries: TreeAnswer["entries"] = [];
  const brief = briefly(session, redactor);
  let left = asked.max_tokens - AROUND - headingTokens(brief);
  let next: string | undefined;
  for (let from = first; from < nodes.length && next === undefined; from += AT_ONCE) {
    control.signal?.throwIfAborted();
    const some = nodes.slice(from, from + AT_ONCE);
    const about = await previews(
      index,
      session.path,
      some.map(({ position }) => outline.line[position] as number),
      redactor,
    );
    for (const { position, depth, skipped } of some) {
      const line = outline.line[position] as number;
      const kind = outline.kinds[outline.kind[position] as number] as Outline["kinds"][number];
      const label = labels.get(position);
      const text = about.get(line) ?? "";
      const entry = {
        entryId: outline.id[position] as EntryId | null,
        line,
        type: nameIn(kind.type, redactor),
        ...(kind.role !== undefined && { role: nameIn(kind.role, redactor) }),
        ...(label !== undefined && { label: nameIn(label, redactor) }),
        onCurrentBranch: isCurrent.has(position),
        depth,
        skipped,
        text,
      };
      left -= Math.max(tokensIn(lineOf(entry)), tokensIn(JSON.stringify(entry))) + 1;
      if (left < 0 && entries.length > 0) {
        next = encodePageEnd(session.path, { to: "tree", leaf: null, line });
        break;
      }
      entries.push(entry);
    }
  }
  const entryCount = outline.id.length;
  const data: TreeAnswer = { session: brief, entries, entryCount, branchCount, ...(next && { next }) };
  const text = lines(
    headingOf(brief),
    field(brief.path),
    `${counted(entryCount, "entry", "entries")}, ${counted(branchCount, "branch", "branches")}; * is the current one. ${QUOTED}`,
    ...entries.map(lineOf),
    next !== undefined && `\nMore: cursor ${next}`,
  );
  return { text, data };
}

function lineOf({
  depth,
  skipped,
  onCurrentBranch,
  line,
  entryId,
  type,
  role,
  label,
  text,
}: TreeAnswer["entries"][number]): string {
  const stem = "  ".repeat(Math.min(depth, 20));
  const passed = skipped > 0 ? `${stem}  … ${counted(skipped, "entry", "entries")}\n` : "";
  const what = `${onCurrentBranch ? "*" : "-"} ${citationIn(line, entryId)} ${role ?? type}`;
  const marked = label === undefined ? "" : ` [label ${label}]`;
  return `${passed}${stem}${what}${marked}${text && ` > ${text}`}`;
}

/** Where a cursor goes on. @throws PidexError `BAD_CURSOR` */
function begunAt(cursor: string, outline: Outline, path: string): number {
  const { to, line } = decodePageEnd(cursor, path);
  const position = outline.line.indexOf(line);
  if (to !== "tree" || position < 0) throw cursorGone();
  return position;
}

interface Node {
  position: number;
  depth: number;
  skipped: number;
}

/**
 * What comes to be told of a tree, each branch after the other, the one that was gone on with last at the end. Where a page
 * begins is told in any case: a label may have been taken away since the one before it.
 */
function shapeOf(outline: Outline, begun: number): { nodes: Node[]; branchCount: number } {
  const { parent, kind, kinds } = outline;
  const count = parent.length;
  const children = new Map<number, number[]>();
  for (let position = 0; position < count; position++) {
    const above = parent[position] as number;
    const known = children.get(above);
    if (known) known.push(position);
    else children.set(above, [position]);
  }
  const isOfNote = new Uint8Array(count);
  isOfNote[begun] = 1;
  for (const { position } of outline.labels) isOfNote[position] = 1;
  const hasSummary = kinds.map(({ type }) => isSummary(type));
  let branchCount = 0;
  for (let position = 0; position < count; position++) {
    const below = children.get(position) ?? [];
    if (below.length === 0) branchCount++;
    if (below.length !== 1 || hasSummary[kind[position] as number]) isOfNote[position] = 1;
    if (below.length > 1 || (parent[position] as number) < 0) {
      for (const child of below.length > 1 ? below : []) isOfNote[child] = 1;
      isOfNote[position] = 1;
    }
  }
  const nodes: Node[] = [];
  const ahead = (children.get(-1) ?? []).map((position) => ({ position, depth: 0, skipped: 0 })).reverse();
  for (let node = ahead.pop(); node; node = ahead.pop()) {
    const { position, depth, skipped } = node;
    const isTold = isOfNote[position] === 1;
    if (isTold) nodes.push(node);
    const below = children.get(position) ?? [];
    const deeper = below.length > 1 ? depth + 1 : depth;
    for (const child of below.toReversed())
      ahead.push({ position: child, depth: deeper, skipped: isTold ? 0 : skipped + 1 });
  }
  return { nodes, branchCount };
}

/** What entries are about, by line. */
async function previews(
  index: Index,
  path: string,
  wanted: number[],
  redactor: Redactor | undefined,
): Promise<Map<number, string>> {
  const about = new Map<number, string>();
  for await (const { entry, line } of index.entries(path, { branch: { lines: wanted } }))
    about.set(line, preview(redactor ? redactor.value(entry) : entry, MOST_ABOUT));
  return about;
}
