/** Loads search results page by page. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import {
  formatQueryNotice,
  formatUnknownWords,
  listClosestParts,
  type NoticePart,
} from "../../../format/closest.ts";
import { sessionQuery } from "../../../format/query-terms.ts";
import { formatInteger } from "../../../format/safe.ts";
import { ScanResults } from "../../../format/scan-results.ts";
import type { Answers, Hit, ScanEvent } from "../../api/answers.ts";
import type { SessionJson } from "../../api/json.ts";
import { ApiError, apiGet, apiUrl, fetchApi, readLines, useLoaded } from "../shell/api.ts";
import type { ResultTrail } from "../shell/result-trail.ts";
import { getRestoredState, saveViewState } from "../shell/view-state.ts";
import type { SearchRequest } from "./search-state.ts";
import type { LoadAll } from "./use-result-selection.ts";

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
  /** The same in a few words, where there are any. */
  shortNotice?: string | undefined;
  /** The query with misspelled words corrected, if these are its results. */
  correctedQuery?: string | undefined;
  /** Heading above the closest matches. */
  closest?: readonly NoticePart[] | undefined;
  /** The words that the closest match lacks, which their heading names. */
  missing?: readonly string[] | undefined;
  /** The words taken as misspelled. */
  corrections?: readonly { from: string; to: string }[] | undefined;
  /** Number of closest matches. */
  closestCount?: number | undefined;
  /** Words that are not in the index. */
  unknownWords?: string | undefined;
  /** Whether a scan stopped before the end of the files. */
  isStopped?: boolean | undefined;
  /** Of a scan: the counts by value and by day of what it found so far. */
  counts?: Answers["facets"] | undefined;
}

/** Sessions per page. Pages of a search are smaller because each hit is read back from its file. */
const LIST_PAGE_SIZE = 40;
/** The server's limit for one search. */
export const MAX_PAGE_SIZE = 1000;
const SEARCH_PAGE_SIZE = 8;
export const HITS_PER_SESSION = 2;
/** Characters of a snippet, which the longest line of a wide window has. Others are cut at their end. */
const SNIPPET_LENGTH = 320;

/**
 * The results of a query. Runs it again when it or the version of the index changes, and keeps the previous results
 * until then. While the user types, the newest hits are ranked first, and then the others. `loadMore` loads the next page.
 *
 * @param isLarge whether the first page is as large as possible
 */
