/** Finds sessions for a view: lists, searches and pattern searches. The first layer of the picker's service. */
import { type Index, type ListOptions, PidexError, type ScanHit } from "../../../library/index.ts";
import { filterTitled, findInSession, SessionLists, scanSessions } from "../../actions/find-sessions.ts";
import { type AnyIndex, isLocalIndex, requireLocalIndex } from "../../actions/index-location.ts";
import { warmUp } from "../../actions/warm-up.ts";
import { formatClosestNotice, formatQueryNotice, formatUnknownWords } from "../../format/closest.ts";
import { formatFilterNotice } from "../../format/filter-notice.ts";
import { formatIgnoredField } from "../../format/half-typed.ts";
import { MAX_SESSION_HITS } from "../../format/hit-count.ts";
import { filtersSessions, narrowsSessionsOnly } from "../../format/query-terms.ts";
import { formatCount } from "../../format/safe.ts";
import { ScanResults } from "../../format/scan-results.ts";
import { getSessionTitle } from "../../format/titles.ts";
import { getUnfinishedField, parseTypedQuery, toTitleText } from "../../format/typed-query.ts";
import type { Completions, FacetGroup, ResultsParams } from "../model/requests.ts";
import {
  type Results,
  type Row,
  type ShownHit,
  type ShownSession,
  searchOptions,
  toFilters,
  toRow,
  toShownSession,
  type View,
} from "../model/view.ts";
import { FacetFinder } from "./facet-finder.ts";
import { toThreads } from "./threads.ts";
import { type TitleMatch, TitleSearch } from "./title-search.ts";

/** Sessions per page. */
const LIST_PAGE = 200;
const SEARCH_PAGE = 12;
const MAX_SEARCH_PAGE = 1000;
/** Maximum number of sessions on a later page of a search: their hits are read from their files, and other requests wait. */
const MAX_NEXT_PAGE = 200;
/** Hits per session in the list. Few, because each is read from its file. */
const HITS_PER_SESSION = 2;
/** Maximum number of sessions with matching titles on the first page. */
const MAX_TITLE_ROWS = 50;
/** Maximum number of them that come before better hits: a word that more titles have says little about a session. */
const MAX_TITLES_FIRST = 5;
/** Number of sessions that are read from their files while the first index is built. */
const MAX_UNINDEXED = 100;
/** Maximum number of hits of a pattern search. */
const MAX_SCAN_HITS = 2000;
/** Minimum time between two partial results of a pattern search, in milliseconds. */
const PART_INTERVAL_MS = 100;

/** Controls of a request for results. */
export interface ResultsControl {
  signal?: AbortSignal;
  onPartialResult?: (results: Results) => void;
}

type FindParams = ResultsParams & Pick<ResultsControl, "signal">;

/** Results of a search. */
type FoundResults = Results & {
  /** Whether a session matches in full. */
  isComplete?: boolean;
};

/** The `next` of a search. */
interface NextPage {
  query: string;
  cursor: string;
}

interface HitsParams {
  path: string;
  sessionId: string;
  view: View;
}

export class SessionFinder {
  protected readonly index: AnyIndex;
  readonly #lists: SessionLists<ShownSession>;
  readonly #titles = new TitleSearch();
  readonly #facets: FacetFinder;
  #completions: { query: string; found: Promise<Completions> } | undefined;
  /** Sessions read from their files, if the index was empty at first. */
  #unindexed: Promise<ShownSession[]> | undefined;
  #merged: { indexed: ShownSession[]; view: string; sessions: ShownSession[] } | undefined;
  /** Cached threads: computing them for 10,000 sessions takes as long as a frame. */
  #threads: { of: ShownSession[]; rows: Row[] } | undefined;

  constructor(index: AnyIndex) {
    this.index = index;
    this.#lists = new SessionLists(index, toShownSession);
    this.#facets = new FacetFinder(index, (view) => this.#list(view));
  }

  /** Clears caches after a sync. */
  async clearCaches(): Promise<void> {
    this.#lists.clear();
    this.#threads = undefined;
    this.#completions = undefined;
  }

  /** One page of sessions for a view. Partial results may be sent before the result. */
  async results(params: ResultsParams, control: ResultsControl = {}): Promise<Results> {
    const found = await this.#find(params, control);
    const isFinal = !params.quick || parseTypedQuery(params.view.query).by === "pattern";
    const isEmpty = found.rows.length === 0 && isFinal && params.next === undefined;
    return isEmpty ? (await import("./explain-empty.ts")).explainEmpty(this.index, found) : found;
  }

