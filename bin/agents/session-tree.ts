import type { z } from "zod";
import type { EntryId, Index, Outline } from "../../library/index.ts";
import type { Redactor } from "../../library/internal.ts";
import { isSummary } from "../format/entry-kinds.ts";
import { formatPreview } from "../format/preview.ts";
import { formatCount, toField } from "../format/safe.ts";
import type { Answer } from "./answer.ts";
import type { TreeAnswer } from "./answers.ts";
import { getBranchTo } from "./branch.ts";
import { formatShortCitation, resolveReference } from "./citations.ts";
import {
  countHeadingTokens,
  formatSessionLine,
  joinLines,
  QUOTATION_NOTICE,
  toBriefSession,
  toSafeName,
} from "./format-session.ts";
import type { TreeParams } from "./params.ts";
import { decodeReadCursor, encodeReadCursor, staleCursorError } from "./read-cursor.ts";
import type { RequestContext } from "./request-context.ts";
import { estimateTokens } from "./tokens.ts";

/** Tokens reserved for everything but the entries. */
const RESERVED_TOKENS = 90;
/** Maximum length of a preview, in characters. */
const MAX_PREVIEW_CHARACTERS = 100;
/** Entries read per batch. */
const BATCH_SIZE = 32;

/** Returns the shape of the tree of a session: branch points, and the first and last entries of branches. */
export async function buildSessionTree(
  index: Index,
  params: z.output<typeof TreeParams>,
  { currentSession, redactor, options, outlineCache }: RequestContext,
): Promise<Answer<TreeAnswer>> {
  const { session } = await resolveReference(index, params.session, currentSession);
  const { outline } = await outlineCache.get(session);
  const start = params.cursor === undefined ? 0 : decodeStart(params.cursor, outline, session.path);
  const { nodes, branchCount } = computeShape(outline, start);
  const first = Math.max(
    0,
    params.cursor === undefined ? 0 : nodes.findIndex(({ position }) => position === start),
  );
  const current = new Set(getBranchTo(outline, undefined).positions);
  const labels = new Map(outline.labels.map(({ position, label }) => [position, label]));

  const entries: TreeAnswer["entries"] = [];
  const brief = toBriefSession(session, redactor);
  let tokensLeft = params.max_tokens - RESERVED_TOKENS - countHeadingTokens(brief);
  let next: string | undefined;
  for (let from = first; from < nodes.length && next === undefined; from += BATCH_SIZE) {
    options.signal?.throwIfAborted();
    const batch = nodes.slice(from, from + BATCH_SIZE);
    const texts = await previews(
      index,
      session.path,
      batch.map(({ position }) => outline.line[position] as number),
      redactor,
    );
    for (const { position, depth, omittedEntries } of batch) {
      const line = outline.line[position] as number;
      const kind = outline.kinds[outline.kind[position] as number] as Outline["kinds"][number];
      const label = labels.get(position);
      const text = texts.get(line) ?? "";
      const entry = {
        entryId: outline.id[position] as EntryId | null,
        line,
        type: toSafeName(kind.type, redactor),
        ...(kind.role !== undefined && { role: toSafeName(kind.role, redactor) }),
        ...(label !== undefined && { label: toSafeName(label, redactor) }),
        onCurrentBranch: current.has(position),
        depth,
        omittedEntries,
        text,
      };
      tokensLeft -= Math.max(estimateTokens(formatLine(entry)), estimateTokens(JSON.stringify(entry))) + 1;
      if (tokensLeft < 0 && entries.length > 0) {
        next = encodeReadCursor(session.path, { mode: "tree", leaf: null, line });
        break;
      }
      entries.push(entry);
    }
  }
  const entryCount = outline.id.length;
  const data: TreeAnswer = { session: brief, entries, entryCount, branchCount, ...(next && { next }) };
  const text = joinLines(
    formatSessionLine(brief),
    toField(brief.path),
    `${formatCount(entryCount, "entry", "entries")}, ${formatCount(branchCount, "branch", "branches")}; * marks the current one. ${QUOTATION_NOTICE}`,
    ...entries.map(formatLine),
    next !== undefined && `\nMore: cursor ${next}`,
  );
  return { text, data };
}

function formatLine({
  depth,
  omittedEntries,
  onCurrentBranch,
  line,
  entryId,
  type,
  role,
  label,
  text,
}: TreeAnswer["entries"][number]): string {
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
  const count = parent.length;
  const children = new Map<number, number[]>();
  for (let position = 0; position < count; position++) {
    const above = parent[position] as number;
    const siblings = children.get(above);
    if (siblings) siblings.push(position);
    else children.set(above, [position]);
  }
  const isNotable = new Uint8Array(count);
  isNotable[start] = 1;
  for (const { position } of outline.labels) isNotable[position] = 1;
  const hasSummary = kinds.map(({ type }) => isSummary(type));
  let branchCount = 0;
  for (let position = 0; position < count; position++) {
    const below = children.get(position) ?? [];
    if (below.length === 0) branchCount++;
    if (below.length !== 1 || hasSummary[kind[position] as number]) isNotable[position] = 1;
    if (below.length > 1 || (parent[position] as number) < 0) {
      for (const child of below.length > 1 ? below : []) isNotable[child] = 1;
      isNotable[position] = 1;
    }
  }
  const nodes: Node[] = [];
  const stack = (children.get(-1) ?? [])
    .map((position) => ({ position, depth: 0, omittedEntries: 0 }))
    .reverse();
  for (let node = stack.pop(); node; node = stack.pop()) {
    const { position, depth, omittedEntries } = node;
    const isListed = isNotable[position] === 1;
    if (isListed) nodes.push(node);
    const below = children.get(position) ?? [];
    const deeper = below.length > 1 ? depth + 1 : depth;
    for (const child of below.toReversed())
      stack.push({ position: child, depth: deeper, omittedEntries: isListed ? 0 : omittedEntries + 1 });
  }
  return { nodes, branchCount };
}

/** Previews of entries, by line. */
async function previews(
  index: Index,
  path: string,
  lines: number[],
  redactor: Redactor | undefined,
): Promise<Map<number, string>> {
  const texts = new Map<number, string>();
  for await (const { entry, line } of index.entries(path, { branch: { lines } }))
    texts.set(line, formatPreview(redactor ? redactor.redactValue(entry) : entry, MAX_PREVIEW_CHARACTERS));
  return texts;
}