export function useSearchResults(
  question: SearchRequest,
  version: number,
  { isTyping, isLarge }: { isTyping: boolean; isLarge: boolean },
) {
  const all = apiUrl(question.by, question.params);
  /** The request with quick results on screen, for which complete ones are loaded. */
  const [completed, setCompleted] = useState("");
  const quick = isTyping && question.by === "search" && completed !== all;
  const [continued, setContinued] = useState<{ of: string; limit: number }>();
  const limit = continued?.of === all ? continued.limit : MAX_SCAN_HITS;
  const request = {
    ...question,
    params: { ...question.params, ...(question.by === "scan" ? { limit } : { quick }) },
  };
  /** Rows shown when the user left this page; as many are loaded on return. */
  const minRows = useRef(getRestoredState<number>("rows") ?? 0);
  const lifetime = useRef<AbortSignal>(undefined);
  const name = apiUrl(request.by, request.params) + (isLarge ? "#large" : "");
  const load = (signal: AbortSignal, show: (found: SearchResults) => void) => {
    lifetime.current = signal;
    return request.by === "scan"
      ? scan(request, limit, signal, show)
      : loadPage(request, signal, undefined, isLarge ? MAX_PAGE_SIZE : minRows.current);
  };
  const loaded = useLoaded<SearchResults>(name, version, load, { keepsData: true });
  const { data, error, isLoading } = loaded;
  // At once, and not at the end of a pause: rows move before they can be read.
  const isPartial = data !== undefined && (data.hasMore || data.sessions.length === 0);
  const needsCompletion = quick && loaded.name === name && isPartial;
  useEffect(() => {
    if (needsCompletion) setCompleted(all);
  }, [needsCompletion, all]);
  /** `first` with the further pages, while it is the first one. */
  const [further, setFurther] = useState<{ first: SearchResults; found: SearchResults; error?: unknown }>();
  const more = further?.first === data ? further : undefined;
  const found = more?.found ?? data;
  useEffect(() => {
    if (found) saveViewState("rows", found.sessions.length);
  }, [found]);
  const loadingAfter = useRef<SearchResults>(undefined);
  const loadMore = () => {
    const signal = lifetime.current;
    if (!data || !found?.next || !signal || loadingAfter.current === found) return;
    // Results of the request before stay until those of this one arrive, and their cursor is not valid for it.
    if (loaded.name !== name) return;
    loadingAfter.current = found;
    const settle = (after: SearchResults, failure?: unknown) => {
      loadingAfter.current = undefined;
      if (!signal.aborted) setFurther({ first: data, found: after, error: failure });
    };
    loadPage(request, signal, found.next).then(
      (page) => settle(append(found, page)),
      (failure: unknown) => settle(found, failure),
    );
  };
  const scanned = useRef<SearchResults>(undefined);
  scanned.current = found;
  const loadAll = useCallback<LoadAll>(
    async (signal, onProgress) =>
      question.by === "scan"
        ? (scanned.current?.sessions.map(({ session }) => session) ?? [])
        : loadAllSessions(question, signal, onProgress),
    [all],
  );
  /** The request that the results answer; undefined while they are those of another. */
  const answered = loaded.name === name ? request : undefined;
  /** Scans again, for more matches. */
  const continueScan = () => setContinued({ of: all, limit: limit * SCAN_LIMIT_GROWTH });
  return {
    ...{ results: found, error: error ?? more?.error, isWaiting: isLoading },
    ...{ loadMore, loadAll, continueScan, answered },
  };
}

/**
 * The results as they are gone through one by one in the session view, which loads further pages.
 *
 * @param counted the number of sessions, if all were counted
 */
export function toTrail(
  found: SearchResults,
  request: SearchRequest,
  q: string,
  counted?: number,
): ResultTrail {
  return {
    q,
    sessions: found.sessions.map(({ session }) => session),
    total: found.hasMore ? counted : found.total + (found.closestCount ?? 0),
    loadMore:
      found.next === undefined
        ? undefined
        : async (signal) =>
            toTrail(append(found, await loadPage(request, signal, found.next)), request, q, counted),
  };
}

/** Appends a page. Only the first page has the total, and a session that changed meanwhile may be on both. */
function append(before: SearchResults, more: SearchResults): SearchResults {
  const paths = new Set(before.sessions.map(({ session }) => session.path));
  const sessions = [...before.sessions, ...more.sessions.filter(({ session }) => !paths.has(session.path))];
  const closest = before.closest ?? more.closest;
  const total = closest ? before.total : Math.max(before.total, sessions.length);
  const corrections = before.corrections ?? more.corrections;
  const missing = before.missing ?? more.missing;
  return { ...more, sessions, closest, corrections, missing, total };
}

/** Hits of a session that are opened in its row. */
const MAX_OPENED_HITS = 50;

/** The first hits of one session of a search. */
export async function loadHits({ params }: SearchRequest, path: string): Promise<SessionResult["hits"]> {
  const query = sessionQuery(path, String(params.query ?? ""));
  const { sessions } = await apiGet("search", {
    ...params,
    query,
    limit: 1,
    hits: MAX_OPENED_HITS,
    snippetLength: SNIPPET_LENGTH,
  });
  return sessions[0]?.hits ?? [];
}

/** Lists filtered by title have no pages. */
const MAX_TITLED = 1_000_000;

/** The sessions of all results, in their order. */
async function loadAllSessions(
  { by, params }: SearchRequest,
  signal: AbortSignal,
  onProgress: (count: number) => void,
): Promise<SessionJson[]> {
  const sessions = new Map<string, SessionJson>(); // one that changes meanwhile may be on two pages
  const limit = by === "title" ? MAX_TITLED : MAX_PAGE_SIZE;
  let cursor: string | undefined;
  do {
    const options = { ...params, limit, cursor };
    const page =
      by === "search"
        ? await apiGet("search", { ...options, hits: 1 }, signal)
        : await apiGet("list", options, signal);
    for (const each of page.sessions) {
      const session = "session" in each ? each.session : each;
      sessions.set(session.path, session);
    }
    cursor = page.next;
    onProgress(sessions.size);
  } while (cursor !== undefined);
  return [...sessions.values()];
}

