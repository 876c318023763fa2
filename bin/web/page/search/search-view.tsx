import { memo } from "preact/compat";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { MAX_EXPORTED_BYTES, MAX_EXPORTED_SESSIONS } from "../../../format/export-limits.ts";
import { formatCents } from "../../../format/numbers.ts";
import { filePattern } from "../../../format/query-words.ts";
import { formatCount, formatInteger } from "../../../format/safe.ts";
import { parseTypedQuery } from "../../../format/typed-query.ts";
import { getTypedRange, withoutTypedRange } from "../../../format/typed-range.ts";
import type { Answers } from "../../api/answers.ts";
import { DateHistogram } from "../charts/date-histogram.tsx";
import { formatRange, toWholeDays } from "../charts/days.ts";
import { rememberSearch, useParams } from "../shell/address.ts";
import { apiUrl, isUnreachable, useAnswer } from "../shell/api.ts";
import { useVersion } from "../shell/changes.ts";
import { ExportDialog, type ExportSource } from "../shell/export-dialog.tsx";
import { LoadError } from "../shell/load-error.tsx";
import { rememberResults } from "../shell/result-trail.ts";
import { hub, serverTimeZone } from "../shell/source.ts";
import { ActiveFilters } from "./active-filters.tsx";
import { forgetCompletions } from "./complete-query.ts";
import { FacetList } from "./facet-list.tsx";
import { ListHeader } from "./list-header.tsx";
import { QueryBox } from "./query-box.tsx";
import { isAllUsage, toServerTime, toUsageUrl, useRangeCosts } from "./range-costs.ts";
import { Results } from "./results.tsx";
import { useQueryToRun } from "./use-query-to-run.ts";
import { loadHits, type SearchResults, toTrail, useSearchResults } from "./use-search-results.ts";
import "./search.css";
import {
  findsUsage,
  getSorts,
  parseSearchState,
  type SearchRequest,
  type SearchState,
  toExportParams,
  toFilters,
  toSearchRequest,
} from "./search-state.ts";

/** Delay after the last key before the address and the facets are updated. */
const ADDRESS_DELAY_MS = 250;

