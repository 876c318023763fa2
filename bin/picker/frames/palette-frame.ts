/** Draws the command palette. */
import { toOneLine } from "../../format/safe.ts";
import type { PaletteState } from "../model/state.ts";
import { drawLine, type Pane, type StyledSpan } from "./line.ts";

/** The first visible item: the selected one is centered if there are more than fit. */
export function getPaletteTop({ items, selected }: PaletteState, rows: number): number {
  return Math.max(0, Math.min(selected - Math.floor(rows / 2), items.length - rows));
}

/** Wider lines would separate keys from their commands. */
const MAX_COLUMNS = 80;

/** Draws at most as many lines as the pane has rows. */
export function drawPalette(palette: PaletteState, screen: Pane): string[] {
  const pane = { ...screen, columns: Math.min(screen.columns, MAX_COLUMNS) };
  const { items, selected } = palette;
  const top = getPaletteTop(palette, pane.rows);
  const lines = items.slice(top, top + pane.rows).map(({ label, keys }, n) => {
    const isSelected = top + n === selected;
    const left: StyledSpan[] = [
      { text: isSelected ? "› " : "  ", format: ["bold", "cyan"] },
      { text: toOneLine(label), format: isSelected ? "bold" : undefined },
    ];
    return drawLine(pane, left, keys === "" ? [] : [{ text: keys, format: "cyan" }]);
  });
  if (items.length === 0) lines.push(drawLine(pane, [{ text: "  no commands match", format: "dim" }]));
  return lines;
}