  async #find(given: ResultsParams, control: ResultsControl): Promise<Results> {
    const { view, next, minRows, quick } = given;
    const params: FindParams = { ...given, signal: control.signal };
    const typed = parseTypedQuery(view.query, { quick });
    if (typed.by === "words") {
      if (next !== undefined) return this.#searchNext(next, params);
      const found = await this.#searchWithTitles(typed.query, params);
      const whole = parseTypedQuery(view.query);
      return whole.by === "words" && whole.query !== typed.query ? { ...found, hasMore: true } : found;
    }
    if (typed.by === "pattern") return this.#scan(view, typed.regex, control);
    const sessions =
      typed.by === "title" ? filterTitled(await this.#list(view), typed.text) : await this.#list(view);
    const from = Number(next ?? 0);
    const to = from + Math.max(LIST_PAGE, minRows);
    const rows =
      view.sort === "threaded" && typed.by === "nothing"
        ? this.#threaded(sessions).slice(from, to)
        : sessions.slice(from, to).map((session) => toRow(session));
    if (typed.by === "title") for (const row of rows) row.titlePositions = findText(row.session, typed.text);
    return {
      view,
      rows,
      total: sessions.length,
      hasMore: false,
      next: to < sessions.length ? String(to) : undefined,
    };
  }

  /** The sessions of a view. While the first index is built, with the newest sessions that it does not have yet. */
  async #list(view: View): Promise<ShownSession[]> {
    const indexed = await this.#lists.list(listOptions(view));
    this.#unindexed ??= indexed.length === 0 ? this.#readUnindexed() : Promise.resolve([]);
    const unindexed = await this.#unindexed;
    if (unindexed.length === 0) return indexed;
    if (this.#merged?.indexed !== indexed || this.#merged.view !== JSON.stringify(view))
      this.#merged = { indexed, view: JSON.stringify(view), sessions: merge(indexed, unindexed, view) };
    return this.#merged.sessions;
  }