/** Fewer hits are all counted without a click. */
const MAX_COUNTED_UNASKED = 20_000;

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
  const sorts = getSorts(request);
  const { results, error, isWaiting, loadMore, loadAll, answered } = useSearchResults(
    request,
    version,
    q !== kept.q,
  );
  const [exactFor, setExactFor] = useState("");
  const settled = toSearchRequest({ ...kept, q: useQueryToRun(kept.q, kept).text });
  const address = apiUrl("", settled.params);
  const countsAll = exactFor === address;
  const { facets, isCurrent, isCounting } = useFacets(settled, version, countsAll);
  const shownFacets = useSiblings(facets, kept, settled, version);
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
  const days = isDated || typedRange ? allFacets : facets;
  // Totals are of the query in the address, which lags behind the typed one.
  const totals = isCurrent && q === kept.q ? facets?.totals : undefined;
  const rangeCosts = useRangeCosts(kept, version);
  const [showsFilters, showFilters] = useState(false);
  // The figures of the usage view include archived sessions.
  const alsoArchived = kept.usage !== "" && kept.archived === "" ? ", archived included" : "";
  // While other results are loading, the line is that of the ones shown.
  const stated = useRef("\u00a0");
  if (results && !isWaiting)
    stated.current = [summary(results, request, totals) + alsoArchived, run.notice]
      .filter(Boolean)
      .join(". ");
  const latest = useRef(request);
  latest.current = request;
  const loadMoreHits = useCallback((path: string) => loadHits(latest.current, path), []);
  const onHits = request.by === "search" ? loadMoreHits : undefined;
  const set = useCallback(
    (changes: Partial<SearchState>) => change(changes as Record<string, string>),
    [change],
  );
  const shownFilters = useMemo(
    () => (kept.usage === "" ? kept : { ...kept, archived: toFilters(kept).archived }),
    [kept],
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
      rememberResults(toTrail(results, answered, results.correctedQuery ?? q));
  }, [path, results, answered && apiUrl("", answered.params)]);
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
          Filters
        </button>
      </div>
      <aside id="filters" class={showsFilters ? "filters filters-shown" : "filters"} aria-label="Filters">
        <FacetList answer={shownFacets} state={shownFilters} onChange={setFilter} />
        {hub.value === undefined && (
          <a class="trash-link" href="/trash">
            Trash
          </a>
        )}
      </aside>
      <section class={isUnreachable(error) ? "found found-stale" : "found"} aria-label="Results">
        <ActiveFilters state={kept} onChange={set} />
        {days ? (
          <Days
            answer={days}
            since={(typedRange ?? kept).since}
            until={(typedRange ?? kept).until}
            isUsage={findsUsage(kept)}
            costUsd={isAllUsage(kept) ? rangeCosts?.totalUsd : undefined}
            onChange={selectDays}
          />
        ) : (
          // As high, so that the results stay where they are.
          request.by !== "scan" && <div class="days-waiting" />
        )}
        <div class="found-head">
          <p class="quiet" role="status">
            {error === undefined ? stated.current : "\u00a0"}
          </p>
          {isCounting && <span class="quiet">Counting all …</span>}
          {totals && !totals.isWhole && !isCounting && (
            <button type="button" class="button" onClick={() => setExactFor(apiUrl("", settled.params))}>
              Count all
            </button>
          )}
          {results && results.sessions.length > 0 && (
            <ExportLink state={state} {...{ found: results, totals }} />
          )}
          <label class="sort">
            <span class="unseen">Sort</span>
            <select
              class="field"
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
        {error !== undefined && <LoadError error={error} />}
        {results && results.sessions.length > 0 && (
          <ListHeader
            sort={kept.sort in sorts ? kept.sort : ""}
            {...{ sorts }}
            onSort={(sort) => set({ sort })}
          />
        )}
        {results && (
          <Results
            isGrouped={(request.by === "list" || request.by === "title") && kept.sort === ""}
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
          <Nothing state={{ ...state, q }} unknown={results.unknownWords} onChange={set} onQuery={setQ} />
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

/** Counts by value, for the query in the address, so not at every key. */
function useFacets({ by, params }: SearchRequest, version: number, exact: boolean) {
  const { cwd, model, tags, since, until, subagents, named, pinned, problems, archived, query } = params;
  const filters = {
    cwd,
    model,
    tags,
    since,
    until,
    subagents,
    named,
    pinned,
    problems,
    archived,
    query,
    exact,
  };
  const { data, name } = useAnswer(by === "scan" ? undefined : "facets", filters, version, {
    keepsData: true,
  });
  const isCounted = name === apiUrl("facets", filters);
  // While all are being counted, the first counts stay: they are of the same query.
  const isCounting = exact && name === apiUrl("facets", { ...filters, exact: false });
  return { facets: by === "scan" ? undefined : data, isCurrent: isCounted || isCounting, isCounting };
}

/**
 * The facets with the other values of fields that are filtered by, each counted without its own filter, so that one click chooses another
 * project, model or tag.
 */
function useSiblings(
  answer: Answers["facets"] | undefined,
  { cwd, model, tags }: SearchState,
  { by, params }: SearchRequest,
  version: number,
): Answers["facets"] | undefined {
  const without = (field: "cwd" | "model" | "tags", value: string) =>
    ({ by: value === "" ? "scan" : by, params: { ...params, [field]: "" } }) as const;
  const { facets: ofProjects } = useFacets(without("cwd", cwd), version, false);
  const { facets: ofModels } = useFacets(without("model", model), version, false);
  const { facets: ofTags } = useFacets(without("tags", tags), version, false);
  return useMemo(() => {
    if (!answer) return undefined;
    const { projects, models } = answer.facets;
    return {
      ...answer,
      facets: {
        ...answer.facets,
        projects: ofProjects?.facets.projects ?? projects,
        models: ofModels?.facets.models ?? models,
      },
      ...((ofTags?.tags ?? answer.tags) && { tags: ofTags?.tags ?? answer.tags }),
    };
  }, [answer, ofProjects, ofModels, ofTags]);
}

interface DaysProps {
  answer: Answers["facets"];
  since: string;
  until: string;
  /** Whether the hits are model responses. */
  isUsage: boolean;
  /** The cost of all usage in the range, if the results are all its sessions. */
  costUsd: number | undefined;
  onChange: (range: Pick<SearchState, "since" | "until">) => void;
}

/** The histogram, which is also the date filter. Memoized so that typing does not render it again. */
const Days = memo(function Days({
  answer: { facets, totals },
  isUsage,
  costUsd,
  onChange,
  ...range
}: DaysProps) {
  const [since, until] = [toServerTime(range.since), toServerTime(range.until)];
  const whole = toWholeDays(since, until);
  if (facets.days.length === 0 && !since && !until) return null;
  // A bar may have several days, and a session hits on each of them.
  const what = isUsage ? "model responses" : totals ? "hits" : "sessions";
  return (
    <>
      <h2 class="days-title">
        {what.charAt(0).toUpperCase() + what.slice(1)} over time
        {(since || until) && (
          <button
            type="button"
            class="chip days-range"
            title="Show all days"
            onClick={() => onChange({ since: "", until: "" })}
          >
            {formatRange(since, until)} <span aria-hidden="true">✕</span>
            <span class="unseen">: show all days</span>
          </button>
        )}
        {costUsd !== undefined && (
          <a class="days-cost" href={toUsageUrl(since, until)} title="Token usage and cost of these days">
            {formatCents(costUsd)} in range
          </a>
        )}
      </h2>
      <DateHistogram
        days={facets.days.map(({ value, hits }) => ({ day: value, count: hits }))}
        what={what}
        range={
          since || until ? { since: whole.since || undefined, until: whole.until || undefined } : undefined
        }
        onRange={(days) => onChange({ since: days?.since ?? "", until: days?.until ?? "" })}
      />
    </>
  );
});

type Totals = Answers["facets"]["totals"];

/**
 * The number of full matches: as counted, or as ranked until then. The ranked ones may include sessions that match across entries,
 * so the larger number is right. With closest matches, all full matches are ranked.
 */
function countOf({ total, hasMore, closestCount }: SearchResults, by: SearchRequest["by"], totals: Totals) {
  if (closestCount || by !== "search") return { sessions: total, isWhole: !hasMore };
  if (!totals) return { sessions: total, isWhole: false }; // not counted yet
  return { sessions: Math.max(total, totals.sessions), isWhole: totals.isWhole };
}

function summary(found: SearchResults, { by }: SearchRequest, totals: Totals): string {
  const { notice, closestCount = 0, correctedQuery } = found;
  const { sessions, isWhole } = countOf(found, by, totals);
  if (sessions === 0 && !isWhole && closestCount === 0) return "Searching …";
  const all = isWhole ? formatCount(sessions, "session") : `More than ${formatCount(sessions, "session")}`;
  const closest = closestCount > 0 && formatCount(closestCount, "closest match", "closest matches");
  const counts = [sessions > 0 || !closest ? `${all}${by === "list" ? "" : " found"}` : "", closest];
  const limit =
    totals && !totals.isWhole && `Counts are of the newest ${formatCount(totals.hits, "match", "matches")}`;
  const instead = correctedQuery !== undefined && ` for “${correctedQuery}”: nothing matches as typed`;
  return [counts.filter(Boolean).join(", ") + (instead || ""), notice, limit].filter(Boolean).join(". ");
}

interface ExportProps {
  state: SearchState;
  found: SearchResults;
  totals: Totals;
}

/** Opens the export of all results. */
function ExportLink({ state, found, totals }: ExportProps) {
  const [isOpen, setOpen] = useState(false);
  const exported = toExportParams(state);
  if (exported === undefined) return null;
  const { sessions, isWhole } = countOf(found, toSearchRequest(state).by, totals);
  const all = sessions + (found.closestCount ?? 0);
  if (all === 0) return null;
  const prefix = isWhole ? "" : "more than ";
  const amount =
    all > MAX_EXPORTED_SESSIONS
      ? `the first ${formatInteger(MAX_EXPORTED_SESSIONS)} of ${prefix}${formatCount(all, "session")}`
      : `${prefix}${formatCount(all, "session")}`;
  const whole = { id: "whole", subject: amount, params: { ...exported, whole: true }, hasBranches: true };
  const sources: [ExportSource, ...ExportSource[]] = exported.whole
    ? [{ ...whole, label: `Whole sessions: ${amount}`, hint: "All sessions with these filters." }]
    : [
        {
          id: "hits",
          label: `Matches with context: ${amount}`,
          hint: "The best matching entries of each session, and those around them.",
          subject: amount,
          params: exported,
        },
        { ...whole, label: `Whole sessions: ${amount}`, hint: "Every message of the sessions that match." },
      ];
  return (
    <>
      <button type="button" class="button export-link" onClick={() => setOpen(true)}>
        Export {amount}
      </button>
      {isOpen && (
        <ExportDialog
          sources={sources}
          note={`At most ${formatInteger(MAX_EXPORTED_SESSIONS)} sessions and ${MAX_EXPORTED_BYTES / 1024 ** 2} MB; a file that is cut off says so at its end.`}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

interface NothingProps {
  state: SearchState;
  /** A notice about words that are not in the index. */
  unknown: string | undefined;
  onChange: (changes: Partial<SearchState>) => void;
  onQuery: (q: string) => void;
}

/** The empty state, with what to try next. */
function Nothing({ state, unknown, onChange, onQuery }: NothingProps) {
  const { q } = state;
  const isFiltered = Object.entries(state).some(
    ([name, value]) => name !== "q" && name !== "sort" && value !== "",
  );
  return (
    <div class="nothing-found">
      <p>
        {q.trim() === "" ? "No sessions" : `No sessions match “${q.trim()}”`}
        {isFiltered ? " with these filters." : "."}
      </p>
      {q.trim() === "" && !isFiltered && hub.value === undefined && (
        <p class="quiet">
          New sessions appear here automatically. <a href="/health">Health</a> shows which folders are
          searched.
        </p>
      )}
      {unknown && <p class="quiet">{unknown}</p>}
      {isFiltered && (
        <button type="button" class="button" onClick={() => onChange(parseSearchState({ q }))}>
          Clear filters
        </button>
      )}
      {parseTypedQuery(q).by === "words" && (
        <button type="button" class="button" onClick={() => onQuery(filePattern(q))}>
          Search the files themselves <kbd>Shift+Enter</kbd>
        </button>
      )}
    </div>
  );
}
