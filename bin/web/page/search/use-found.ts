/** What is found, page by page, as it comes. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Hit, ListAnswer, ScanEvent, SearchAnswer, SessionJson } from "../../api/answers.ts";
import { AskError, addressOf, ask } from "../shell/ask.ts";
import { eventsOf } from "../shell/lines.ts";
import type { Question } from "./wanted.ts";

export interface FoundSession {
  session: SessionJson;
  hits: Pick<Hit, "entryId" | "line" | "type" | "role" | "part" | "snippet" | "path" | "timestamp">[];
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
}

/** Sessions that are shown at once: of a search each hit is read back from its file. */
const LISTED = 40;
const SEARCHED = 12;
const HITS_EACH = 2;

export interface Finding {
  found: Found | undefined;
  error: unknown;
  isWaiting: boolean;
  /** Has the next page fetched. */
  goOn: () => void;
}

/** What a question finds; asked again when the question changes, or the version does. */
export function useFound(question: Question, version: number): Finding {
  const key = `${question.by} ${addressOf("", question.asked)}`;
  const [state, setState] = useState<Omit<Finding, "goOn"> & { key: string }>({
    key: "",
    found: undefined,
    error: undefined,
    isWaiting: true,
  });
  const stop = useRef<AbortController>(undefined);
  const isGoingOn = useRef(false);
  const asked = useRef(question);
  asked.current = question;

  useEffect(() => {
    stop.current?.abort();
    const now = new AbortController();
    stop.current = now;
    isGoingOn.current = false;
    setState((before) => ({ ...before, isWaiting: true }));
    const show = (found: Found, isWaiting: boolean) => {
      if (!now.signal.aborted) setState({ key, found, error: undefined, isWaiting });
    };
    const work =
      question.by === "scan" ? scanned(question, now.signal, show) : firstPage(question, now.signal, show);
    work.catch((error: unknown) => {
      if (!now.signal.aborted) setState({ key, found: undefined, error, isWaiting: false });
    });
    return () => now.abort();
  }, [key, version]);

  const goOn = useCallback(() => {
    const { found } = state;
    const signal = stop.current?.signal;
    if (!found?.next || isGoingOn.current || !signal) return;
    isGoingOn.current = true;
    page(asked.current, signal, found.next)
      .then((more) => {
        if (signal.aborted) return;
        const known = new Set(found.sessions.map(({ session }) => session.path));
        const fresh = more.sessions.filter(({ session }) => !known.has(session.path));
        const { total } = found; // only the first page knows
        setState({
          key,
          error: undefined,
          isWaiting: false,
          found: {
            ...more,
            total: Math.max(total, known.size + fresh.length),
            sessions: [...found.sessions, ...fresh],
          },
        });
      })
      .catch((error: unknown) => {
        if (!signal.aborted) setState((before) => ({ ...before, error }));
      })
      .finally(() => {
        isGoingOn.current = false;
      });
  }, [state, key]);
  return { ...state, goOn };
}

/** The first page; a search is asked quickly first, since somebody is typing. */
async function firstPage(
  question: Question,
  signal: AbortSignal,
  show: (found: Found, isWaiting: boolean) => void,
): Promise<void> {
  show(await page(question, signal), false);
}

async function page({ by, asked }: Question, signal: AbortSignal, cursor?: string): Promise<Found> {
  if (by === "search") {
    const options = { ...asked, limit: SEARCHED, hits: HITS_EACH, quick: true, cursor };
    const {
      sessions,
      sessionCount,
      more,
      next,
      unfound = [],
    } = await ask<SearchAnswer>("search", options, signal);
    const remark = unfound.length > 0 ? `Nothing at all holds ${unfound.join(", ")}` : undefined;
    return { sessions, total: sessionCount, more, next, remark };
  }
  const { sessions, total, next } = await ask<ListAnswer>(
    "list",
    { ...asked, limit: LISTED, cursor },
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
  show: (found: Found, isWaiting: boolean) => void,
): Promise<void> {
  const sessions = new Map<string, FoundSession>();
  let share = 0;
  let shown = performance.now();
  const found = (remark?: string): Found => ({
    sessions: [...sessions.values()],
    total: sessions.size,
    more: false,
    remark,
  });
  for await (const event of eventsOf<ScanEvent>("scan", { ...asked, limit: MOST_SCANNED }, signal)) {
    if ("error" in event) throw new AskError(event.error);
    if ("progress" in event)
      share = event.progress.bytes > 0 ? event.progress.bytesDone / event.progress.bytes : 0;
    else if ("session" in event)
      sessions.set(event.session.path, { session: event.session, hits: [], hitCount: 0 });
    else {
      const session = sessions.get(event.hit.path);
      if (session && session.hits.length < HITS_EACH) session.hits.push(event.hit);
      if (session) session.hitCount++;
    }
    if (performance.now() - shown < SHOW_EVERY_MS) continue;
    shown = performance.now();
    show(found(`Looking through the files: ${Math.floor(share * 100)} %`), true);
  }
  show(found(), false);
}