/** The words that all closest matches lack. Each row names the others that it lacks. */
function missingInAll({ closest, sessions }: Answers["search"]): string[] {
  const closestHits = sessions.flatMap(({ hits }) => hits).filter(({ missing }) => missing !== undefined);
  return (closest?.missing ?? []).filter((word) =>
    closestHits.every(({ missing }) => missing?.includes(word)),
  );
}

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
      snippetLength: SNIPPET_LENGTH,
      costs: true,
      models: true,
      cursor,
    };
    const answer = await apiGet("search", options, signal);
    const { sessions, sessionCount, more: hasMore, next } = answer;
    const closest = answer.closest && { ...answer.closest, missing: missingInAll(answer) };
    const closestCount = closest?.sessionCount ?? 0;
    return {
      ...{ sessions, total: sessionCount - closestCount, hasMore, next, closestCount },
      // Which the line names. The word being typed is searched as a prefix, and is no pattern of the user.
      notice: formatQueryNotice({
        ...answer,
        correctedQuery: undefined,
        broadPrefixes: answer.broadPrefixes?.filter((prefix) => String(params.query).includes(`${prefix}*`)),
      }),
      correctedQuery: answer.correctedQuery?.replace(/\*$/, ""), // the star is that of the word being typed
      closest: listClosestParts({ ...answer, closest }),
      corrections: closest?.corrected,
      missing: closest?.missing,
      unknownWords: formatUnknownWords(answer),
    };
  }
  const options = { ...params, costs: true, models: true, limit: Math.max(LIST_PAGE_SIZE, minRows), cursor };
  const { sessions, total, next } = await apiGet("list", options, signal);
  return {
    sessions: sessions.map((session) => ({ session, hits: [], hitCount: 0 })),
    ...{ total, hasMore: false, next },
  };
}

function formatShare(share: number): string {
  const percent = Math.floor(share * 100);
  return percent === 0 ? "less than 1%" : `${percent}%`;
}

/** How often the results of a running scan are shown. */
const SHOW_INTERVAL_MS = 100;
const MAX_SCAN_HITS = 2000;
const SCAN_LIMIT_GROWTH = 4;

async function scan(
  { params }: SearchRequest,
  limit: number,
  signal: AbortSignal,
  show: (found: SearchResults) => void,
): Promise<SearchResults> {
  const results = new ScanResults<SessionJson, SessionResult["hits"][number]>(MAX_OPENED_HITS);
  let counts: Answers["facets"] | undefined;
  let lastShown = performance.now();
  const found = (notice?: string, shortNotice = notice): SearchResults => {
    const sessions = results.rows;
    const hasMore = notice !== undefined;
    return { sessions, total: sessions.length, hasMore, notice, shortNotice, counts };
  };
  const response = await fetchApi(apiUrl("scan", { ...params, snippetLength: SNIPPET_LENGTH }), { signal });
  for await (const line of readLines(response)) {
    const event: ScanEvent = JSON.parse(line);
    if ("error" in event) throw new ApiError(event.error);
    if ("counts" in event) {
      counts = event.counts;
      continue;
    }
    results.add(event);
    if (performance.now() - lastShown < SHOW_INTERVAL_MS) continue;
    lastShown = performance.now();
    const percent = `${Math.floor(results.share * 100)}%`;
    show(found(`Searching files: ${percent}`, `searching files: ${percent}`));
  }
  if (results.hitCount < limit) return found();
  const share = `${formatShare(results.share)} of the files`;
  const matches = `${formatInteger(limit)} matches`;
  const stopped = found(
    `Stopped at ${matches}, after ${share}; the counts are of these. Narrow the pattern, or add a filter`,
    `stopped at ${matches}, ${share}`,
  );
  return { ...stopped, isStopped: true };
}
