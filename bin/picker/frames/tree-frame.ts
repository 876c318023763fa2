/** Draws the tree of a session: kinds, branch lines and texts in columns, and times at the right edge. */
import { formatCallCounts } from "../../format/call-counts.ts";
import { formatInteger, toOneLine } from "../../format/safe.ts";
import { pad, truncate, truncateStart } from "../../format/text.ts";
import { formatDateTime } from "../../format/times.ts";
import type { TreeRow } from "../model/requests.ts";
import type { TreeState } from "../model/state.ts";
import { drawLine, type Pane, type StyledSpan } from "./line.ts";

/** Maximum share of a line for branch lines. */
const STEM_SHARE = 0.4;
/** Of branch lines that all visible rows have in common, so many columns are shown: in a deep tree they are most of the line. */
const MAX_COMMON_COLUMNS = 8;
const MAX_LABEL_COLUMNS = 24;
/** Columns of most kinds, so that branch lines are aligned; in narrow panes. */
const KIND_COLUMNS = 10;
const NARROW_KIND_COLUMNS = 4;
/** Narrower panes have short kinds and no times. */
const MIN_WIDE_COLUMNS = 60;
/** Colors of branch lines, by depth. */
const STEM_COLORS = ["cyan", "magenta", "yellow", "blue"] as const;
/** Columns of branch lines per level. */
const LEVEL_COLUMNS = 3;

/** Draws at most as many lines as the pane has rows. */
export function drawTree(tree: TreeState, pane: Pane): string[] {
  const rows = tree.rows.slice(tree.top, tree.top + pane.rows);
  const common = Math.min(...rows.map(({ branchLines }) => branchLines.length));
  const cut = Math.max(0, common - MAX_COMMON_COLUMNS);
  const toStem = (lines: string) => (cut === 0 ? lines : `…${lines.slice(cut + 1)}`);
  let day = "";
  const lines = rows.map((row, n) => {
    const isSelected = tree.top + n === tree.selected;
    const isPrompt = row.kind === "user";
    const isQuiet = !row.isOnCurrentBranch;
    const isWide = pane.columns >= MIN_WIDE_COLUMNS;
    const kind = row.calls ? "" : truncate(row.kind, isWide ? KIND_COLUMNS : NARROW_KIND_COLUMNS);
    const mark = row.isLeaf ? "●" : row.isOnCurrentBranch ? "•" : "·";
    const label = row.label === undefined ? "" : `[${truncate(toOneLine(row.label), MAX_LABEL_COLUMNS)}] `;
    const time = row.time === undefined ? "" : formatDateTime(new Date(row.time));
    // The date is shown where it changes.
    const isNewDay = time.slice(0, 10) !== day;
    if (time !== "") day = time.slice(0, 10);
    const left: StyledSpan[] = [
      { text: isSelected ? "› " : "  ", format: ["bold", "cyan"] },
      {
        text: `${pad(kind, isWide ? KIND_COLUMNS : NARROW_KIND_COLUMNS)} `,
        format: isPrompt && !isQuiet ? "green" : "dim",
      },
      ...stemSpans(truncateStart(toStem(row.branchLines), Math.floor(pane.columns * STEM_SHARE))),
      { text: `${mark} `, format: row.isLeaf ? ["bold", "green"] : isQuiet ? "dim" : "cyan" },
      { text: row.isMember ? "  " : "" },
      { text: label, format: "yellow" },
      ...(row.calls
        ? callSpans(row, tree.params.opened.includes(row.line))
        : [
            {
              text: tree.summaries[row.line] ?? "",
              format: isPrompt
                ? isQuiet
                  ? (["bold", "dim"] as const)
                  : "bold"
                : isQuiet || row.isMember
                  ? "dim"
                  : undefined,
            } as StyledSpan,
          ]),
    ];
    const about = [
      row.hidden === undefined ? "" : `+${formatInteger(row.hidden)}`,
      row.branch ? `branch ${formatInteger(row.branch.number)} of ${formatInteger(row.branch.of)}` : "",
    ].filter(Boolean);
    const right: StyledSpan[] = isWide
      ? [
          { text: about.join("  "), format: row.branch && !isQuiet ? "cyan" : "dim" },
          { text: time === "" ? "" : `  ${isNewDay ? time : time.slice(11)}`, format: "dim" },
        ]
      : [];
    const line = drawLine(pane, left, right);
    return isSelected ? pane.theme.select(line) : line;
  });
  if (tree.rows.length === 0) lines.push(drawLine(pane, [{ text: "  no entries", format: "dim" }]));
  return lines;
}

/** Branch lines, each level in its color. */
function stemSpans(stem: string): StyledSpan[] {
  const spans: StyledSpan[] = [];
  for (let from = 0; from < stem.length; from += LEVEL_COLUMNS) {
    const color = STEM_COLORS[(from / LEVEL_COLUMNS) % STEM_COLORS.length] as string;
    spans.push({
      text: stem.slice(from, from + LEVEL_COLUMNS),
      format: ["dim", color] as StyledSpan["format"],
    });
  }
  return spans;
}

/** A group of calls on one line. */
function callSpans({ calls }: TreeRow, isOpen: boolean): StyledSpan[] {
  if (!calls) return [];
  const { total, tools, others } = formatCallCounts(calls);
  const words = tools.map(({ count, tool, failed }): StyledSpan => {
    return { text: `${count} ${tool}${failed ? " failed" : ""}`, format: failed ? "red" : "dim" };
  });
  if (others) words.push({ text: others, format: "dim" });
  return [
    { text: `${isOpen ? "▾" : "▸"} ${total}: `, format: "dim" },
    ...words.flatMap((word, n) => (n === 0 ? [word] : [{ text: ", ", format: "dim" as const }, word])),
  ];
}
