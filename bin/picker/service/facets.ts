/** The values that a view can be filtered by. */
import type { FacetCount, Facets } from "../../../library/index.ts";
import type { AnyIndex } from "../../actions/index-location.ts";
import { formatTerm } from "../../format/query-terms.ts";
import { unquoteValue } from "../../format/query-words.ts";
import { toShortestUniquePaths } from "../../format/short-names.ts";
import type { FacetGroup } from "../model/requests.ts";

/** Maximum number of values per field, most frequent first. */
const MAX_VALUES = 12;

/** Roles of a list: those of nearly every session come first. */
const MAX_ROLES = 4;

/** The groups, with the fields of the query that their values are of. */
export const FACET_FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  ["project", ["project"]],
  ["model", ["model"]],
  ["role", ["role"]],
  ["tool", ["tool"]],
  ["month", ["since", "until"]],
]);

/** Facets without days, of which there are too many for a terminal, and without tags, which have a view of their own. */
type ShownFacets = Omit<Facets, "days" | "tags">;

/** The most frequent values of each field. Their own counts are of hits, so they only sort the values. */
export function toFacetGroups({ projects, models, roles, tools, months }: ShownFacets): FacetGroup[] {
  const toGroup = (
    name: string,
    counts: readonly Pick<FacetCount, "value">[],
    toTerm: (value: string) => string,
  ) => {
    const values = counts.slice(0, MAX_VALUES).map(({ value }) => ({ value, term: toTerm(value) }));
    return { name, values };
  };
  const names = toShortestUniquePaths(projects.map(({ value }) => value));
  const byName = projects.map((counted) => ({
    ...counted,
    value: names.get(counted.value) ?? counted.value,
  }));
  const groups = [
    toGroup("project", byName, (name) => term("project", name)),
    toGroup("model", withoutProviders(models), (model) => term("model", model)),
    toGroup("role", roles, (role) => term("role", role)),
    toGroup("tool", tools, (tool) => term("tool", tool)),
    toGroup("month", months, (month) => `since:${month} until:${monthAfter(month)}`),
  ];
  return groups.filter(({ values }) => values.length > 0);
}

/** Roles and the most frequent tools of all sessions: finding those of a list would read all its entries. */
export async function listEntryFacets(index: Pick<AnyIndex, "complete">): Promise<FacetGroup[]> {
  const fields = (["role", "tool"] as const).map(async (name): Promise<FacetGroup> => {
    const { options } = await index.complete(`${name}:`);
    const values = options.slice(0, name === "role" ? MAX_ROLES : MAX_VALUES).map(({ text }) => {
      const value = unquoteValue(text);
      return { value, term: term(name, value) };
    });
    return { name, values };
  });
  return (await Promise.all(fields)).filter(({ values }) => values.length > 0);
}

/** The number of sessions that choosing a value finds, from the facets of a search; undefined if several of their values match its term. */
export function findSessionCount(facets: ShownFacets, name: string, value: string): number | undefined {
  const [counts, matches] = COUNTS[name as keyof typeof COUNTS];
  const matching = facets[counts].filter((each) => matches(each.value, value));
  return matching.length > 1 ? undefined : (matching[0]?.sessions ?? 0);
}

const isSame = (counted: string, value: string) => counted === value;

/** For each group: where its counts are, and whether a counted value is what the term of a shown one finds. */
const COUNTS = {
  project: [
    "projects",
    (cwd: string, name: string) =>
      cwd === name || (/[\\/]/.test(cwd.at(-name.length - 1) ?? "") && cwd.endsWith(name)),
  ],
  model: ["models", (model: string, name: string) => model.includes(name)],
  role: ["roles", isSame],
  tool: ["tools", isSame],
  month: ["months", isSame],
} as const;

/** Models by their names alone, which filters use: not every session says which provider a model had. */
function withoutProviders(models: readonly FacetCount[]): { value: string; hits: number }[] {
  const hits = new Map<string, number>();
  for (const { value, hits: more } of models) {
    const name = value.slice(value.indexOf("/") + 1);
    hits.set(name, (hits.get(name) ?? 0) + more);
  }
  return [...hits].map(([value, hits]) => ({ value, hits })).sort((a, b) => b.hits - a.hits);
}

const term = (field: "project" | "model" | "role" | "tool", value: string) =>
  formatTerm({ field, values: [value] });

function monthAfter(month: string): string {
  const [year = 0, number = 1] = month.split("-").map(Number);
  return number === 12 ? `${year + 1}-01` : `${year}-${String(number + 1).padStart(2, "0")}`;
}
