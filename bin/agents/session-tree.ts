import type { Outline } from "../../library/index.ts";
import { isSummary } from "../format/entry-kinds.ts";
import { formatPreview } from "../format/preview.ts";
import { formatCount, toField } from "../format/safe.ts";
import type { Answer, RequestContext } from "./answer.ts";
import type { TreeAnswer } from "./answers.ts";
import { getBranchTo, groupByParent } from "./branch.ts";
import { formatShortCitation, resolveReference } from "./citations.ts";
import { countTokens, takeFitting } from "./fit-to-budget.ts";
import {
  countHeadingTokens,
  formatSessionLine,
  joinLines,
  QUOTATION_NOTICE,
  toBriefSession,
  toSafeName,
} from "./format-session.ts";
import type { Params, TreeParams } from "./params.ts";
import { decodeReadCursor, encodeReadCursor, staleCursorError } from "./read-cursor.ts";

/** Tokens reserved for everything but the entries. */
const RESERVED_TOKENS = 90;
/** Maximum length of a preview, in characters. */
const MAX_PREVIEW_CHARACTERS = 100;
/** Entries read per batch. */
const BATCH_SIZE = 32;

type TreeEntry = TreeAnswer["entries"][number];

/** Returns the shape of the tree of a session: branch points, and the first and last entries of branches. */
export async function buildSessionTree(
  params: Params<typeof TreeParams>,
  context: RequestContext,
): Promise<Answer<TreeAnswer>> {
  const { session } = await resolveReference(params.session, context);
  const { outline } = await context.outlines.get(session);
  const start = params.cursor === undefined ? 0 : decodeStart(params.cursor, outline, session.path);
  const { nodes, branchCount } = computeShape(outline, start);
  const first = Math.max(
    0,
    nodes.findIndex(({ position }) => position === start),
  );
  const brief = toBriefSession(session, context.redactor);
  const tokens = params.max_tokens - RESERVED_TOKENS - countHeadingTokens(brief);
  const rendered = renderNodes(nodes.slice(first), outline, session.path, context);
  const { taken, next } = await takeFitting(rendered, tokens);
  const entries = taken.map(({ entry }) => entry);
  const entryCount = outline.id.length;
  const text = joinLines(
    formatSessionLine(brief),
    toField(brief.path),
    `${formatCount(entryCount, "entry", "entries")}, ${formatCount(branchCount, "branch", "branches")}; * marks the current one. ${QUOTATION_NOTICE}`,
    ...entries.map(formatLine),
  );
  const cursor = next && encodeReadCursor(session.path, { mode: "tree", leaf: null, line: next.entry.line });
  return { text, data: { session: brief, entries, entryCount, branchCount, next: cursor } };
}

async function* renderNodes(
  nodes: readonly Node[],
  outline: Outline,
  path: string,
  { index, redactor, signal }: RequestContext,
): AsyncGenerator<{ entry: TreeEntry; tokens: number }> {
  const current = new Set(getBranchTo(outline, undefined).positions);
  const labels = new Map(outline.labels.map(({ position, label }) => [position, label]));
  const toName = (name: string | undefined) => (name === undefined ? undefined : toSafeName(name, redactor));
  for (let from = 0; from < nodes.length; from += BATCH_SIZE) {
    signal?.throwIfAborted();
    const batch = nodes.slice(from, from + BATCH_SIZE);
    const branch = { lines: batch.map(({ position }) => outline.line[position] as number) };
    const texts = new Map<number, string>();
    for await (const { entry, line } of index.entries(path, { branch }))
      texts.set(line, formatPreview(redactor ? redactor.redactValue(entry) : entry, MAX_PREVIEW_CHARACTERS));
    for (const { position, depth, omittedEntries } of batch) {
      const line = outline.line[position] as number;
      const { type, role } = outline.kinds[outline.kind[position] as number] as Outline["kinds"][number];
      const entry = {
        entryId: outline.id[position] ?? null,
        line,
        type: toSafeName(type, redactor),
        role: toName(role),
        label: toName(labels.get(position)),
        onCurrentBranch: current.has(position),
        depth,
        omittedEntries,
        text: texts.get(line) ?? "",
      };
      yield { entry, tokens: countTokens(formatLine(entry), entry) + 1 };
    }
  }
}

function formatLine(entry: TreeEntry): string {
  const { depth, omittedEntries, onCurrentBranch, line, entryId, type, role, label, text } = entry;
  const indent = "  ".repeat(Math.min(depth, 20));
  const gap = omittedEntries > 0 ? `${indent}  … ${formatCount(omittedEntries, "entry", "entries")}\n` : "";
  const what = `${onCurrentBranch ? "*" : "-"} ${formatShortCitation(line, entryId)} ${role ?? type}`;
  const labelText = label === undefined ? "" : ` [label ${label}]`;
  return `${gap}${indent}${what}${labelText}${text && ` > ${text}`}`;
}

/** Decodes a cursor to the position where the page starts. @throws PidexError `BAD_CURSOR` */
function decodeStart(cursor: string, outline: Outline, path: string): number {
  const { mode, line } = decodeReadCursor(cursor, path);
  const position = outline.line.indexOf(line);
  if (mode !== "tree" || position < 0) throw staleCursorError();
  return position;
}

interface Node {
  position: number;
  depth: number;
  omittedEntries: number;
}

/**
 * Returns the notable entries in depth-first order, the most recently continued branch last. The entry at which a page starts
 * is always included, because its label may have been removed since the previous page.
 */
function computeShape(outline: Outline, start: number): { nodes: Node[]; branchCount: number } {
  const { parent, kind, kinds } = outline;
  const children = groupByParent(outline);
  const countChildren = (position: number) => children.get(position)?.length ?? 0;
  const labeled = new Set(outline.labels.map(({ position }) => position));
  const isNotable = (position: number) => {
    const above = parent[position] as number;
    if (position === start || labeled.has(position) || above < 0) return true;
    if (countChildren(position) !== 1 || countChildren(above) > 1) return true;
    return isSummary(kinds[kind[position] as number]?.type ?? "");
  };
  const nodes: Node[] = [];
  const stack: Node[] = [];
  const pushChildren = (above: number, depth: number, omittedEntries: number) => {
    for (const position of children.get(above)?.toReversed() ?? [])
      stack.push({ position, depth, omittedEntries });
  };
  pushChildren(-1, 0, 0);
  for (let node = stack.pop(); node; node = stack.pop()) {
    const { position, depth, omittedEntries } = node;
    const isListed = isNotable(position);
    if (isListed) nodes.push(node);
    const deeper = countChildren(position) > 1 ? depth + 1 : depth;
    pushChildren(position, deeper, isListed ? 0 : omittedEntries + 1);
  }
  const branchCount = [...parent.keys()].filter((position) => !children.has(position)).length;
  return { nodes, branchCount };
}
