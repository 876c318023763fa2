/** Draws the tree of a session. */
import { toOneLine } from "../../format/safe.ts";
import { truncate, truncateStart } from "../../format/text.ts";
import type { Theme } from "../../format/theme.ts";
import type { TreeState } from "../model/state.ts";
import { drawLine, type StyledSpan } from "./line.ts";

/** Maximum share of a line for branch lines. */
const STEM_SHARE = 0.4;
const MAX_LABEL_COLUMNS = 24;

/** Draws at most `height` lines of `columns` columns. */
export function drawTree(tree: TreeState, columns: number, height: number, theme: Theme): string[] {
  const rows = tree.rows.slice(tree.top, tree.top + height);
  const lines = rows.map((row, n) => {
    const isSelected = tree.top + n === tree.selected;
    const mark = row.isLeaf ? "●" : row.isOnCurrentBranch ? "•" : "·";
    const label = row.label === undefined ? "" : `[${truncate(toOneLine(row.label), MAX_LABEL_COLUMNS)}] `;
    const spans: StyledSpan[] = [
      { text: isSelected ? "› " : "  ", format: ["bold", "cyan"] },
      { text: truncateStart(row.branchLines, Math.floor(columns * STEM_SHARE)), format: "dim" },
      { text: `${mark} `, format: row.isLeaf ? "green" : row.isOnCurrentBranch ? undefined : "dim" },
      {
        text: `${truncate(row.kind, 12)} `,
        format: isSelected ? "bold" : row.isOnCurrentBranch ? "cyan" : "dim",
      },
      { text: label, format: "yellow" },
      { text: tree.summaries[row.line] ?? "", format: row.isOnCurrentBranch ? undefined : "dim" },
    ];
    return drawLine(theme, columns, spans);
  });
  if (tree.rows.length === 0) lines.push(drawLine(theme, columns, [{ text: "  no entries", format: "dim" }]));
  return lines;
}
