/** What is looked for, as it stands in the address, and what that asks of the server. */
import { formatTerm } from "../../../format/query-terms.ts";
import { type TypedQuery, typedQuery } from "../../../format/typed-query.ts";
import type { Asked } from "../shell/ask.ts";

/** What the address says; "" is nothing. */
export interface Wanted {
  q: string;
  /** A working directory, whole. */
  cwd: string;
  model: string;
  role: string;
  tool: string;
  /** Days, the second exclusive. */
  since: string;
  until: string;
  sort: string;
  /** Whether archived sessions, or those of subagents, are among them: `yes`, `only`. */
  archived: string;
  subagents: string;
  /** `true`: only those with a name, a pin, problems. */
  named: string;
  pinned: string;
  problems: string;
}

export type Wish = keyof Wanted;

const WISHES: readonly Wish[] = [
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
  return Object.fromEntries(WISHES.map((wish) => [wish, params[wish] ?? ""])) as unknown as Wanted;
}

/** Which question it is: sessions as they come, those with a title, a search, or a look through the files. */
export type Question =
  | { by: "list"; asked: Asked }
  | { by: "title"; asked: Asked }
  | { by: "search"; asked: Asked }
  | { by: "scan"; asked: Asked };

/** How sessions can be sorted of which nothing is asked; searches have their own. */
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

export function questionOf(wanted: Wanted): Question {
  const { q, cwd, model, since, until, subagents, named, pinned, problems, role, tool } = wanted;
  const filters = { cwd, model, since, until, subagents, named, pinned, problems };
  const typed = typedQuery(q);
  const archived = wanted.archived || "no"; // what a list leaves out unless asked, and a search by itself does not
  const terms = [
    role && formatTerm({ field: "role", values: [role] }),
    tool && formatTerm({ field: "tool", values: [tool] }),
  ].filter(Boolean);
  if (typed.by === "pattern")
    return {
      by: "scan",
      asked: { ...filters, archived, regex: typed.regex, query: terms.join(" ") },
    };
  const query = [words(typed, terms.length > 0), ...terms].filter(Boolean).join(" ");
  if (query !== "") {
    const sort = wanted.sort in SEARCH_SORTS ? wanted.sort : "";
    return { by: "search", asked: { ...filters, archived, query, sort } };
  }
  const listed = { ...filters, archived: wanted.archived, ...listSort(wanted.sort) };
  if (typed.by === "title") return { by: "title", asked: { ...listed, title: typed.text } };
  return { by: "list", asked: listed };
}

/** What to ask of the export for the sessions that are shown; undefined where no search is. */
export function exportOf(wanted: Wanted): Asked | undefined {
  const { by, asked } = questionOf(wanted);
  if (by !== "search") return undefined;
  const { query: search, ...filters } = asked;
  return { search, ...filters };
}

/** A title is looked up in the list alone: with a role or a tool it is a word like others. */
function words(typed: TypedQuery, hasTerms: boolean): string {
  if (typed.by === "words") return typed.query;
  return typed.by === "title" && hasTerms ? typed.text : "";
}

function listSort(sort: string): Asked {
  if (sort === "oldest") return { order: "oldest" };
  return sort !== "" && sort in LIST_SORTS ? { sort } : { pinnedFirst: true };
}
