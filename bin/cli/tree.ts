import type { IndexQueries } from "../../library/index.ts";
import { parseReference } from "../agents/citations.ts";
import { type CallCounts, formatCallCounts } from "../format/call-counts.ts";
import { entryKind } from "../format/entry-kinds.ts";
import { formatPreview } from "../format/preview.ts";
import { formatCount, toOneLine } from "../format/safe.ts";
import { measureWidth, pad, truncate, truncateStart } from "../format/text.ts";
import { formatDateTime } from "../format/times.ts";
import { type TreeLine, treeLines } from "../format/tree-lines.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { withPager } from "./pager.ts";
import { queryCommand } from "./run.ts";
import { toSessionJson } from "./session-json.ts";

/** `pidex tree`. JSON lists the entries in file order with their parents, because a nested form could be too deep. */
export const run = queryCommand(async (io, index, [session = ""], flags: Flags<"tree">) => {
  const info = await index.find(parseReference(session).session);
  if (flags.json) {
    await writeJson(io, { session: toSessionJson(info), entries: await index.treeEntries(info.path) });
    return;
  }
  if (flags.ndjson) {
    await writeJsonLines(io, await index.treeEntries(info.path));
    return;
  }
  const outline = await index.outline(info.path);
  if (outline.line.length === 0) io.err("the session has no entries\n");
  else {
    const all = treeLines(outline, { all: flags.all === true });
    const lines = flags.tail === undefined ? all : all.slice(-flags.tail);
    await withPager(io, flags, async (paged) => {
      for (let at = 0; at < lines.length; at += BATCH) {
        const batch = lines.slice(at, at + BATCH);
        const previews = await readPreviews(index, info.path, batch);
        for (const line of batch) await paged.out(formatLine(paged, line, previews.get(line.line) ?? ""));
      }
    });
    const hidden = formatCount(outline.line.length - all.length, "more entry", "more entries");
    if (outline.line.length > all.length && io.isTerminal)
      io.err(`${io.style("dim", `… ${hidden} (--all to show them)`)}\n`);
  }
});

/** Lines that are read at once: a screen and more. */
const BATCH = 200;

/** The maximum width of a text in a pipe. */
const PIPE_WIDTH = 120;

/** Columns of most kinds, so that texts are aligned. */
const KIND_COLUMNS = 9;
/** Narrower terminals have no times. */
const MIN_TIME_COLUMNS = 80;

function formatLine(io: Io, line: TreeLine, text: string): string {
  const { prefix, isLeaf, isOnCurrentBranch, calls, time } = line;
  const maxWidth = (share: number) => (io.isTerminal ? Math.floor(io.columns * share) : PIPE_WIDTH);
  const mark = isLeaf ? io.style("green", "●") : isOnCurrentBranch ? "•" : io.style("dim", "·");
  const id = truncate(toOneLine(String(line.id ?? "-")), maxWidth(0.5));
  const isPrompt = line.kind.role === "user";
  const word = calls ? "calls" : truncate(entryKind(line.kind), maxWidth(0.25));
  const kind = io.isTerminal && io.columns >= MIN_TIME_COLUMNS ? pad(word, KIND_COLUMNS) : word;
  const label = line.label === undefined ? "" : ` [${truncate(toOneLine(line.label), maxWidth(0.25))}]`;
  // Deeply nested branches would push everything off the terminal.
  const above = io.isTerminal ? truncateStart(prefix, maxWidth(0.5)) : prefix;
  const head = `${above}● ${id} ${kind}${label} `;
  const hasTime = io.isTerminal && io.columns >= MIN_TIME_COLUMNS && time !== undefined;
  const at = hasTime ? `  ${formatDateTime(new Date(time))}` : "";
  const room = io.isTerminal ? io.columns - measureWidth(head) - at.length : PIPE_WIDTH;
  if (room < 0) return `${truncate(head, io.columns)}\n`;
  const shown = truncate(calls ? formatCalls(calls) : text, room);
  const isQuiet = !isOnCurrentBranch || calls !== undefined;
  const styledKind = isPrompt && isOnCurrentBranch ? io.style("green", kind) : io.style("dim", kind);
  const styled =
    isPrompt && shown !== ""
      ? io.style("bold", shown)
      : isQuiet && shown !== ""
        ? io.style("dim", shown)
        : shown;
  const start = `${io.style("dim", above)}${mark} ${io.style("dim", id)} ${styledKind}${label && io.style("yellow", label)} ${styled}`;
  if (at === "") return `${start.trimEnd()}\n`;
  return `${start}${" ".repeat(Math.max(0, room - measureWidth(shown)))}${io.style("dim", at)}\n`;
}

/** `7 tool calls: 4 read, 2 edit, 1 bash failed` */
function formatCalls(calls: CallCounts): string {
  const { total, tools, others } = formatCallCounts(calls);
  const words = tools.map(({ count, tool, failed }) => `${count} ${tool}${failed ? " failed" : ""}`);
  return `${total}: ${[...words, ...(others ? [others] : [])].join(", ")}`;
}

/** Previews by line number. */
async function readPreviews(index: IndexQueries, path: string, shown: readonly TreeLine[]) {
  const lines = shown.flatMap(({ line, calls }) => (calls ? [] : line)).sort((a, b) => a - b);
  const entries = await Array.fromAsync(
    index.entries(path, { branch: { lines } }),
    ({ line, entry }) => [line, formatPreview(entry, 200)] as const,
  );
  return new Map(entries);
}
