/** Draws the tree of a session. */
import { oneLine } from "../../format/safe.ts";
import { cut, cutStart } from "../../format/text.ts";
import type { Theme } from "../../format/theme.ts";
import type { TreeState } from "../model/state.ts";
import { line, plain, type Span } from "./line.ts";

/** Maximum share of a line for branch lines. */
const STEM_SHARE = 0.4;
const MAX_LABEL_COLUMNS = 24;

/** Draws `height` lines of `columns` columns. */
export function treeFrame(tree: TreeState, columns: number, height: number, theme: Theme): string[] {
  const rows = tree.rows.slice(tree.top, tree.top + height);
  const lines = rows.map((row, n) => {
    const isSelected = tree.top + n === tree.selected;
    const mark = row.isLeaf ? "●" : row.current ? "•" : "·";
    const label = row.label === undefined ? "" : `[${cut(oneLine(row.label), MAX_LABEL_COLUMNS)}] `;
    const spans: Span[] = [
      { text: isSelected ? "› " : "  ", format: ["bold", "cyan"] },
      { text: cutStart(row.stem, Math.floor(columns * STEM_SHARE)), format: "dim" },
      { text: `${mark} `, format: row.isLeaf ? "green" : row.current ? undefined : "dim" },
      { text: `${cut(row.kind, 12)} `, format: isSelected ? "bold" : row.current ? "cyan" : "dim" },
      { text: label, format: "yellow" },
      { text: tree.previews[row.line] ?? "", format: row.current ? undefined : "dim" },
    ];
    return line(theme, columns, spans);
  });
  if (tree.rows.length === 0) lines.push(line(theme, columns, [{ text: "  no entries", format: "dim" }]));
  while (lines.length < height) lines.push(plain(columns, ""));
  return lines.slice(0, height);
}
