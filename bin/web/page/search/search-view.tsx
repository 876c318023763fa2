import { memo } from "preact/compat";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { filePattern } from "../../../wording/closest.ts";
import { counted } from "../../../wording/safe.ts";
import { typedQuery } from "../../../wording/typed-query.ts";
import type { FacetsAnswer } from "../../api/answers.ts";
import { DateHistogram } from "../charts/date-histogram.tsx";
import { useParams } from "../shell/address.ts";
import { addressOf, useAnswer } from "../shell/ask.ts";
import { useVersion } from "../shell/changes.ts";
import { Trouble } from "../shell/trouble.tsx";
import { FacetList } from "./facet-list.tsx";
import { HowTo } from "./how-to.tsx";
import { QueryBox } from "./query-box.tsx";
import { Results } from "./results.tsx";
import { type Found, useFound } from "./use-found.ts";
import "./search.css";
import {
  LIST_SORTS,
  type Question,
  questionOf,
  SEARCH_SORTS,
  type Wanted,
  wantedOf,
  wholeQuery,
} from "./wanted.ts";

/** How long after the last key the address says what is typed, and values are counted, in milliseconds. */
const SETTLED_MS = 250;

/** All sessions: searched as somebody types, narrowed by what they have in common, by days. */
export function SearchView() {
  const [params, change] = useParams();
  const kept = useMemo(() => wantedOf(params), [params]);
  const [q, setQ] = useState(kept.q);
  useAddressOf(q, setQ, kept.q, (text) => change({ q: text }, "replace"));
  const version = useVersion();
  const wanted = { ...kept, q };
  const question = questionOf(wanted);
  const { found, error, isWaiting, goOn } = useFound(question, version, q !== kept.q);
  const { facets } = useFacets(questionOf(kept), version);
  const [showsFilters, showFilters] = useState(false);
  const set = useCallback((changes: Partial<Wanted>) => change(changes as Record<string, string>), [change]);
  useTitle(kept.q);
  return (
    <main class="search">
      <h1 class="unseen">Sessions</h1>
      <div class="search-head">
        <QueryBox text={q} onText={setQ} />
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
        <FacetList facets={facets?.facets} wanted={kept} onChange={set} />
      </aside>
      <section class="found" aria-label="Results">
        {facets && <Days answer={facets} since={kept.since} until={kept.until} onChange={set} />}
        <div class="found-head">
          <p class="quiet" role="status">
            {error === undefined && found ? summary(found, question) : "\u00a0"}
          </p>
          {found && found.sessions.length > 0 && <ExportLink wanted={wanted} />}
          <label class="sort">
            <span class="unseen">Sort</span>
            <select
              class="field"
              value={kept.sort}
              onChange={(event) => set({ sort: event.currentTarget.value })}
            >
              {Object.entries(question.by === "search" ? SEARCH_SORTS : LIST_SORTS).map(([value, name]) => (
                <option key={value} value={value}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        </div>
        {error !== undefined && <Trouble error={error} />}
        {found && <Results found={found} q={q} isWaiting={isWaiting} onEnd={goOn} />}
        {found?.sessions.length === 0 && !isWaiting && (
          <Nothing wanted={wanted} unknown={found.unknown} onChange={set} onQuery={setQ} />
        )}
      </section>
      <HowTo />
    </main>
  );
}

/** What is typed stands in the address once it is; where the address changes otherwise, what is typed does. */
function useAddressOf(q: string, setQ: (q: string) => void, kept: string, keep: (q: string) => void): void {
  const last = useRef(kept);
  const now = useRef(keep);
  now.current = keep;
  useEffect(() => {
    if (kept === last.current) return;
    last.current = kept;
    setQ(kept);
  }, [kept, setQ]);
  useEffect(() => {
    if (q === last.current) return undefined;
    const timer = setTimeout(() => {
      last.current = q;
      now.current(q);
    }, SETTLED_MS);
    return () => clearTimeout(timer);
  }, [q]);
}

/** What there is of each value: of what the address says, so not at every key. */
function useFacets({ by, asked }: Question, version: number): { facets: FacetsAnswer | undefined } {
  const { cwd, model, since, until, subagents, named, pinned, problems, archived, query } = asked;
  const narrowed = { cwd, model, since, until, subagents, named, pinned, problems, archived, query };
  const { data } = useAnswer<FacetsAnswer>(by === "scan" ? undefined : "facets", narrowed, version);
  return { facets: by === "scan" ? undefined : data };
}

function useTitle(q: string): void {
  useEffect(() => {
    document.title = q === "" ? "Sessions · pidex" : `${q} · pidex`;
  }, [q]);
}

interface DaysProps {
  answer: FacetsAnswer;
  since: string;
  until: string;
  onChange: (changes: Partial<Wanted>) => void;
}

/** When it was, to be narrowed; not drawn again at every key. */
const Days = memo(function Days({ answer: { facets, counted: what }, since, until, onChange }: DaysProps) {
  const range = { ...(since && { since }), ...(until && { until }) };
  return (
    <DateHistogram
      days={facets.days.map(({ value, hits }) => ({ day: value, count: hits }))}
      what={what}
      {...((since || until) && { range })}
      onRange={(to) => onChange({ since: to?.since ?? "", until: to?.until ?? "" })}
    />
  );
});

function summary({ total, more, remark, closestCount = 0 }: Found, { by }: Question): string {
  const sessions = counted(total, "session");
  const many = more ? `More than ${sessions}` : sessions;
  const closest = closestCount > 0 ? `, ${counted(closestCount, "closest match", "closest matches")}` : "";
  return [by === "list" ? many : `${many} found${closest}`, remark].filter(Boolean).join(". ");
}

/** What was found, as a page of its own to keep or to send. */
function ExportLink({ wanted }: { wanted: Wanted }) {
  const search = wholeQuery(wanted);
  if (search === undefined) return null;
  return (
    <a class="export-link" href={addressOf("export", { search })} download>
      Export
    </a>
  );
}

interface NothingProps {
  wanted: Wanted;
  /** Which words the index does not have. */
  unknown: string | undefined;
  onChange: (changes: Partial<Wanted>) => void;
  onQuery: (q: string) => void;
}

/** That nothing was found, and what to try. */
function Nothing({ wanted, unknown, onChange, onQuery }: NothingProps) {
  const { q } = wanted;
  const isNarrowed = Object.entries(wanted).some(
    ([wish, value]) => wish !== "q" && wish !== "sort" && value !== "",
  );
  return (
    <div class="nothing-found">
      <p>{q.trim() === "" ? "No sessions." : `No sessions match “${q.trim()}”.`}</p>
      {unknown && <p class="quiet">{unknown}</p>}
      {isNarrowed && (
        <button type="button" class="button" onClick={() => onChange(wantedOf({ q }))}>
          Clear filters
        </button>
      )}
      {typedQuery(q).by === "words" && (
        <button type="button" class="button" onClick={() => onQuery(filePattern(q))}>
          Search the files themselves <kbd>Shift+Enter</kbd>
        </button>
      )}
    </div>
  );
}