  async #readUnindexed(): Promise<ShownSession[]> {
    if (!isLocalIndex(this.index)) return [];
    const { total } = await this.index.listAll({ archived: "yes", subagents: "yes", limit: 1 });
    return total > 0 ? [] : (await this.index.readNewestFiles(MAX_UNINDEXED)).map(toShownSession);
  }

  /** The index is complete: it has all sessions. */
  protected endFirstIndex(): void {
    this.#unindexed = Promise.resolve([]);
    this.#merged = undefined;
  }

  #threaded(sessions: ShownSession[]): Row[] {
    if (this.#threads?.of !== sessions) this.#threads = { of: sessions, rows: toThreads(sessions) };
    return this.#threads.rows;
  }

  /** Runs queries in advance, so that the first search is fast. */
  protected async warmUpSearches(signal: AbortSignal): Promise<void> {
    if (isLocalIndex(this.index))
      await warmUp(this.index, { limit: SEARCH_PAGE, hits: HITS_PER_SESSION }, signal);
  }

  /** Sessions with words in their titles come first; those with only the letters, after the closest matches. */
  async #searchWithTitles(query: string, params: FindParams): Promise<Results> {
    const { view } = params;
    const text = toTitleText(view.query);
    const results = await this.#searchOrComplete(query, params);
    if (text === undefined || view.newestHits) return results;
    const { isComplete, ...found } = results;
    const list = await this.#list(view);
    const matches = isComplete ? this.#titles.findWords(list, text) : this.#titles.find(list, text);
    if (matches.length === 0) return found;
    const known = new Map(found.rows.map((row) => [row.session.path, row]));
    // Of similar titles, those of rows with hits first: hits of the others may be found later, when rows on the screen keep their height.
    const withHits = ({ session }: TitleMatch) => Number(known.has(session.path));
    const best = matches
      .toSorted((a, b) => b.rank - a.rank || withHits(b) - withHits(a))
      .slice(0, MAX_TITLE_ROWS);
    const toTitled = ({ session, positions }: TitleMatch): Row => {
      const row = known.get(session.path) ?? { ...toRow(session), hasUnknownHits: true };
      known.delete(session.path);
      return { ...row, titlePositions: positions };
    };
    const first = best.filter(({ isStrong }) => isStrong).slice(0, MAX_TITLES_FIRST);
    const strong = first.map(toTitled);
    const others = best.filter((match) => !first.includes(match));
    const titled = new Map(others.map((match) => [match.session.path, match]));
    const hits = [...known.values()].map((row) => {
      const match = titled.get(row.session.path);
      return match?.isStrong ? { ...row, titlePositions: match.positions } : row;
    });
    const weak = others.filter(({ session }) => !known.has(session.path)).map(toTitled);
    const rows = [...strong, ...hits, ...weak];
    const isByLetters = found.rows.length === 0 && this.#titles.findWords(list, text).length === 0;
    const notice = isByLetters ? ["Titles with these letters", found.notice].filter(Boolean) : [found.notice];
    return {
      ...found,
      rows,
      notice: notice.join(". ") || undefined,
      total: found.next === undefined ? rows.length : Math.max(found.total, rows.length),
    };
  }

  /**
   * Searches; if the query ends in a field with an incomplete value, searches with its first completion, or without the field.
   *
   * @throws PidexError `BAD_QUERY`
   */
  async #searchOrComplete(query: string, params: FindParams): Promise<FoundResults> {
    const field = getUnfinishedField(params.view.query);
    if (field?.isOfEntries) {
      const { isValue } = await this.completions(params.view.query);
      const [completed] = isValue ? [] : await this.#complete(params.view.query);
      if (completed !== undefined) return this.#searchCompleted(completed, params);
    }
    try {
      const found = await this.#search(query, params);
      if (found.total > 0 || field === undefined || EXAMPLES_ONLY.test(field.text)) return found;
      const [completed] = await this.#complete(params.view.query);
      return completed === undefined ? found : await this.#searchCompleted(completed, params);
    } catch (error) {
      if (field === undefined || !(error instanceof PidexError) || error.code !== "BAD_QUERY") throw error;
      const completions = EXAMPLES_ONLY.test(field.text) ? [] : await this.#complete(params.view.query);
      // A guess among times is no better than none.
      const [completed] = IS_TIME.test(field.text) && completions.length > 1 ? [] : completions;
      if (completed !== undefined) return this.#searchCompleted(completed, params);
      const notice = formatIgnoredField(params.view.query);
      if (notice === undefined) throw error; // of another term
      const before = parseTypedQuery(field.before);
      if (before.by === "words") return { ...(await this.#search(before.query, params)), notice };
      const sessions = await this.#list(params.view);
      const rows = sessions.slice(0, LIST_PAGE).map((session) => toRow(session));
      return { view: params.view, rows, total: sessions.length, hasMore: false, notice, isComplete: true };
    }
  }

  async #searchCompleted(completed: string, params: FindParams): Promise<FoundResults> {
    const found = await this.#search(completed, params);
    return { ...found, notice: [`Searched: ${completed}`, found.notice].filter(Boolean).join(". ") };
  }

  /** The query with each completion of its end. */
  async #complete(query: string): Promise<string[]> {
    const { from, texts } = await this.completions(query);
    return texts.map((text) => query.slice(0, from) + text);
  }

  /** Completions at the end of the query. Those of the last query are cached: they are requested after its results. */
  completions(query: string): Promise<Completions> {
    if (this.#completions?.query !== query) {
      const found = this.index.complete(query, query.length).then(({ from, isValue, options }) => ({
        from,
        isValue,
        texts: options.map(({ text }) => text),
      }));
      found.catch(() => {
        this.#completions = undefined; // the next call may succeed
      });
      this.#completions = { query, found };
    }
    return this.#completions.found;
  }

  /** The next page of the query that was searched, which a completion may have changed. */
  #searchNext(next: string, params: FindParams): Promise<FoundResults> {
    const { query, cursor } = JSON.parse(next) as NextPage;
    return this.#search(query, params, cursor);
  }

  async #search(
    query: string,
    { view, minRows, quick, signal }: FindParams,
    cursor?: string,
  ): Promise<FoundResults> {
    const isByColumn = (view.sort === "cost" || view.sort === "messages") && filtersSessions(query);
    const found = await this.index.search(query, {
      ...searchOptions(view),
      ...(isByColumn && { sort: view.sort as "cost" | "messages" }),
      costs: true,
      cursor,
      quick,
      signal,
      limit: Math.min(Math.max(SEARCH_PAGE, minRows), cursor === undefined ? MAX_SEARCH_PAGE : MAX_NEXT_PAGE),
      hits: HITS_PER_SESSION,
      sync: false, // `sync` requests do that
    });
    const { sessionCount, more, next, correctedQuery } = found;
    const isFull = sessionCount > (found.closest?.sessionCount ?? 0);
    return {
      view,
      rows: found.sessions.map(({ session, hits, hitCount }): Row => {
        const shown = narrowsSessionsOnly(query)
          ? { hits: [], hitCount: 0 }
          : { hits: hits.map(shownHit), hitCount };
        return { session: toShownSession(session), branchLines: "", ...shown };
      }),
      total: sessionCount,
      hasMore: more,
      next: next && JSON.stringify({ query, cursor: next } satisfies NextPage),
      notice:
        [
          found.closest && formatFilterNotice(query, "closest"),
          formatQueryNotice(found),
          formatClosestNotice(found) ?? formatUnknownWords(found),
        ]
          .filter(Boolean)
          .join(". ") || undefined,
      // A correction is a guess. Titles with the letters as typed follow its results, if these fit in one page.
      isComplete: isFull && (correctedQuery === undefined || sessionCount > found.sessions.length),
    };
  }

  async #scan(view: View, regex: string, { signal, onPartialResult }: ResultsControl): Promise<Results> {
    const results = new ScanResults<ShownSession, ShownHit>(HITS_PER_SESSION);
    const toResults = (remark?: string): Results => {
      // A row without hits would stay without them: the list keeps the height of rows that it shows.
      const found = results.rows.filter(({ hitCount }) => hitCount > 0);
      const rows = found.map((row) => ({ ...row, branchLines: "" }));
      return { view, rows, total: rows.length, hasMore: false, notice: remark };
    };
    let reportedAt = performance.now();
    const { sort: _, ...filters } = searchOptions(view);
    await scanSessions(
      requireLocalIndex(this.index, "re:"),
      regex,
      { ...filters, limit: MAX_SCAN_HITS, ...(signal && { signal }) },
      (event) => {
        if ("session" in event) results.add({ session: toShownSession(event.session) });
        else results.add("hit" in event ? { hit: shownHit(event.hit) } : event);
        if (performance.now() - reportedAt < PART_INTERVAL_MS) return;
        reportedAt = performance.now();
        onPartialResult?.(toResults(`Searching files: ${Math.floor(100 * results.share)}%`));
      },
    );
    return toResults(
      results.hitCount === MAX_SCAN_HITS ? `stopped after ${formatCount(MAX_SCAN_HITS, "hit")}` : undefined,
    );
  }

  /** All hits of a query in one session, in file order. */
  async hits({ path, sessionId, view }: HitsParams): Promise<ShownHit[]> {
    const { sort, ...filters } = searchOptions(view);
    const target = { path, session: sessionId, query: view.query };
    const scan: Index["scan"] = (...args) => requireLocalIndex(this.index, "re:").scan(...args);
    const hits = await findInSession({ scan }, target, filters, async (query) => {
      const options = { ...filters, sort, limit: MAX_SESSION_HITS, sync: false };
      return (await this.index.searchEntries(query, options)).hits;
    });
    return hits.map(shownHit);
  }

  /** {@link FacetFinder.find} */
  facets(view: View, { signal }: Pick<ResultsControl, "signal"> = {}): Promise<FacetGroup[]> {
    return this.#facets.find(view, signal);
  }

  /** {@link FacetFinder.count} */
  countFacets(
    view: View,
    groups: FacetGroup[],
    { signal }: Pick<ResultsControl, "signal"> = {},
  ): Promise<FacetGroup[]> {
    return this.#facets.count(view, groups, signal);
  }
}

