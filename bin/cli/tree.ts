import type { IndexQueries } from "../../library/index.ts";
import { parseReference } from "../agents/citations.ts";
import { entryKind } from "../format/entry-kinds.ts";
import { formatPreview } from "../format/preview.ts";
import { formatCount, toOneLine } from "../format/safe.ts";
import { measureWidth, truncate, truncateStart } from "../format/text.ts";
import { type TreeLine, treeLines } from "../format/tree-lines.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";
import { writeJson, writeJsonLines } from "./json.ts";
import { withPager } from "./pager.ts";
import { queryCommand } from "./run.ts";

/** `pidex tree`. JSON lists the entries in file order with their parents, because a nested form could be too deep. */
export const run = queryCommand(async (io, index, [session = ""], flags: Flags<"tree">) => {
  const info = await index.find(parseReference(session).session);
  const entries = await index.treeEntries(info.path);
  if (flags.json) await writeJson(io, { session: info, entries });
  else if (flags.ndjson) await writeJsonLines(io, entries);
  else if (entries.length === 0) io.err("the session has no entries\n");
  else {
    const lines = treeLines(entries, flags.all === true);
    const previews = await readPreviews(index, info.path, lines);
    await withPager(io, flags, async (paged) => {
      for (const line of lines) await paged.out(formatLine(paged, line, previews.get(line.entry.line) ?? ""));
    });
    const hidden = formatCount(entries.length - lines.length, "more entry", "more entries");
    if (entries.length > lines.length && io.isTerminal)
      io.err(`${io.style("dim", `… ${hidden} (--all to show them)`)}\n`);
  }
});

/** The maximum width of a text in a pipe. */
const PIPE_WIDTH = 120;

function formatLine(io: Io, { entry, prefix, isLeaf }: TreeLine, text: string): string {
  const maxWidth = (share: number) => (io.isTerminal ? Math.floor(io.columns * share) : PIPE_WIDTH);
  const mark = isLeaf ? io.style("green", "●") : entry.onCurrentBranch ? "•" : io.style("dim", "·");
  const id = truncate(toOneLine(String(entry.id ?? "-")), maxWidth(0.5));
  const kind = truncate(entryKind(entry), maxWidth(0.25));
  const label = entry.label === undefined ? "" : ` [${truncate(toOneLine(entry.label), maxWidth(0.25))}]`;
  // Deeply nested branches would push everything off the terminal.
  const above = io.isTerminal ? truncateStart(prefix, maxWidth(0.5)) : prefix;
  const head = `${above}● ${id} ${kind}${label} `;
  const room = io.isTerminal ? io.columns - measureWidth(head) : PIPE_WIDTH;
  const shown = truncate(text, room);
  const styled = `${above}${mark} ${io.style("dim", id)} ${kind}${label && io.style("yellow", label)}`;
  if (room < 0) return `${truncate(head, io.columns)}\n`;
  return `${styled} ${entry.onCurrentBranch || shown === "" ? shown : io.style("dim", shown)}`
    .trimEnd()
    .concat("\n");
}

/** Previews by line number. */
async function readPreviews(index: IndexQueries, path: string, shown: readonly TreeLine[]) {
  const lines = shown.map(({ entry }) => entry.line);
  const entries = await Array.fromAsync(
    index.entries(path, { branch: { lines } }),
    ({ line, entry }) => [line, formatPreview(entry, 200)] as const,
  );
  return new Map(entries);
}
