/** The state of a search in the address, and the request for it. */
import { formatTerm } from "../../../format/query-terms.ts";
import { type TypedQuery, typedQuery } from "../../../format/typed-query.ts";
import type { Asked } from "../shell/ask.ts";

/** The search parameters in the address; "" if missing. */
export interface Wanted {
  q: string;
  /** A complete working directory. */
  cwd: string;
  model: string;
  role: string;
  tool: string;
  /** Days; `until` is exclusive. */
  since: string;
  until: string;
  sort: string;
  /** `yes` includes archived or subagent sessions, `only` excludes all others. */
  archived: string;
  subagents: string;
  /** `true`: only sessions with a name, a pin or problems. */
  named: string;
  pinned: string;
  problems: string;
}

export type Wish = keyof Wanted;

const FIELDS: readonly Wish[] = [
  "q",
  "cwd",
  "model",
  "role",
  "tool",
  "since",
  "until",
  "sort",
  "archived",
  "subagents",
  "named",
  "pinned",
  "problems",
];

export function wantedOf(params: Readonly<Record<string, string>>): Wanted {
  return Object.fromEntries(FIELDS.map((field) => [field, params[field] ?? ""])) as unknown as Wanted;
}

/** The request for a search: a list, a list filtered by title, a search, or a scan of the files. */
export type Question =
  | { by: "list"; asked: Asked }
  | { by: "title"; asked: Asked }
  | { by: "search"; asked: Asked }
  | { by: "scan"; asked: Asked };

/** Sort orders of lists. Searches have their own. */
export const LIST_SORTS: Readonly<Record<string, string>> = {
  "": "Newest first",
  oldest: "Oldest first",
  created: "By creation",
  messages: "Most messages",
  size: "Largest",
};
export const SEARCH_SORTS: Readonly<Record<string, string>> = {
  "": "Best first",
  newest: "Newest hits",
  oldest: "Oldest hits",
};

export function questionOf(state: Wanted): Question {
  const { q, cwd, model, since, until, subagents, named, pinned, problems, role, tool } = state;
  const filters = { cwd, model, since, until, subagents, named, pinned, problems };
  const typed = typedQuery(q);
  const archived = state.archived || "no"; // the default of lists, but not of searches
  const filterTerms = [
    role && formatTerm({ field: "role", values: [role] }),
    tool && formatTerm({ field: "tool", values: [tool] }),
  ].filter(Boolean);
  if (typed.by === "pattern")
    return {
      by: "scan",
      asked: { ...filters, archived, regex: typed.regex, query: filterTerms.join(" ") },
    };
  const query = [toQueryText(typed, filterTerms.length > 0), ...filterTerms].filter(Boolean).join(" ");
  if (query !== "") {
    const sort = state.sort in SEARCH_SORTS ? state.sort : "";
    return { by: "search", asked: { ...filters, archived, query, sort } };
  }
  const listed = { ...filters, archived: state.archived, ...listSort(state.sort) };
  if (typed.by === "title") return { by: "title", asked: { ...listed, title: typed.text } };
  return { by: "list", asked: listed };
}

/** The parameters for exporting the results; undefined unless it is a search. */
export function exportOf(state: Wanted): Asked | undefined {
  const { by, asked } = questionOf(state);
  if (by !== "search") return undefined;
  const { query: search, ...filters } = asked;
  return { search, ...filters };
}

/** Titles are only matched in lists: combined with a role or a tool, the text becomes search words. */
function toQueryText(typed: TypedQuery, hasTerms: boolean): string {
  if (typed.by === "words") return typed.query;
  return typed.by === "title" && hasTerms ? typed.text : "";
}

function listSort(sort: string): Asked {
  if (sort === "oldest") return { order: "oldest" };
  return sort !== "" && sort in LIST_SORTS ? { sort } : { pinnedFirst: true };
}
