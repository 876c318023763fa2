/** Draws the facets: values to filter by. */
import { grouped, oneLine } from "../../format/safe.ts";
import { fill } from "../../format/text.ts";
import type { Theme } from "../../format/theme.ts";
import type { FacetGroup } from "../model/questions.ts";
import { line, plain, type Span } from "./line.ts";

interface Facets {
  groups: FacetGroup[];
  selected: number;
  top: number;
}

/** A line of the facets: a heading or a selectable value. */
type FacetLine = { heading: string } | { value: FacetGroup["values"][number] };

/** All lines in order; `selected` counts only those with values. */
function toFacetLines(groups: readonly FacetGroup[]): FacetLine[] {
  return groups.flatMap(({ name, values }) => [{ heading: name }, ...values.map((value) => ({ value }))]);
}

/** All values, in order. */
export function facetValues(groups: readonly FacetGroup[]): FacetGroup["values"] {
  return groups.flatMap(({ values }) => values);
}

/** Draws `height` lines of `columns` columns, centered on the selected value. */
export function facetsFrame(
  { groups, selected }: Facets,
  columns: number,
  height: number,
  theme: Theme,
): string[] {
  const all = toFacetLines(groups);
  const chosen = facetValues(groups)[selected];
  const at = all.findIndex((each) => "value" in each && each.value === chosen);
  const top = Math.max(0, Math.min(at - Math.floor(height / 2), all.length - height));
  const lines = all.slice(top, top + height).map((each) => {
    if ("heading" in each) return line(theme, columns, [{ text: each.heading, format: "bold" }]);
    const { value, count } = each.value;
    const isChosen = each.value === chosen;
    const left: Span[] = [
      { text: isChosen ? "› " : "  ", format: ["bold", "cyan"] },
      { text: oneLine(value), format: isChosen ? "bold" : undefined },
    ];
    return line(theme, columns, left, [{ text: fill(grouped(count), 7, "left"), format: "dim" }]);
  });
  if (all.length === 0)
    lines.push(line(theme, columns, [{ text: "  no values to filter by", format: "dim" }]));
  while (lines.length < height) lines.push(plain(columns, ""));
  return lines;
}
