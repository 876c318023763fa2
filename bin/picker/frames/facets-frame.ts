/** Draws the facets: values to filter by. */
import { formatCount } from "../../format/safe.ts";
import { truncateStart } from "../../format/text.ts";
import type { FacetGroup } from "../model/requests.ts";
import type { FacetsState } from "../model/state.ts";
import { type GroupedLine, getItemIndex, getVisibleLines } from "./grouped-lines.ts";
import { drawLine, GAP_COLUMNS, type Pane, type StyledSpan } from "./line.ts";
import { shortenPath } from "./paths.ts";

/** A value with its field and what is counted. */
type FacetItem = Pick<FacetGroup, "name" | "unit"> & { value: FacetGroup["values"][number] };

/** All values, in order. */
export function toFacetValues(groups: readonly FacetGroup[] = []): FacetGroup["values"] {
  return groups.flatMap(({ values }) => values);
}

function getLines({ groups = [], selected }: FacetsState, rows: number): GroupedLine<FacetItem>[] {
  const items = groups.flatMap(({ name, unit, values }) => values.map((value) => ({ name, unit, value })));
  return getVisibleLines(items, { selected, rows }, formatHeading);
}

/** Sessions are counted by their last model only; as a filter, it also finds sessions that used it earlier. */
function formatHeading({ name, unit }: Pick<FacetGroup, "name" | "unit">): string {
  return name === "model" && unit === "session" ? "model used last" : name;
}

/** Index of the value on a line of the pane; undefined for headings and below the last value. */
export function findFacetAt(facets: FacetsState, rows: number, line: number): number | undefined {
  return getItemIndex(getLines(facets, rows)[line]);
}

/** Columns of a count: `123,456 sessions`. */
const COUNT_COLUMNS = 16;
/** Wider lines would separate counts from their values. */
const MAX_COLUMNS = 80;
/** Columns of the mark of the selected value. */
const MARK_COLUMNS = 2;

/** Draws at most as many lines as the pane has rows, centered on the selected value. */
export function drawFacets(facets: FacetsState, screen: Pane): string[] {
  const pane = { ...screen, columns: Math.min(screen.columns, MAX_COLUMNS) };
  const visible = getLines(facets, pane.rows);
  const room = Math.max(1, pane.columns - MARK_COLUMNS - GAP_COLUMNS - COUNT_COLUMNS);
  const lines = visible.map((each) => {
    if ("heading" in each) return drawLine(pane, [{ text: each.heading, format: ["bold", "cyan"] }]);
    const { unit, value: counted } = each.item;
    const { value, count } = counted;
    const isChosen = each.index === facets.selected;
    const left: StyledSpan[] = [
      { text: isChosen ? "› " : "  ", format: ["bold", "cyan"] },
      { text: truncateStart(shortenPath(value), room), format: isChosen ? "bold" : undefined },
    ];
    const line = drawLine(pane, left, [
      {
        text: (count === undefined
          ? ""
          : formatCount(count, unit, unit === "entry" ? "entries" : undefined)
        ).padStart(COUNT_COLUMNS),
        format: "dim",
      },
    ]);
    return isChosen ? pane.theme.select(line) : line;
  });
  if (visible.length === 0) {
    const text = facets.groups ? "  no values to filter by" : "  counting the results…";
    lines.push(drawLine(pane, [{ text, format: "dim" }]));
  }
  return lines;
}
