/** Draws the tree of a session. */
import { toOneLine } from "../../format/safe.ts";
import { pad, truncate, truncateStart } from "../../format/text.ts";
import type { TreeState } from "../model/state.ts";
import { drawLine, type Pane, type StyledSpan } from "./line.ts";

/** Maximum share of a line for branch lines. */
const STEM_SHARE = 0.4;
/** Of branch lines that all visible rows have in common, so many columns are shown: in a deep tree they are most of the line. */
const MAX_COMMON_COLUMNS = 8;
const MAX_LABEL_COLUMNS = 24;
/** Columns of most kinds, so that texts are aligned. */
const KIND_COLUMNS = 10;

/** Draws at most as many lines as the pane has rows. */
export function drawTree(tree: TreeState, pane: Pane): string[] {
  const rows = tree.rows.slice(tree.top, tree.top + pane.rows);
  const common = Math.min(...rows.map(({ branchLines }) => branchLines.length));
  const cut = Math.max(0, common - MAX_COMMON_COLUMNS);
  const toStem = (lines: string) => (cut === 0 ? lines : `…${lines.slice(cut + 1)}`);
  const lines = rows.map((row, n) => {
    const isSelected = tree.top + n === tree.selected;
    const mark = row.isLeaf ? "●" : row.isOnCurrentBranch ? "•" : "·";
    const label = row.label === undefined ? "" : `[${truncate(toOneLine(row.label), MAX_LABEL_COLUMNS)}] `;
    const spans: StyledSpan[] = [
      { text: isSelected ? "› " : "  ", format: ["bold", "cyan"] },
      { text: truncateStart(toStem(row.branchLines), Math.floor(pane.columns * STEM_SHARE)), format: "dim" },
      { text: `${mark} `, format: row.isLeaf ? "green" : row.isOnCurrentBranch ? undefined : "dim" },
      {
        text: `${pad(truncate(row.kind, 12), KIND_COLUMNS)} `,
        format: isSelected ? "bold" : row.isOnCurrentBranch ? "cyan" : "dim",
      },
      { text: label, format: "yellow" },
      { text: tree.summaries[row.line] ?? "", format: row.isOnCurrentBranch ? undefined : "dim" },
    ];
    const line = drawLine(pane, spans);
    return isSelected ? pane.theme.select(line) : line;
  });
  if (tree.rows.length === 0) lines.push(drawLine(pane, [{ text: "  no entries", format: "dim" }]));
  return lines;
}
