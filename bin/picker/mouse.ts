/** The mouse: the wheel scrolls or moves the selection, a click selects. */
import type { PickerContext } from "./context.ts";
import { findFacetAt, toFacetValues } from "./frames/facets-frame.ts";
import { computeLayout, HEADING_ROWS, type PreviewPosition, type Size } from "./frames/layout.ts";
import { getRowHeight } from "./frames/list-frame.ts";
import { findPaletteItemAt } from "./frames/palette-frame.ts";
import type { State } from "./model/state.ts";
import type { Row } from "./model/view.ts";
import type { MouseEvent } from "./screen.ts";

/** The pane at a position, and the index of the item there, if any. */
type MouseTarget = { pane: "preview" } | { pane: "items"; index: number | undefined };

/** What the mouse does outside of selections. */
interface MouseActions {
  /** Selects a row of the list. */
  selectRow: (index: number) => void;
  /** Scrolls the preview, or the help while it is open. */
  scroll: (by: number) => void;
}

export class Mouse {
  readonly #picker: PickerContext;
  readonly #actions: MouseActions;

  constructor(picker: PickerContext, actions: MouseActions) {
    this.#picker = picker;
    this.#actions = actions;
  }

  handle(event: MouseEvent): void {
    const { state, screen, settings } = this.#picker;
    const { by } = event;
    const target = state.help
      ? { pane: "preview" as const }
      : findTarget(state, screen.size, settings.preview, event);
    if (target?.pane === "preview") {
      if (by !== undefined) this.#actions.scroll(by);
    } else if (target && by !== undefined) this.#move(Math.sign(by));
    else if (target?.index !== undefined) this.#select(target.index);
  }

  /** Selects an item of the current view. */
  #select(index: number): void {
    const { mode, tree, facets, palette } = this.#picker.state;
    if (mode === "list") {
      if (this.#picker.state.failure === undefined) this.#actions.selectRow(index);
    } else if (mode === "tree" && tree) tree.selected = index;
    else if (mode === "facets" && facets) facets.selected = index;
    else if (palette) palette.selected = index;
  }

  /** Moves the selection of the current view. */
  #move(by: number): void {
    const { from, count } = this.#getSelection();
    if (count > 0) this.#select(Math.max(0, Math.min(from + by, count - 1)));
  }

  #getSelection(): { from: number; count: number } {
    const { mode, tree, facets, palette, results, selected } = this.#picker.state;
    if (mode === "tree" && tree) return { from: tree.selected, count: tree.rows.length };
    if (mode === "facets" && facets)
      return { from: facets.selected, count: toFacetValues(facets.groups).length };
    if (mode === "palette" && palette) return { from: palette.selected, count: palette.items?.length ?? 0 };
    return { from: selected, count: results.rows.length };
  }
}

/** @returns undefined above and below the panes */
function findTarget(
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
  if (mode === "palette" && palette)
    return items(findPaletteItemAt(palette, rows, at), Number.POSITIVE_INFINITY);
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
