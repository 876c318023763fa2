/** The values that a view can be filtered by. */
import type { FacetCount, Facets } from "../../../library/index.ts";
import type { AnyIndex } from "../../actions/index-location.ts";
import { formatTerm } from "../../format/query-terms.ts";
import { unquoteValue } from "../../format/query-words.ts";
import { toShortestUniquePaths } from "../../format/short-names.ts";
import type { FacetGroup, FacetValue } from "../model/requests.ts";

/** Maximum number of values per field, most frequent first. */
const MAX_VALUES = 12;

/** Roles of a list: those of nearly every session come first. */
const MAX_ROLES = 4;

/** Facets without days, of which there are too many for a terminal. */
type ShownFacets = Omit<Facets, "days">;

/** The most frequent values of each field. Their own counts are of hits, so they only sort the values. */
export function toFacetGroups({ projects, models, roles, tools, months }: ShownFacets): FacetGroup[] {
  const toGroup = (name: string, counts: readonly FacetCount[], toTerm: (value: string) => string) => {
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

/** Counts the sessions that each value finds, by the search that choosing it runs. The order stays: rows must not move under the cursor. */
export async function countEach(
  groups: readonly FacetGroup[],
  countSessions: (term: string) => Promise<Pick<FacetValue, "count" | "hasMore">>,
): Promise<FacetGroup[]> {
  const counted: FacetGroup[] = [];
  for (const { name, values } of groups) {
    const found: FacetValue[] = [];
    for (const each of values) found.push({ ...each, ...(await countSessions(each.term)) });
    counted.push({ name, values: found });
  }
  return counted;
}

/** Models by their names alone, which filters use: not every session says which provider a model had. */
function withoutProviders(models: readonly FacetCount[]): FacetCount[] {
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
