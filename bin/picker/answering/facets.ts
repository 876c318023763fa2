/** What a view can be narrowed by. */
import { basename } from "node:path";
import type { FacetCount, Facets } from "../../../library/index.ts";
import { formatTerm } from "../../format/query-terms.ts";
import type { FacetGroup } from "../model/questions.ts";

/** Values of a kind that are offered: the most frequent. */
const MOST_VALUES = 12;

/** A terminal has no room for days. */
type Counted = Omit<Facets, "days">;

/** Of hits, as a search counts them, or of sessions of which nothing was asked. */
export function facetsOf({ projects, models, roles, tools, months }: Counted): FacetGroup[] {
  const groups = [
    group("project", projects, (cwd) => term("project", basename(cwd.replaceAll("\\", "/")) || cwd)),
    group("model", models, (model) => term("model", model.slice(model.indexOf("/") + 1))),
    group("role", roles, (role) => term("role", role)),
    group("tool", tools, (tool) => term("tool", tool)),
    group("month", months, (month) => `since:${month} until:${monthAfter(month)}`),
  ];
  return groups.filter(({ values }) => values.length > 0);
}

const term = (field: "project" | "model" | "role" | "tool", value: string) =>
  formatTerm({ field, values: [value] });

function group(name: string, counts: readonly FacetCount[], termOf: (value: string) => string): FacetGroup {
  const values = counts.map(({ value, hits }) => ({ value, count: hits, term: termOf(value) }));
  return { name, values: values.slice(0, MOST_VALUES) };
}

function monthAfter(month: string): string {
  const [year = 0, number = 1] = month.split("-").map(Number);
  return number === 12 ? `${year + 1}-01` : `${year}-${String(number + 1).padStart(2, "0")}`;
}
