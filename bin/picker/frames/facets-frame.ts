/** Draws the facets: values to filter by. */
import { formatCount, toOneLine } from "../../format/safe.ts";
import type { FacetGroup } from "../model/requests.ts";
import type { FacetsState } from "../model/state.ts";
import { drawLine, type Pane, type StyledSpan } from "./line.ts";

/** A line of the facets: a heading or a selectable value. */
type FacetLine = { heading: string } | { value: FacetGroup["values"][number]; unit: FacetGroup["unit"] };

/** All lines in order; `selected` counts only those with values. */
function toFacetLines(groups: readonly FacetGroup[]): FacetLine[] {
  return groups.flatMap(({ name, unit, values }) => [
    { heading: name },
    ...values.map((value) => ({ value, unit })),
  ]);
}

/** All values, in order. */
export function toFacetValues(groups: readonly FacetGroup[]): FacetGroup["values"] {
  return groups.flatMap(({ values }) => values);
}

/** The lines that fit, centered on the selected value. */
function getVisibleLines({ groups, selected }: FacetsState, rows: number): FacetLine[] {
  const all = toFacetLines(groups);
  const chosen = toFacetValues(groups)[selected];
  const at = all.findIndex((each) => "value" in each && each.value === chosen);
  const top = Math.max(0, Math.min(at - Math.floor(rows / 2), all.length - rows));
  return all.slice(top, top + rows);
}

/** Index of the value on a line of the pane; undefined for headings and below the last value. */
export function findFacetAt(facets: FacetsState, rows: number, line: number): number | undefined {
  const found = getVisibleLines(facets, rows)[line];
  return found && "value" in found ? toFacetValues(facets.groups).indexOf(found.value) : undefined;
}

/** Columns of a count: `123,456 sessions`. */
const COUNT_COLUMNS = 16;

/** Draws at most as many lines as the pane has rows, centered on the selected value. */
export function drawFacets(facets: FacetsState, pane: Pane): string[] {
  const chosen = toFacetValues(facets.groups)[facets.selected];
  const visible = getVisibleLines(facets, pane.rows);
  const lines = visible.map((each) => {
    if ("heading" in each) return drawLine(pane, [{ text: each.heading, format: "bold" }]);
    const { value, count } = each.value;
    const isChosen = each.value === chosen;
    const left: StyledSpan[] = [
      { text: isChosen ? "› " : "  ", format: ["bold", "cyan"] },
      { text: toOneLine(value), format: isChosen ? "bold" : undefined },
    ];
    return drawLine(pane, left, [
      { text: formatCount(count, each.unit).padStart(COUNT_COLUMNS), format: "dim" },
    ]);
  });
  if (visible.length === 0) lines.push(drawLine(pane, [{ text: "  no values to filter by", format: "dim" }]));
  return lines;
}
