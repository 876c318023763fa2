/** Which sessions are found: lists, searches, scans and what narrows them. */
import type { Index, ListOptions, ScanHit, SearchOptions } from "../../../library/index.ts";
import {
  facetsOfSessions,
  findInSession,
  MAX_SESSION_HITS,
  SessionLists,
  scanSessions,
} from "../../actions/find-sessions.ts";
import { warmUp } from "../../actions/warm-up.ts";
import { closestNotice, queryNotice, unknownWords } from "../../format/closest.ts";
import { narrowsSessionsOnly } from "../../format/query-terms.ts";
import { counted } from "../../format/safe.ts";
import { ScanResults } from "../../format/scan-results.ts";
import { typedQuery } from "../../format/typed-query.ts";
import type { ResultsAsked } from "../model/questions.ts";
import {
  type Results,
  type Row,
  type ShownHit,
  type ShownSession,
  shownSession,
  type View,
} from "../model/view.ts";
import type { Answer, Control } from "./answer.ts";
import { facetsOf } from "./facets.ts";
import { type Threaded, threaded } from "./threads.ts";

/** Sessions that are handed over at once. */
const LIST_PAGE = 200;
const SEARCH_PAGE = 12;
const MOST_SEARCHED = 1000;
/** Hits that a list shows of a session. Each is read back from its file. */
const HITS_EACH = 2;
/** Hits that a pattern is looked for at most. */
const MOST_SCANNED = 2000;
/** How often a scan tells what it found. */
const PART_EVERY_MS = 100;

export class Finding {
  readonly #index: Index;
  readonly #lists: SessionLists<ShownSession>;
  /** The same in threads: ten thousand take a frame's time. */
  #threads: { of: ShownSession[]; lines: Threaded[] } | undefined;

  constructor(index: Index) {
    this.#index = index;
    this.#lists = new SessionLists(index, shownSession);
  }

  /** The index was brought up to date. */
  changed(): void {
    this.#lists.clear();
    this.#threads = undefined;
  }

  results: Answer<"results"> = async (ask, control) => {
    const { view, next, atLeast } = ask;
    const typed = typedQuery(view.query);
    if (typed.by === "words") return this.#searched(typed.query, ask);
    if (typed.by === "pattern") return this.#scanned(view, typed.regex, control);
    const wanted =
      typed.by === "title"
        ? await this.#lists.listTitled(listOptions(view), typed.text)
        : await this.#lists.list(listOptions(view));
    const from = Number(next ?? 0);
    const to = from + Math.max(LIST_PAGE, atLeast);
    const lines =
      view.sort === "threaded" && typed.by === "nothing"
        ? this.#threaded(wanted).slice(from, to)
        : wanted.slice(from, to).map((session) => ({ session, stem: "" }));
    return {
      view,
      rows: lines.map((line) => ({ ...line, hits: [], hitCount: 0 })),
      total: wanted.length,
      more: false,
      next: to < wanted.length ? String(to) : undefined,
    };
  };

  #threaded(sessions: ShownSession[]): Threaded[] {
    if (this.#threads?.of !== sessions) this.#threads = { of: sessions, lines: threaded(sessions) };
    return this.#threads.lines;
  }

  /** Asks what nobody waits for, until somebody asks. */
  warmUp(signal: AbortSignal): Promise<void> {
    return warmUp(this.#index, { limit: SEARCH_PAGE, hits: HITS_EACH }, signal);
  }

  async #searched(query: string, { view, next: cursor, atLeast, quick }: ResultsAsked): Promise<Results> {
    const found = await this.#index.search(query, {
      ...searchOptions(view),
      cursor,
      quick,
      limit: Math.min(Math.max(SEARCH_PAGE, atLeast), MOST_SEARCHED),
      hits: HITS_EACH,
      sync: false, // another thread does
    });
    const { sessionCount, more, next } = found;
    return {
      view,
      rows: found.sessions.map(({ session, hits, hitCount }): Row => {
        const shown = narrowsSessionsOnly(query)
          ? { hits: [], hitCount: 0 }
          : { hits: hits.map(shownHit), hitCount };
        return { session: shownSession(session), stem: "", ...shown };
      }),
      total: sessionCount,
      more,
      next,
      remark:
        [queryNotice(found), closestNotice(found) ?? unknownWords(found)].filter(Boolean).join(". ") ||
        undefined,
    };
  }

  async #scanned(view: View, regex: string, { signal, part }: Control<"results"> = {}): Promise<Results> {
    const results = new ScanResults<ShownSession, ShownHit>(HITS_EACH);
    const toResults = (remark?: string): Results => {
      const rows = results.rows.map((row) => ({ ...row, stem: "" }));
      return { view, rows, total: rows.length, more: false, remark };
    };
    let reportedAt = performance.now();
    const { sort: _, ...filters } = searchOptions(view);
    await scanSessions(
      this.#index,
      regex,
      { ...filters, limit: MOST_SCANNED, ...(signal && { signal }) },
      (event) => {
        if ("session" in event) results.add({ session: shownSession(event.session) });
        else results.add("hit" in event ? { hit: shownHit(event.hit) } : event);
        if (performance.now() - reportedAt < PART_EVERY_MS) return;
        reportedAt = performance.now();
        part?.(toResults(`looking through the files … ${Math.floor(100 * results.share)}%`));
      },
    );
    return toResults(
      results.hitCount === MOST_SCANNED ? `the first ${counted(MOST_SCANNED, "hit")}` : undefined,
    );
  }

  hits: Answer<"hits"> = ({ path, sessionId, view }, { signal } = {}) => {
    const { sort, ...filters } = searchOptions(view);
    const wanted = { path, session: sessionId, query: view.query };
    return findInSession(this.#index, wanted, { ...filters, signal }, async (query) => {
      const options = { ...filters, sort, limit: MAX_SESSION_HITS, sync: false };
      return (await this.#index.searchEntries(query, options)).hits;
    }).then((hits) => hits.map(shownHit));
  };

  facets: Answer<"facets"> = async ({ view }) => {
    const typed = typedQuery(view.query);
    if (typed.by !== "words") return facetsOf(facetsOfSessions(await this.#lists.list(listOptions(view))));
    const options = { ...searchOptions(view), facets: true, limit: 1, hits: 1, sync: false };
    const { facets } = await this.#index.search(typed.query, options);
    return facets ? facetsOf(facets) : [];
  };
}

function listOptions(view: View): ListOptions {
  return { ...filtersOf(view), archived: view.archived ? "yes" : "no", pinnedFirst: true };
}

function filtersOf({ cwd, named, subagents }: View) {
  return { cwd, named: named ? true : undefined, subagents: subagents ? ("yes" as const) : ("no" as const) };
}

function searchOptions(view: View): Pick<SearchOptions, "cwd" | "named" | "subagents" | "archived" | "sort"> {
  const sort = view.sort === "newest" ? ("newest" as const) : ("relevance" as const);
  return { ...filtersOf(view), archived: view.archived ? "yes" : "no", sort };
}

function shownHit(hit: ShownHit | ScanHit): ShownHit {
  const { path, entryId, line, type, role, onCurrentBranch, alsoIn, part, snippet } = hit;
  const shown = { path, entryId, line, type, role, onCurrentBranch, alsoIn, part, snippet };
  return "together" in hit && hit.together ? { ...shown, together: true } : shown;
}
