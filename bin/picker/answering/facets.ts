/** What a view can be narrowed by. */
import { basename } from "node:path";
import type { FacetCount, Facets } from "../../../library/index.ts";
import { formatTerm } from "../../format/query-terms.ts";
import type { FacetGroup } from "../model/questions.ts";
import type { ShownSession } from "../model/view.ts";

/** Values of a kind that are offered: the most frequent. */
const MOST_VALUES = 12;

/** A terminal has no room for days. */
type Counted = Omit<Facets, "days">;

/** Of hits, as a search counts them, or of sessions of which nothing was asked. */
export function facetsOf(counted: Counted | readonly ShownSession[]): FacetGroup[] {
  const { projects, models, roles, tools, months } = "projects" in counted ? counted : ofSessions(counted);
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

function ofSessions(sessions: readonly ShownSession[]): Counted {
  const by = (valueIn: (session: ShownSession) => string | undefined): FacetCount[] => {
    const counts = new Map<string, number>();
    for (const session of sessions) {
      const value = valueIn(session);
      if (value) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    return [...counts].map(([value, hits]) => ({ value, hits })).sort((a, b) => b.hits - a.hits);
  };
  const months = by(({ modified }) => monthOf(new Date(modified)));
  return {
    projects: by(({ cwd }) => cwd),
    models: by(({ model }) => model),
    roles: [],
    tools: [],
    months: months.sort((a, b) => (a.value < b.value ? 1 : -1)),
  };
}

function monthOf(date: Date): string | undefined {
  if (Number.isNaN(date.getTime())) return undefined;
  return `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, "0")}`;
}

function monthAfter(month: string): string {
  const [year = 0, number = 1] = month.split("-").map(Number);
  return number === 12 ? `${year + 1}-01` : `${year}-${String(number + 1).padStart(2, "0")}`;
}
