/** The tree of a session, as lines. */
import { oneLine } from "../../format/safe.ts";
import { cut, cutStart } from "../../format/text.ts";
import type { Theme } from "../../format/theme.ts";
import type { TreeState } from "../model/state.ts";
import { line, plain, type Span } from "./line.ts";

/** The part of a line that branches may take. */
const STEM_SHARE = 0.4;
const MOST_LABEL = 24;

/** The tree, as so many lines of so many columns. */
export function treeFrame(tree: TreeState, columns: number, height: number, theme: Theme): string[] {
  const rows = tree.rows.slice(tree.top, tree.top + height);
  const lines = rows.map((row, n) => {
    const isSelected = tree.top + n === tree.selected;
    const mark = row.isLeaf ? "●" : row.current ? "•" : "·";
    const label = row.label === undefined ? "" : `[${cut(oneLine(row.label), MOST_LABEL)}] `;
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
