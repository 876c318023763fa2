/** The values that a view can be filtered by. */
import { basename } from "node:path";
import type { FacetCount, Facets } from "../../../library/index.ts";
import { formatTerm } from "../../format/query-terms.ts";
import type { FacetGroup } from "../model/requests.ts";

/** Maximum number of values per field, most frequent first. */
const MAX_VALUES = 12;

/** Facets without days, of which there are too many for a terminal. */
type ShownFacets = Omit<Facets, "days">;

/** @param unit what the facets count: hits in a search, otherwise sessions */
export function toFacetGroups(
  { projects, models, roles, tools, months }: ShownFacets,
  unit: FacetGroup["unit"],
): FacetGroup[] {
  const toGroup = (name: string, counts: readonly FacetCount[], toTerm: (value: string) => string) => {
    const values = counts.map(({ value, hits }) => ({ value, count: hits, term: toTerm(value) }));
    return { name, unit, values: values.slice(0, MAX_VALUES) };
  };
  const groups = [
    toGroup("project", projects, (cwd) => term("project", basename(cwd.replaceAll("\\", "/")) || cwd)),
    toGroup("model", models, (model) => term("model", model.slice(model.indexOf("/") + 1))),
    toGroup("role", roles, (role) => term("role", role)),
    toGroup("tool", tools, (tool) => term("tool", tool)),
    toGroup("month", months, (month) => `since:${month} until:${monthAfter(month)}`),
  ];
  return groups.filter(({ values }) => values.length > 0);
}

const term = (field: "project" | "model" | "role" | "tool", value: string) =>
  formatTerm({ field, values: [value] });

function monthAfter(month: string): string {
  const [year = 0, number = 1] = month.split("-").map(Number);
  return number === 12 ? `${year + 1}-01` : `${year}-${String(number + 1).padStart(2, "0")}`;
}
