/** Draws the command palette. */
import { toOneLine } from "../../format/safe.ts";
import type { PaletteItem } from "../model/palette-item.ts";
import type { PaletteState } from "../model/state.ts";
import { type GroupedLine, getItemIndex, getVisibleLines } from "./grouped-lines.ts";
import { drawLine, type Pane, type StyledSpan } from "./line.ts";

function getLines(palette: PaletteState, rows: number): GroupedLine<PaletteItem>[] {
  const { items = [], selected, isGrouped } = palette;
  return getVisibleLines(items, { selected, rows }, ({ group }) => (isGrouped ? group : undefined));
}

/** Index of the item on a line of the pane; undefined for headings and below the last item. */
export function findPaletteItemAt(palette: PaletteState, rows: number, line: number): number | undefined {
  return getItemIndex(getLines(palette, rows)[line]);
}

/** Wider lines would separate keys from their commands. */
const MAX_COLUMNS = 80;

/** Draws at most as many lines as the pane has rows. */
export function drawPalette(palette: PaletteState, screen: Pane): string[] {
  const pane = { ...screen, columns: Math.min(screen.columns, MAX_COLUMNS) };
  const { items = [], selected, plural } = palette;
  const lines = getLines(palette, pane.rows).map((each) => {
    if ("heading" in each) return drawLine(pane, [{ text: each.heading, format: ["bold", "cyan"] }]);
    const { label, keys } = each.item;
    const isSelected = each.index === selected;
    const left: StyledSpan[] = [
      { text: isSelected ? "› " : "  ", format: ["bold", "cyan"] },
      { text: toOneLine(label), format: isSelected ? "bold" : undefined },
    ];
    const line = drawLine(pane, left, keys === "" ? [] : [{ text: keys, format: "dim" }]);
    return isSelected ? pane.theme.select(line) : line;
  });
  const empty = palette.items ? `no ${plural} match` : `reading the ${plural}…`;
  if (items.length === 0) lines.push(drawLine(pane, [{ text: `  ${empty}`, format: "dim" }]));
  return lines;
}