/** Fields with examples for completions: a search for one would exclude sessions that the user did not exclude. */
const EXAMPLES_ONLY = /^[-(]*(?:cost|messages):/;

const IS_TIME = /^[-(]*(?:since|until):/;

/** A list with the sessions of a view that it lacks, in the order of lists. */
function merge(
  indexed: readonly ShownSession[],
  unindexed: readonly ShownSession[],
  view: View,
): ShownSession[] {
  const known = new Set(indexed.map(({ path }) => path));
  const missing = unindexed.filter(
    ({ path, cwd, name, archived, subagent }) =>
      !known.has(path) &&
      (view.cwd === undefined || cwd === view.cwd) &&
      (!view.named || name !== undefined) &&
      (view.archived || !archived) &&
      (view.subagents || !subagent),
  );
  return [...indexed, ...missing].sort(
    (a, b) => Number(b.pinned) - Number(a.pinned) || b.modified - a.modified,
  );
}

/** Positions of a text in a title. */
function findText(session: ShownSession, text: string): number[] | undefined {
  const from = getSessionTitle(session).toLowerCase().indexOf(text.toLowerCase());
  return from < 0 ? undefined : Array.from(text, (_, n) => from + n);
}

function listOptions(view: View): ListOptions {
  const { sort } = view;
  const order = sort === "cost" || sort === "messages" ? { sort } : {};
  return { ...toFilters(view), ...order, pinnedFirst: true, costs: true };
}

function shownHit(hit: ShownHit | ScanHit): ShownHit {
  const { path, entryId, line, type, role, onCurrentBranch, alsoIn, part, snippet } = hit;
  const shown = { path, entryId, line, type, role, onCurrentBranch, alsoIn, part, snippet };
  return "crossEntry" in hit && hit.crossEntry ? { ...shown, crossEntry: true } : shown;
}
