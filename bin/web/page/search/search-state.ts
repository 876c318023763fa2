/** The state of a search in the address, and the request for it. */
import { filtersSessions, formatTerm, isRanked } from "../../../format/query-terms.ts";
import { extractFieldTexts } from "../../../format/query-words.ts";
import { parseTypedQuery, type TypedQuery } from "../../../format/typed-query.ts";
import type { ApiParams } from "../shell/api.ts";

/** The search parameters in the address. */
const FIELDS = [
  "q",
  "cwd", // a complete working directory
  "model",
  "tags", // one tag
  "role",
  "tool",
  "since",
  "until", // exclusive
  "usage", // `yes`: what the figures of the usage view are of
  "sort",
  // `yes` includes archived or subagent sessions, `only` excludes all others.
  "archived",
  "subagents",
  // `true`: only sessions with a name, a pin or problems.
  "named",
  "pinned",
  "problems",
] as const;

export type SearchField = (typeof FIELDS)[number];
/** Missing parameters are "". */
export type SearchState = Record<SearchField, string>;

export function parseSearchState(params: Readonly<Record<string, string>>): SearchState {
  return Object.fromEntries(FIELDS.map((field) => [field, params[field] ?? ""])) as SearchState;
}

/** The request for a search: a list, a list filtered by title, a search, or a scan of the files. */
export interface SearchRequest {
  by: "list" | "title" | "search" | "scan";
  params: ApiParams;
}

/** The main sort orders of lists. Searches have their own. */
const LIST_SORTS: Readonly<Record<string, string>> = {
  "": "Newest first",
  oldest: "Oldest first",
  created: "Newest created",
  messages: "Most messages",
  cost: "Highest cost",
  name: "Title",
  size: "Largest",
};
/** Orders of lists that a second click on the heading of a column selects, by the order that they reverse. */
const REVERSED_SORTS: Readonly<Record<string, readonly [sort: string, name: string]>> = {
  messages: ["messages-asc", "Fewest messages"],
  cost: ["cost-asc", "Lowest cost"],
  name: ["name-desc", "Title, Z–A"],
};
const SEARCH_SORTS: Readonly<Record<string, string>> = {
  "": "Relevance",
  newest: "Newest hits",
  oldest: "Oldest hits",
};
const UNRANKED_SORTS: Readonly<Record<string, string>> = { "": "Newest first", oldest: "Oldest first" };
/** Files are read newest first. */
const SCAN_SORTS: Readonly<Record<string, string>> = { "": "Newest first" };

/** The order in which the page sorts results itself, once it has all of them. */
export const RANGE_COST_SORT = { range: "Highest range cost" };

/** The orders that a request can have, by the values of `sort`: the main ones, and its own. */
export function getSorts({ by, params }: SearchRequest): Readonly<Record<string, string>> {
  if (by === "scan") return SCAN_SORTS;
  if (by !== "search") {
    const reversed = params.order === "oldest" ? REVERSED_SORTS[String(params.sort)] : undefined;
    return reversed ? { ...LIST_SORTS, [reversed[0]]: reversed[1] } : LIST_SORTS;
  }
  return isRanked(String(params.query)) ? SEARCH_SORTS : UNRANKED_SORTS;
}

/** The reverse of an order, and its name; undefined for results that cannot be reversed: only lists can. */
export function getReversedSort(
  sort: string,
  sorts: Readonly<Record<string, string>>,
): readonly [sort: string, name: string] | undefined {
  return "name" in sorts ? REVERSED_SORTS[sort] : undefined;
}

/** A state with the filters that `usage` implies. */
export function toFilters({ usage, ...state }: SearchState): Omit<SearchState, "usage"> {
  if (usage === "") return state;
  const role = findsUsage({ usage, ...state }) ? "assistant" : state.role;
  return { ...state, role, archived: state.archived || "yes" };
}

/** Whether the results are the model responses of a range: without their role, a prompt in the range would be enough. */
export function findsUsage({ usage, since, until, role, tool, q }: SearchState): boolean {
  if (usage === "" || since + until === "" || (role && role !== "assistant") || tool !== "") return false;
  return extractFieldTexts(q, "tool").length + extractFieldTexts(q, "type").length === 0;
}

export function toSearchRequest(state: SearchState): SearchRequest {
  const { q, role, tool, sort, archived: included, ...filters } = toFilters(state);
  const typed = parseTypedQuery(q);
  const archived = included || "no"; // the default of lists, but not of searches
  const filterTerms = toFilterTerms({ role, tool });
  if (typed.by === "pattern") {
    const query = filterTerms.join(" ");
    return { by: "scan", params: { ...filters, archived, regex: typed.regex, query } };
  }
  const query = [toQueryText(typed, filterTerms.length > 0), ...filterTerms].filter(Boolean).join(" ");
  const listed = { ...filters, archived: included, ...listSort(sort) };
  if (query !== "" && filtersSessions(query)) return { by: "list", params: { ...listed, query } };
  if (query !== "") {
    const request = { by: "search", params: { ...filters, archived, query } } as const;
    return { ...request, params: { ...request.params, sort: sort in getSorts(request) ? sort : "" } };
  }
  if (typed.by === "title") return { by: "title", params: { ...listed, title: typed.text } };
  return { by: "list", params: listed };
}

/** Filters of entries, which a request has in its query. */
function toFilterTerms({ role, tool }: Pick<SearchState, "role" | "tool">): string[] {
  return [
    role && formatTerm({ field: "role", values: [role] }),
    tool && formatTerm({ field: "tool", values: [tool] }),
  ].filter(Boolean);
}

/** The request for completions at the end of a text, with the filters of a state. */
export function toCompletionParams(text: string, state: SearchState): ApiParams {
  const { q: _q, role, tool, sort: _sort, archived, ...filters } = toFilters(state);
  const query = [text, ...toFilterTerms({ role, tool })].join(" ");
  return {
    ...filters,
    archived: archived || "no",
    subagents: state.subagents || "no",
    query,
    at: text.length,
  };
}

/** The parameters for exporting the results; undefined for results that only the page finds: titles and patterns. */
export function toExportParams(state: SearchState): ApiParams | undefined {
  const { by, params } = toSearchRequest(state);
  if (by === "list") {
    const { pinnedFirst: _pinned, sort: _sort, order: _order, query: search, ...filters } = params;
    return { whole: true, search, ...filters };
  }
  if (by !== "search") return undefined;
  const { query: search, ...filters } = params;
  return { search, ...filters };
}

/** Titles are only matched in lists: combined with a role or a tool, the text becomes search words. */
function toQueryText(typed: TypedQuery, hasTerms: boolean): string {
  if (typed.by === "words") return typed.query;
  return typed.by === "title" && hasTerms ? typed.text : "";
}

function listSort(sort: string): ApiParams {
  if (sort === "oldest") return { order: "oldest" };
  const reversed = Object.entries(REVERSED_SORTS).find(([, [name]]) => name === sort);
  if (reversed) return { sort: reversed[0], order: "oldest" };
  return sort !== "" && sort in LIST_SORTS ? { sort } : { pinnedFirst: true };
}
