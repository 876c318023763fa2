/** Facet values and the typed query: which values it selects, and the changes that select others. */
import {
  addTerm,
  formatTerm,
  listExcludedFields,
  listRequiredFields,
  removeFields,
} from "../../../format/query-terms.ts";
import { toShortestUniquePaths } from "../../../format/short-names.ts";
import type { SearchField, SearchState } from "./search-state.ts";

/** The filters that facets set, the field of queries that is written for each, and the fields that select its values. */
const FACET_FIELDS = {
  cwd: { written: "project", read: ["project", "cwd"] },
  model: { written: "model", read: ["model"] },
  tags: { written: "tag", read: ["tag"] },
  role: { written: "role", read: ["role"] },
  tool: { written: "tool", read: ["tool"] },
} as const;

export type FacetField = keyof typeof FACET_FIELDS;

/** How a value is chosen: alone, with those that are selected, or as one to exclude. */
export type FacetChoice = "only" | "add" | "exclude";

/** The values that the filters or the typed query select. */
export function getSelected(
  field: FacetField,
  values: readonly string[],
  state: SearchState,
): ReadonlySet<string> {
  const typed = listRequiredFields(state.q, FACET_FIELDS[field].read);
  const selected = values.filter((value) => typed.some((text) => isSelectedBy(field, value, text)));
  return new Set([...selected, ...(state[field] === "" ? [] : [state[field]])]);
}

/** The values that the query excludes, as typed, each with the query that no longer excludes it. */
export function getExcluded(field: FacetField, { q }: SearchState) {
  return listExcludedFields(q, FACET_FIELDS[field].read);
}

/** Whether a value is typed in the query, which then has no filter for it. */
export function isTyped(field: FacetField, { q }: SearchState): boolean {
  return listRequiredFields(q, FACET_FIELDS[field].read).length > 0;
}

/** The typed query without the fields that select values of a facet. */
export function withoutTyped(field: FacetField, { q }: SearchState): string {
  return removeFields(q, FACET_FIELDS[field].read);
}

/**
 * The changes of the state that choose a value. One value is a filter; several, and excluded ones, are written into the query.
 *
 * @param values all values of the facet
 */
export function chooseValue(
  field: FacetField,
  value: string,
  choice: FacetChoice,
  { state, values }: { state: SearchState; values: readonly string[] },
): Partial<Record<SearchField, string>> {
  const selected = getSelected(field, values, state);
  const isSelected = selected.has(value);
  const rest = withoutTyped(field, state);
  const query = rest === state.q ? {} : { q: rest };
  const write = (chosen: readonly string[], excluded = false) =>
    formatTerm({ field: FACET_FIELDS[field].written, values: toNames(field, chosen, values), excluded });
  if (choice === "exclude") {
    const kept = [...selected].filter((each) => each !== value);
    const [first] = kept;
    const q = addTerm(kept.length > 1 ? addTerm(rest, write(kept)) : rest, write([value], true));
    return { q, [field]: kept.length === 1 ? (first ?? "") : "" };
  }
  const chosen = isSelected ? [...selected].filter((each) => each !== value) : [...selected, value];
  if (choice === "add" && chosen.length > 1) return { q: addTerm(rest, write(chosen)), [field]: "" };
  const [one = ""] = choice === "add" ? chosen : isSelected && selected.size === 1 ? [] : [value];
  return { ...query, [field]: one };
}

/** The shortest unique names of projects; other values unchanged. */
function toNames(field: FacetField, chosen: readonly string[], values: readonly string[]): string[] {
  if (field !== "cwd") return [...chosen];
  const names = toShortestUniquePaths([...new Set([...values, ...chosen])]);
  return chosen.map((value) => names.get(value) ?? value);
}

/** Whether a text typed for a field selects a value, as the search compares them. */
function isSelectedBy(field: FacetField, value: string, text: string): boolean {
  const [one, typed] = [value.toLowerCase(), text.toLowerCase().replace(/[/\\]+$/, "")];
  if (field === "model") return one.includes(typed);
  if (field === "cwd") return one === typed || one.endsWith(`/${typed}`) || one.endsWith(`\\${typed}`);
  return one === typed;
}
