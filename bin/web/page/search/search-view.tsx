import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { narrowsSessionsOnly } from "../../../format/query-terms.ts";
import { correctFields, toExactQuery } from "../../../format/query-words.ts";
import { getTypedRange, withoutTypedRange } from "../../../format/typed-range.ts";
import { rememberSearch, useParams } from "../shell/address.ts";
import { ApiError, apiUrl, isUnreachable } from "../shell/api.ts";
import { useVersion } from "../shell/changes.ts";
import { LoadError } from "../shell/load-error.tsx";
import { rememberResults } from "../shell/result-trail.ts";
import { hub, serverTimeZone } from "../shell/source.ts";
import { ActiveFilters } from "./active-filters.tsx";
import { forgetCompletions } from "./complete-query.ts";
import { Days } from "./days.tsx";
import { ExportLink } from "./export-link.tsx";
import { FacetList } from "./facet-list.tsx";
import { ListHeader } from "./list-header.tsx";
import { NothingFound } from "./nothing-found.tsx";
import { QueryBox } from "./query-box.tsx";
import { sortByRangeCost, useRangeCosts } from "./range-costs.ts";
import { Results } from "./results.tsx";
import { type Summary, summarize } from "./summarize.ts";
import { useFacets, useSiblings } from "./use-facets.ts";
import { useQueryToRun } from "./use-query-to-run.ts";
import { loadHits, MAX_PAGE_SIZE, toTrail, useSearchResults } from "./use-search-results.ts";
import "./search.css";
import {
  findsUsage,
  getSorts,
  parseSearchState,
  RANGE_COST_SORT,
  type SearchRequest,
  type SearchState,
  toFilters,
  toSearchRequest,
} from "./search-state.ts";

/** Delay after the last key before the address and the facets are updated. */
const ADDRESS_DELAY_MS = 250;

/** Fewer hits are all counted without a click. */
const MAX_COUNTED_UNASKED = 100_000;

