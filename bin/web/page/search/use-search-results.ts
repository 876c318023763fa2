/** Loads search results page by page. */
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { formatClosestNotice, formatQueryNotice, formatUnknownWords } from "../../../format/closest.ts";
import { ScanResults } from "../../../format/scan-results.ts";
import type { Hit, ScanEvent } from "../../api/answers.ts";
import type { SessionJson } from "../../api/json.ts";
import { ApiError, apiGet, apiUrl } from "../shell/api.ts";
import { fetchJsonLines } from "../shell/response-lines.ts";
import { getRestoredState, saveViewState } from "../shell/view-state.ts";
import type { SearchRequest } from "./search-state.ts";

export interface SessionResult {
  session: SessionJson;
  hits: (Pick<Hit, "entryId" | "line" | "type" | "role" | "part" | "snippet" | "path" | "timestamp"> &
    Partial<Pick<Hit, "missing">>)[];
  hitCount: number;
}

export interface SearchResults {
  sessions: SessionResult[];
  /** Number of matching sessions counted so far, without closest matches. */
  total: number;
  /** Whether there may be more than `total`. */
  hasMore: boolean;
  next?: string | undefined;
  notice?: string | undefined;
  /** Heading above the closest matches. */
  closest?: string | undefined;
  /** Number of closest matches. */
  closestCount?: number | undefined;
  /** Words that are not in the index. */
  unknownWords?: string | undefined;
}

/** Sessions per page. Pages of a search are smaller because each hit is read back from its file. */
const LIST_PAGE_SIZE = 40;
const SEARCH_PAGE_SIZE = 8;
const HITS_PER_SESSION = 2;

export interface SearchState {
  results: SearchResults | undefined;
  error: unknown;
  isWaiting: boolean;
  /** Loads the next page. */
  loadMore: () => void;
}

interface State {
  /** Identifies the query and the version of the index. */
  key: string;
  found: SearchResults | undefined;
  error: unknown;
  /** Whether more results will arrive. */
  isPartial: boolean;
}

/**
 * The results of a query. Runs it again when it or the version of the index changes, and keeps the previous results
 * until then. While the user types, only the newest hits are ranked.
 */
export function useSearchResults(question: SearchRequest, version: number, isTyping: boolean): SearchState {
  const quick = isTyping && question.by === "search";
  const key = `${version} ${quick} ${question.by} ${apiUrl("", question.params)}`;
  const [state, setState] = useState<State>({
    key: "",
    found: undefined,
    error: undefined,
    isPartial: false,
  });
  const abort = useRef<AbortController>(undefined);
  const isLoadingMore = useRef(false);
  const request = useRef(question);
  /** Rows shown when the user left this page; as many are loaded on return. */
  const minRows = useRef(getRestoredState<number>("rows") ?? 0);
  request.current = quick ? { ...question, params: { ...question.params, quick } } : question;

  // Before paint, so that results appear within a frame or two while the user types.
  useLayoutEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    abort.current = controller;
    isLoadingMore.current = false;
    const show = (found: SearchResults, isPartial: boolean) => {
      if (!signal.aborted) setState({ key, found, error: undefined, isPartial });
    };
    find(request.current, signal, show, minRows.current).catch((error: unknown) => {
      if (!signal.aborted) setState({ key, found: undefined, error, isPartial: false });
    });
    return () => controller.abort();
  }, [key]);

  const { found } = state;
  useEffect(() => {
    if (found) saveViewState("rows", found.sessions.length);
  }, [found]);
  const goOn = useCallback(() => {
    const signal = abort.current?.signal;
    if (!found?.next || isLoadingMore.current || !signal) return;
    isLoadingMore.current = true;
    loadPage(request.current, signal, found.next)
      .then((more) => {
        if (!signal.aborted)
          setState({ key, found: append(found, more), error: undefined, isPartial: false });
      })
      .catch((error: unknown) => {
        if (!signal.aborted) setState((before) => ({ ...before, error }));
      })
      .finally(() => {
        isLoadingMore.current = false;
      });
  }, [found, key]);
  return {
    results: found,
    error: state.error,
    isWaiting: state.key !== key || state.isPartial,
    loadMore: goOn,
  };
}

/** Appends a page. Only the first page has the total, and a session that changed meanwhile may be on both. */
function append(before: SearchResults, more: SearchResults): SearchResults {
  const paths = new Set(before.sessions.map(({ session }) => session.path));
  const sessions = [...before.sessions, ...more.sessions.filter(({ session }) => !paths.has(session.path))];
  const closest = before.closest ?? more.closest;
  return {
    ...more,
    sessions,
    closest,
    total: closest ? before.total : Math.max(before.total, sessions.length),
  };
}

async function find(
  question: SearchRequest,
  signal: AbortSignal,
  show: (found: SearchResults, isPartial: boolean) => void,
  minRows: number,
): Promise<void> {
  if (question.by === "scan") await scan(question, signal, show);
  else show(await loadPage(question, signal, undefined, minRows), false);
}

/** The server's limit for one search. */
const MAX_PAGE_SIZE = 1000;

async function loadPage(
  { by, params }: SearchRequest,
  signal: AbortSignal,
  cursor?: string,
  minRows = 0,
): Promise<SearchResults> {
  if (by === "search") {
    const options = {
      ...params,
      limit: Math.min(MAX_PAGE_SIZE, Math.max(SEARCH_PAGE_SIZE, minRows)),
      hits: HITS_PER_SESSION,
      cursor,
    };
    const answer = await apiGet("search", options, signal);
    const { sessions, sessionCount, more, next, closest } = answer;
    return {
      ...{ sessions, total: sessionCount - (closest?.sessionCount ?? 0), hasMore: more, next },
      notice: formatQueryNotice(answer),
      closest: formatClosestNotice(answer),
      closestCount: closest?.sessionCount ?? 0,
      unknownWords: formatUnknownWords(answer),
    };
  }
  const { sessions, total, next } = await apiGet(
    "list",
    { ...params, limit: Math.max(LIST_PAGE_SIZE, minRows), cursor },
    signal,
  );
  return {
    sessions: sessions.map((session) => ({ session, hits: [], hitCount: 0 })),
    total,
    hasMore: false,
    next,
  };
}

/** How often the results of a running scan are shown. */
const SHOW_INTERVAL_MS = 100;
const MAX_SCAN_HITS = 2000;

async function scan(
  { params }: SearchRequest,
  signal: AbortSignal,
  show: (found: SearchResults, isPartial: boolean) => void,
): Promise<void> {
  const results = new ScanResults<SessionJson, SessionResult["hits"][number]>(HITS_PER_SESSION);
  let lastShown = performance.now();
  const found = (remark?: string): SearchResults => {
    const sessions = results.rows;
    return { sessions, total: sessions.length, hasMore: false, notice: remark };
  };
  for await (const event of fetchJsonLines<ScanEvent>("scan", { ...params, limit: MAX_SCAN_HITS }, signal)) {
    if ("error" in event) throw new ApiError(event.error);
    results.add(event);
    if (performance.now() - lastShown < SHOW_INTERVAL_MS) continue;
    lastShown = performance.now();
    show(found(`Searching files: ${Math.floor(results.share * 100)}%`), true);
  }
  show(found(), false);
}
