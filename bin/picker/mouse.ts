/** What is drawn at a position of the screen. */
import { findFacetAt } from "./frames/facets-frame.ts";
import { computeLayout, HEADING_ROWS, type PreviewPosition, type Size } from "./frames/layout.ts";
import { getRowHeight } from "./frames/list-frame.ts";
import { getPaletteTop } from "./frames/palette-frame.ts";
import type { State } from "./model/state.ts";
import type { Row } from "./model/view.ts";

/** A turn of the wheel, or a press of the left button. */
export interface MouseEvent {
  /** Lines that the wheel scrolls, negative for up; undefined for a press. */
  by?: number | undefined;
  /** Position on the screen, from 0. */
  row: number;
  column: number;
}

/** The pane at a position, and the index of the item there, if any. */
export type MouseTarget = { pane: "preview" } | { pane: "items"; index: number | undefined };

/** @returns undefined above and below the panes */
export function findTarget(
  state: State,
  size: Size,
  place: PreviewPosition,
  { row, column }: MouseEvent,
): MouseTarget | undefined {
  const rows = size.rows - HEADING_ROWS - 1;
  const at = row - HEADING_ROWS;
  if (at < 0 || at >= rows) return undefined;
  const { mode, tree, facets, palette } = state;
  if (mode === "preview") return { pane: "preview" };
  const items = (index: number | undefined, count: number): MouseTarget => ({
    pane: "items",
    index: index === undefined || index >= count ? undefined : index,
  });
  if (mode === "tree" && tree) return items(tree.top + at, tree.rows.length);
  if (mode === "facets" && facets) return items(findFacetAt(facets, rows, at), Number.POSITIVE_INFINITY);
  if (mode === "palette" && palette) return items(getPaletteTop(palette, rows) + at, palette.items.length);
  const { list, preview } = computeLayout(size, place);
  if (preview && (preview.place === "right" ? column > list.columns : at > list.rows))
    return { pane: "preview" };
  return items(findRowAt(state, at), state.results.rows.length);
}

/** Index of the row of the list at a line of its pane. */
function findRowAt({ results: { rows }, top }: State, line: number): number {
  let index = top;
  for (let below = line; index < rows.length; index++) {
    below -= getRowHeight(rows[index] as Row);
    if (below < 0) break;
  }
  return index;
}