/** Search as you type over all sessions, with filters and a histogram. */
export function SearchView() {
  const [params, change] = useParams();
  const kept = useMemo(() => parseSearchState(params), [params]);
  const [q, setQ] = useState(kept.q);
  const settle = useAddressOf(q, setQ, kept.q, (text) => change({ q: text }, "replace"));
  const version = useVersion();
  useEffect(forgetCompletions, [version]);
  const run = useQueryToRun(q, kept);
  const state = { ...kept, q: run.text };
  const request = toSearchRequest(state);
  /** Whether the query only filters sessions: then all of their entries match, and none is worth more than the others. */
  const isFilter = request.by === "search" && run.text.trim() !== "" && narrowsSessionsOnly(run.text);
  const hidesHits = (findsUsage(kept) && run.text.trim() === "") || isFilter;
  const rangeCosts = useRangeCosts(kept, version);
  const comparesRangeCosts =
    rangeCosts?.isWhole === true && (request.by === "list" || request.by === "title" || hidesHits);
  const isByRangeCost = comparesRangeCosts && kept.sort in RANGE_COST_SORT;
  const isTyping = q !== kept.q;
  const loaded = useSearchResults(request, version, { isTyping, isLarge: isByRangeCost });
  const { error, isWaiting, loadMore, loadAll, continueScan, answered } = loaded;
  const results = useMemo(
    () =>
      isByRangeCost && loaded.results?.next === undefined
        ? loaded.results && sortByRangeCost(loaded.results, rangeCosts)
        : loaded.results,
    [isByRangeCost, loaded.results, rangeCosts],
  );
  const [exactFor, setExactFor] = useState("");
  const settledQuery = useQueryToRun(kept.q, kept).text;
  const settled = toSearchRequest({ ...kept, q: settledQuery });
  const address = apiUrl("", settled.params);
  const countsAll = exactFor === address;
  const counted = useFacets(settled, version, countsAll);
  // A scan counts what it found itself. Until its first counts, the last ones stay, as for any other query.
  const scanned = answered?.by === "scan" && request.by === "scan" ? results?.counts : undefined;
  const { isCurrent, isCounting } = counted;
  const lastFacets = useRef<typeof counted.facets>(undefined);
  const facets = counted.facets ?? scanned ?? (isWaiting ? lastFacets.current : undefined);
  lastFacets.current = facets;
  const shownFacets = useSiblings(facets, kept, version);
  /** Whether facets and days are those of the query before: counting takes longer than the first results. */
  const isStale = request.by === "scan" ? isWaiting && !scanned : counted.isStale || isTyping;
  const isFewCounted =
    isCurrent && facets?.totals?.isWhole === false && facets.totals.hits < MAX_COUNTED_UNASKED;
  useEffect(() => {
    if (isFewCounted) setExactFor(address);
  }, [isFewCounted, address]);
  const isDated = settled.params.since !== "" || settled.params.until !== "";
  const typedRange = useMemo(
    () => (isDated ? undefined : getTypedRange(kept.q, serverTimeZone.value)),
    [kept.q, isDated, serverTimeZone.value],
  );
  // Days outside the selected ones are shown too, so that others can be selected.
  const undated: SearchRequest = typedRange
    ? toSearchRequest({ ...kept, q: withoutTypedRange(kept.q) })
    : { by: isDated ? settled.by : "scan", params: { ...settled.params, since: "", until: "" } };
  const { facets: allFacets } = useFacets(undated, version, countsAll);
  // Selecting days keeps them until the others arrive, so that the results stay where they are.
  const undatedQuery = typedRange ? withoutTypedRange(kept.q) : kept.q;
  const lastDays = useRef<{ of: string; days: typeof facets }>(undefined);
  const days =
    (request.by !== "scan" && (isDated || typedRange) ? allFacets : facets) ??
    (lastDays.current?.of === undatedQuery && error === undefined ? lastDays.current.days : undefined);
  lastDays.current = { of: undatedQuery, days };
  // Totals are of the query in the address, which lags behind the typed one.
  const totals = isCurrent && q === kept.q ? facets?.totals : undefined;
  const countedSessions = totals?.isWhole ? totals.sessions : undefined;
  const resultCount = (results?.hasMore ? countedSessions : results?.total) ?? Number.POSITIVE_INFINITY;
  const isOnePage = results?.next === undefined || resultCount <= MAX_PAGE_SIZE;
  const sorts = {
    ...getSorts(request),
    ...(comparesRangeCosts && isOnePage && RANGE_COST_SORT),
  };
  const [showsFilters, showFilters] = useState(false);
  // The figures of the usage view include archived sessions.
  const alsoArchived = kept.usage !== "" && kept.archived === "" ? "with archived" : "";
  const isScanning = request.by === "scan" && isWaiting;
  // While other results are loading, the line is that of the ones shown. Those of a scan are shown while it runs.
  const stated = useRef<Summary>({ short: "\u00a0", full: "" });
  if (isScanning && !answered) stated.current = { short: "Searching files …", full: "" };
  else if (results && (!isWaiting || isScanning)) {
    const { short, full } = summarize(results, request, totals);
    stated.current = {
      short: [short, alsoArchived, run.notice].filter(Boolean).join(" · "),
      full: [full, alsoArchived && "Archived sessions are included", run.notice].filter(Boolean).join(". "),
    };
  }
  const filterCount = Object.entries(kept).filter(
    ([name, value]) => name !== "q" && name !== "sort" && value !== "",
  ).length;
  const meant = error instanceof ApiError && error.code === "BAD_QUERY" ? correctFields(q) : undefined;
  const latest = useRef(request);
  latest.current = request;
  const loadMoreHits = useCallback((path: string) => loadHits(latest.current, path), []);
  const onHits = request.by === "search" ? loadMoreHits : undefined;
  const set = useCallback(
    (changes: Partial<SearchState>) => change(changes as Record<string, string>),
    [change],
  );
  const shownFilters = useMemo(
    () => ({ ...kept, q: settledQuery, ...(kept.usage !== "" && { archived: toFilters(kept).archived }) }),
    [kept, settledQuery],
  );
  // Without archived sessions, the results are no longer what the figures are of.
  const setFilter = useCallback(
    (changes: Partial<SearchState>) => set(changes.archived === "" ? { ...changes, usage: "" } : changes),
    [set],
  );
  // Selecting other days replaces those of the query; all days are more than the figure was of.
  const selectDays = useCallback(
    (range: Pick<SearchState, "since" | "until">) =>
      set({
        ...range,
        ...(typedRange && { q: withoutTypedRange(kept.q) }),
        ...(range.since + range.until === "" && { usage: "" }),
      }),
    [set, typedRange, kept.q],
  );
  const { path } = useLocation();
  useEffect(() => {
    if (path === "/") rememberSearch(params); // not those of the view that replaces this one
  }, [path, params]);
  useEffect(() => {
    if (path === "/" && results && answered)
      rememberResults(toTrail(results, answered, results.correctedQuery ?? q, countedSessions));
  }, [path, results, answered && apiUrl("", answered.params), countedSessions]);
  useEffect(() => {
    document.title = kept.q === "" ? "Sessions · pidex" : `${kept.q} · pidex`;
  }, [kept.q]);
  return (
    <main class="search">
      <h1 class="unseen">Sessions</h1>
      <div class="search-head">
        <QueryBox text={q} state={kept} onText={setQ} onLeave={settle} />
        <button
          type="button"
          class="button filters-button"
          aria-expanded={showsFilters}
          aria-controls="filters"
          onClick={() => showFilters(!showsFilters)}
        >
          {showsFilters ? "Hide filters" : "Filters"}
          {!showsFilters && filterCount > 0 && <span class="filters-count">{filterCount}</span>}
        </button>
      </div>
      <aside id="filters" class={showsFilters ? "filters filters-shown" : "filters"} aria-label="Filters">
        <FacetList answer={shownFacets} isStale={isStale} state={shownFilters} onChange={setFilter} />
        {hub.value === undefined && (
          <a class="trash-link" href="/trash">
            Trash
          </a>
        )}
      </aside>
      <section class={isUnreachable(error) ? "found found-stale" : "found"} aria-label="Results">
        <ActiveFilters state={kept} onChange={set} />
        <Days
          answer={days}
          isStale={isStale}
          since={(typedRange ?? kept).since}
          until={(typedRange ?? kept).until}
          isUsage={findsUsage(kept)}
          isFilter={isFilter}
          isList={request.by === "list" || request.by === "title"}
          rangeCosts={rangeCosts}
          onChange={selectDays}
        />
        <div class="found-head">
          <div class="found-summary">
            <p class="quiet" role="status" title={(error === undefined && stated.current.full) || undefined}>
              {error === undefined ? stated.current.short : "\u00a0"}
            </p>
            {results?.correctedQuery !== undefined && error === undefined && !isWaiting && (
              <button type="button" class="link" onClick={() => setQ(toExactQuery(run.text.trim()))}>
                Search for “<bdi>{run.text.trim()}</bdi>” instead
              </button>
            )}
          </div>
          {results?.isStopped && !isWaiting && error === undefined && (
            <button type="button" class="button" onClick={continueScan}>
              Continue search
            </button>
          )}
          {isCounting && <span class="quiet">Counting all …</span>}
          {totals && !totals.isWhole && !isCounting && (
            <button type="button" class="button" onClick={() => setExactFor(apiUrl("", settled.params))}>
              Count all
            </button>
          )}
          {results && results.sessions.length > 0 && error === undefined && !isScanning && (
            <ExportLink state={state} {...{ found: results, totals }} />
          )}
          <label class="sort">
            <span class="quiet">Sort</span>
            <select
              class="field"
              aria-label="Sort"
              value={kept.sort in sorts ? kept.sort : ""}
              onChange={(event) => set({ sort: event.currentTarget.value })}
            >
              {Object.entries(sorts).map(([value, name]) => (
                <option key={value} value={value}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        </div>
        {error !== undefined && (
          <LoadError error={error}>
            {meant !== undefined && (
              <button type="button" class="button" onClick={() => setQ(meant)}>
                Search for “{meant}”
              </button>
            )}
          </LoadError>
        )}
        {results && results.sessions.length > 0 && (
          <ListHeader
            sort={kept.sort in sorts ? kept.sort : ""}
            {...{ sorts }}
            isDated={isDated && rangeCosts !== undefined}
            onSort={(sort) => set({ sort })}
          />
        )}
        {results && (
          <Results
            isGrouped={(request.by === "list" || request.by === "title") && kept.sort === ""}
            hidesHits={hidesHits}
            pinnedFirst={request.params.pinnedFirst === true}
            found={results}
            q={results.correctedQuery ?? run.text}
            {...{ isWaiting, onHits, isDated, rangeCosts }}
            filterModel={kept.model}
            onNarrow={set}
            onQuery={setQ}
            onAll={loadAll}
            onEnd={loadMore}
          />
        )}
        {results?.sessions.length === 0 && !isWaiting && (
          <NothingFound
            state={{ ...state, q }}
            unknown={results.unknownWords}
            onChange={set}
            onQuery={setQ}
          />
        )}
      </section>
    </main>
  );
}

/**
 * Copies the typed query to the address after a delay, and the query of a changed address to the field.
 *
 * @returns a function that updates the address immediately
 */
function useAddressOf(q: string, setQ: (q: string) => void, kept: string, keep: (q: string) => void) {
  const last = useRef(kept);
  const settle = () => {
    if (q === last.current) return;
    last.current = q;
    keep(q);
  };
  useEffect(() => {
    if (kept === last.current) return;
    last.current = kept;
    setQ(kept);
  }, [kept, setQ]);
  useEffect(() => {
    const timer = setTimeout(settle, ADDRESS_DELAY_MS);
    return () => clearTimeout(timer);
  }, [q]);
  return settle;
}
