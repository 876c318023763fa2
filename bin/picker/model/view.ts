/** The view that the user selects, and its results, as exchanged between the picker and its index host. */
import type { Hit, SessionInfo } from "../../../library/index.ts";

/** Orders of lists. `threaded`: forks below their parent session, as in pi; only without a query. `cost` and `messages`: greatest first. */
export const SORTS = ["threaded", "newest", "cost", "messages"] as const;
export type Sort = (typeof SORTS)[number];

/** A query and its filters. */
export interface View {
  /** As typed, complete or not. */
  query: string;
  /** Only sessions of this working directory; undefined for all. */
  cwd: string | undefined;
  sort: Sort;
  /** Whether hits are sorted by time; otherwise by relevance. */
  newestHits?: boolean;
  /** Only sessions with a name. */
  named: boolean;
  archived: boolean;
  subagents: boolean;
}

/** The filters of a view, as options of lists and searches. */
export function toFilters({ cwd, named, archived, subagents }: View) {
  const include = (isIncluded: boolean) => (isIncluded ? ("yes" as const) : ("no" as const));
  return {
    cwd,
    named: named ? true : undefined,
    archived: include(archived),
    subagents: include(subagents),
  };
}

/** The filters and the order of a view, as options of a search. */
export function searchOptions(view: View) {
  return { ...toFilters(view), sort: view.newestHits ? ("newest" as const) : ("relevance" as const) };
}

/** The properties of a session that a list shows: small, because thousands are sent at once. */
export type ShownSession = ReturnType<typeof toShownSession>;

export type ShownHit = Pick<
  Hit,
  "path" | "entryId" | "line" | "type" | "role" | "onCurrentBranch" | "alsoIn" | "part" | "snippet"
> & { crossEntry?: boolean };

/** A row of the list: a session, with its best hits in a search. */
export interface Row {
  session: ShownSession;
  /** Branch lines before it in a thread: `├─ `. */
  branchLines: string;
  hits: ShownHit[];
  /** Number of hits in this session, shown or not. */
  hitCount: number;
  /** Whether the search did not look for hits in it yet: it is listed because of its title. */
  hasUnknownHits?: boolean | undefined;
  /** Positions of the characters of the title that match the query, in UTF-16 code units. */
  titlePositions?: number[] | undefined;
}

/** A row without hits. */
export function toRow(session: ShownSession, branchLines = ""): Row {
  return { session, branchLines, hits: [], hitCount: 0 };
}

/** The results of a view, or a part of them. */
export interface Results {
  view: View;
  rows: Row[];
  /** Number of matching sessions, also beyond `rows`. */
  total: number;
  /** Whether `total` is a lower bound. */
  hasMore: boolean;
  /** Cursor for the next page. */
  next?: string | undefined;
  /** Notes about the results, on lines: words that occur nowhere, the progress of a pattern search. */
  notice?: string | undefined;
  /** Of an empty list, once it is complete: which sessions exist that the view excludes. */
  excluded?: Pick<View, "archived" | "subagents"> | undefined;
}

/** Picks the properties that a list shows, with titles cut and the time in Unix milliseconds. */
export function toShownSession(session: SessionInfo) {
  const { path, id, cwd, parentSessionPath, messageCount, labelCount, problemCount } = session;
  const { pinned, archived, compressed, subagent, tags, model, modified, person, costUsd } = session;
  const { name, firstMessage, computedTitle } = session;
  return {
    ...{ path, id, cwd, parentSessionPath, messageCount, labelCount, problemCount },
    ...{ pinned, archived, compressed, subagent, tags, model, person, costUsd },
    name: name?.slice(0, MAX_TITLE_LENGTH),
    firstMessage: firstMessage.slice(0, MAX_TITLE_LENGTH),
    computedTitle: computedTitle?.slice(0, MAX_TITLE_LENGTH),
    modified: modified.getTime(),
  };
}

/** Maximum length of a title, in UTF-16 code units: longer than any terminal shows. */
const MAX_TITLE_LENGTH = 400;
