/** Loads search results page by page. */
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { closestNotice, queryNotice, unknownWords } from "../../../format/closest.ts";
import { ScanResults } from "../../../format/scan-results.ts";
import type { Hit, ListAnswer, ScanEvent, SearchAnswer, SessionJson } from "../../api/answers.ts";
import { AskError, addressOf, ask } from "../shell/ask.ts";
import { eventsOf } from "../shell/lines.ts";
import { keepHere, keptHere } from "../shell/places.ts";
import type { Question } from "./wanted.ts";

export interface FoundSession {
  session: SessionJson;
  hits: (Pick<Hit, "entryId" | "line" | "type" | "role" | "part" | "snippet" | "path" | "timestamp"> &
    Partial<Pick<Hit, "missing">>)[];
  hitCount: number;
}

export interface Found {
  sessions: FoundSession[];
  /** Number of matching sessions counted so far, without closest matches. */
  total: number;
  /** Whether there may be more than `total`. */
  more: boolean;
  next?: string | undefined;
  remark?: string | undefined;
  /** Heading above the closest matches. */
  closest?: string | undefined;
  /** Number of closest matches. */
  closestCount?: number | undefined;
  /** Words that are not in the index. */
  unknown?: string | undefined;
}

/** Sessions per page. Pages of a search are smaller because each hit is read back from its file. */
const LIST_PAGE_SIZE = 40;
const SEARCH_PAGE_SIZE = 8;
const HITS_PER_SESSION = 2;

export interface Finding {
  found: Found | undefined;
  error: unknown;
  isWaiting: boolean;
  /** Loads the next page. */
  goOn: () => void;
}

interface State {
  /** Identifies the query and the version of the index. */
  key: string;
  found: Found | undefined;
  error: unknown;
  /** Whether more results will arrive. */
  isPartial: boolean;
}

/**
 * The results of a query. Runs it again when it or the version of the index changes, and keeps the previous results
 * until then. While the user types, only the newest hits are ranked.
 */
export function useFound(question: Question, version: number, isTyping: boolean): Finding {
  const quick = isTyping && question.by === "search";
  const key = `${version} ${quick} ${question.by} ${addressOf("", question.asked)}`;
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
  const minRows = useRef(keptHere<number>("rows") ?? 0);
  request.current = quick ? { ...question, asked: { ...question.asked, quick } } : question;

  // Before paint, so that results appear within a frame or two while the user types.
  useLayoutEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    abort.current = controller;
    isLoadingMore.current = false;
    const show = (found: Found, isPartial: boolean) => {
      if (!signal.aborted) setState({ key, found, error: undefined, isPartial });
    };
    find(request.current, signal, show, minRows.current).catch((error: unknown) => {
      if (!signal.aborted) setState({ key, found: undefined, error, isPartial: false });
    });
    return () => controller.abort();
  }, [key]);

  const { found } = state;
  useEffect(() => {
    if (found) keepHere("rows", found.sessions.length);
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
  return { found, error: state.error, isWaiting: state.key !== key || state.isPartial, goOn };
}

/** Appends a page. Only the first page has the total, and a session that changed meanwhile may be on both. */
function append(before: Found, more: Found): Found {
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
  question: Question,
  signal: AbortSignal,
  show: (found: Found, isPartial: boolean) => void,
  minRows: number,
): Promise<void> {
  if (question.by === "scan") await scan(question, signal, show);
  else show(await loadPage(question, signal, undefined, minRows), false);
}

/** The server's limit for one search. */
const MAX_PAGE_SIZE = 1000;

async function loadPage(
  { by, asked }: Question,
  signal: AbortSignal,
  cursor?: string,
  minRows = 0,
): Promise<Found> {
  if (by === "search") {
    const options = {
      ...asked,
      limit: Math.min(MAX_PAGE_SIZE, Math.max(SEARCH_PAGE_SIZE, minRows)),
      hits: HITS_PER_SESSION,
      cursor,
    };
    const answer = await ask<SearchAnswer>("search", options, signal);
    const { sessions, sessionCount, more, next, closest } = answer;
    return {
      ...{ sessions, total: sessionCount - (closest?.sessionCount ?? 0), more, next },
      remark: queryNotice(answer),
      closest: closestNotice(answer),
      closestCount: closest?.sessionCount ?? 0,
      unknown: unknownWords(answer),
    };
  }
  const { sessions, total, next } = await ask<ListAnswer>(
    "list",
    { ...asked, limit: Math.max(LIST_PAGE_SIZE, minRows), cursor },
    signal,
  );
  return {
    sessions: sessions.map((session) => ({ session, hits: [], hitCount: 0 })),
    total,
    more: false,
    next,
  };
}

/** How often the results of a running scan are shown. */
const SHOW_INTERVAL_MS = 100;
const MAX_SCAN_HITS = 2000;

async function scan(
  { asked }: Question,
  signal: AbortSignal,
  show: (found: Found, isPartial: boolean) => void,
): Promise<void> {
  const results = new ScanResults<SessionJson, FoundSession["hits"][number]>(HITS_PER_SESSION);
  let lastShown = performance.now();
  const found = (remark?: string): Found => {
    const sessions = results.rows;
    return { sessions, total: sessions.length, more: false, remark };
  };
  for await (const event of eventsOf<ScanEvent>("scan", { ...asked, limit: MAX_SCAN_HITS }, signal)) {
    if ("error" in event) throw new AskError(event.error);
    results.add(event);
    if (performance.now() - lastShown < SHOW_INTERVAL_MS) continue;
    lastShown = performance.now();
    show(found(`Searching files: ${Math.floor(results.share * 100)}%`), true);
  }
  show(found(), false);
}
