/** What is found, page by page, as it comes. */
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
  /** How many there are, as far as that is known. */
  total: number;
  /** Whether there may be more than `total`. */
  more: boolean;
  next?: string | undefined;
  remark?: string | undefined;
  /** What to say above the sessions that match in part. */
  closest?: string | undefined;
  /** How many of those there are; `total` is without them. */
  closestCount?: number | undefined;
  /** Words that the index does not have. */
  unknown?: string | undefined;
}

/** Sessions that are shown at once: of a search each hit is read back from its file. */
const LISTED = 40;
const SEARCHED = 8;
const HITS_EACH = 2;

export interface Finding {
  found: Found | undefined;
  error: unknown;
  isWaiting: boolean;
  /** Has the next page fetched. */
  goOn: () => void;
}

/** What is known of an answer. */
interface Known {
  /** To which question, and when. */
  key: string;
  found: Found | undefined;
  error: unknown;
  /** Whether there is more to come. */
  isPart: boolean;
}

/**
 * What a question finds; asked again when the question changes, or the version does. Until then the answer before stays.
 * While somebody types, the newest hits alone are ranked; then all are.
 */
export function useFound(question: Question, version: number, isTyping: boolean): Finding {
  const quick = isTyping && question.by === "search";
  const key = `${version} ${quick} ${question.by} ${addressOf("", question.asked)}`;
  const [known, setKnown] = useState<Known>({ key: "", found: undefined, error: undefined, isPart: false });
  const stop = useRef<AbortController>(undefined);
  const isGoingOn = useRef(false);
  const asked = useRef(question);
  /** Rows that were shown when one went elsewhere: one comes back to as many. */
  const atLeast = useRef(keptHere<number>("rows") ?? 0);
  asked.current = quick ? { ...question, asked: { ...question.asked, quick } } : question;

  // Before the page is painted: somebody is typing, and the answer is to be in the next picture or the one after.
  useLayoutEffect(() => {
    const now = new AbortController();
    stop.current = now;
    isGoingOn.current = false;
    const show = (found: Found, isPart: boolean) => {
      if (!now.signal.aborted) setKnown({ key, found, error: undefined, isPart });
    };
    find(asked.current, now.signal, show, atLeast.current).catch((error: unknown) => {
      if (!now.signal.aborted) setKnown({ key, found: undefined, error, isPart: false });
    });
    return () => now.abort();
  }, [key]);

  const { found } = known;
  useEffect(() => {
    if (found) keepHere("rows", found.sessions.length);
  }, [found]);
  const goOn = useCallback(() => {
    const signal = stop.current?.signal;
    if (!found?.next || isGoingOn.current || !signal) return;
    isGoingOn.current = true;
    page(asked.current, signal, found.next)
      .then((more) => {
        if (!signal.aborted) setKnown({ key, found: together(found, more), error: undefined, isPart: false });
      })
      .catch((error: unknown) => {
        if (!signal.aborted) setKnown((before) => ({ ...before, error }));
      })
      .finally(() => {
        isGoingOn.current = false;
      });
  }, [found, key]);
  return { found, error: known.error, isWaiting: known.key !== key || known.isPart, goOn };
}

/** Two pages as one. Only the first knows how many there are; a session that was changed meanwhile may come twice. */
function together(before: Found, more: Found): Found {
  const known = new Set(before.sessions.map(({ session }) => session.path));
  const sessions = [...before.sessions, ...more.sessions.filter(({ session }) => !known.has(session.path))];
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
  show: (found: Found, isPart: boolean) => void,
  atLeast: number,
): Promise<void> {
  if (question.by === "scan") await scanned(question, signal, show);
  else show(await page(question, signal, undefined, atLeast), false);
}

/** The server answers with no more of a search. */
const MOST_AT_ONCE = 1000;

async function page(
  { by, asked }: Question,
  signal: AbortSignal,
  cursor?: string,
  atLeast = 0,
): Promise<Found> {
  if (by === "search") {
    const options = {
      ...asked,
      limit: Math.min(MOST_AT_ONCE, Math.max(SEARCHED, atLeast)),
      hits: HITS_EACH,
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
    { ...asked, limit: Math.max(LISTED, atLeast), cursor },
    signal,
  );
  return {
    sessions: sessions.map((session) => ({ session, hits: [], hitCount: 0 })),
    total,
    more: false,
    next,
  };
}

/** How often what a look through the files found so far is shown, in milliseconds. */
const SHOW_EVERY_MS = 100;
const MOST_SCANNED = 2000;

async function scanned(
  { asked }: Question,
  signal: AbortSignal,
  show: (found: Found, isPart: boolean) => void,
): Promise<void> {
  const results = new ScanResults<SessionJson, FoundSession["hits"][number]>(HITS_EACH);
  let shown = performance.now();
  const found = (remark?: string): Found => {
    const sessions = results.rows;
    return { sessions, total: sessions.length, more: false, remark };
  };
  for await (const event of eventsOf<ScanEvent>("scan", { ...asked, limit: MOST_SCANNED }, signal)) {
    if ("error" in event) throw new AskError(event.error);
    results.add(event);
    if (performance.now() - shown < SHOW_EVERY_MS) continue;
    shown = performance.now();
    show(found(`Looking through the files: ${Math.floor(results.share * 100)} %`), true);
  }
  show(found(), false);
}
