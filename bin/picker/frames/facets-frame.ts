/** Draws the facets: values to filter by. */
import { formatCount, formatInteger } from "../../format/safe.ts";
import { truncateStart } from "../../format/text.ts";
import type { FacetGroup, FacetValue } from "../model/requests.ts";
import type { FacetsState } from "../model/state.ts";
import { getItemIndex, getVisiblePart } from "./grouped-lines.ts";
import { drawLine, GAP_COLUMNS, type Pane, type StyledSpan } from "./line.ts";
import { shortenPath } from "./paths.ts";
import { drawThumb } from "./scrollbar.ts";

/** A value with its field. */
type FacetItem = Pick<FacetGroup, "name"> & { value: FacetValue };

/** All values, in order. */
export function toFacetValues(groups: readonly FacetGroup[] = []): FacetValue[] {
  return groups.flatMap(({ values }) => values);
}

function getPart({ groups = [], selected }: FacetsState, rows: number) {
  const items = groups.flatMap(({ name, values }) => values.map((value): FacetItem => ({ name, value })));
  return getVisiblePart(items, { selected, rows }, ({ name }) => name);
}

function formatSessions({ count, hasMore }: FacetValue): string {
  if (count === undefined) return "";
  return hasMore ? `${formatInteger(count)}+ sessions` : formatCount(count, "session");
}

/** Index of the value on a line of the pane; undefined for headings and below the last value. */
export function findFacetAt(facets: FacetsState, rows: number, line: number): number | undefined {
  return getItemIndex(getPart(facets, rows).lines[line]);
}

/** Columns of a count: `123,456+ sessions`. */
const COUNT_COLUMNS = 17;
/** Wider lines would separate counts from their values. */
const MAX_COLUMNS = 80;
/** Columns of the mark of the selected value. */
const MARK_COLUMNS = 2;

/** Draws at most as many lines as the pane has rows, centered on the selected value, with a scrollbar if there are more. */
export function drawFacets(facets: FacetsState, screen: Pane): string[] {
  const { lines: visible, top, total } = getPart(facets, screen.rows);
  const bar =
    total > screen.rows && screen.rows > 1
      ? drawThumb({ top, visible: visible.length, total, rows: screen.rows }, screen.theme, " ")
      : [];
  const columns = Math.min(screen.columns - (bar.length > 0 ? 1 : 0), MAX_COLUMNS);
  const pane = { ...screen, columns };
  const room = Math.max(1, pane.columns - MARK_COLUMNS - GAP_COLUMNS - COUNT_COLUMNS);
  const lines = visible.map((each) => {
    if ("heading" in each) return drawLine(pane, [{ text: each.heading, format: ["bold", "cyan"] }]);
    const counted = each.item.value;
    const isChosen = each.index === facets.selected;
    const left: StyledSpan[] = [
      { text: isChosen ? "› " : "  ", format: ["bold", "cyan"] },
      { text: truncateStart(shortenPath(counted.value), room), format: isChosen ? "bold" : undefined },
    ];
    const line = drawLine(pane, left, [
      { text: formatSessions(counted).padStart(COUNT_COLUMNS), format: "dim" },
    ]);
    return isChosen ? pane.theme.select(line) : line;
  });
  if (visible.length === 0) {
    const text = facets.groups ? "  no values to filter by" : "  reading the values…";
    lines.push(drawLine(pane, [{ text, format: "dim" }]));
  }
  const gap = " ".repeat(Math.max(0, screen.columns - columns - 1)); // the scrollbar is at the edge of the screen
  return bar.length === 0 ? lines : lines.map((line, n) => line + gap + (bar[n] ?? ""));
}
