import { memo } from "preact/compat";
import { formatCents } from "../../../format/numbers.ts";
import { formatInteger } from "../../../format/safe.ts";
import type { Answers } from "../../api/answers.ts";
import { DateHistogram } from "../charts/date-histogram.tsx";
import { formatRange, toWholeDays } from "../charts/days.ts";
import { type RangeCosts, toServerTime } from "./range-costs.ts";
import type { SearchState } from "./search-state.ts";

interface DaysProps {
  /** Undefined until the days are counted. */
  answer: Answers["facets"] | undefined;
  /** Whether the answer is that of the query before. */
  isStale: boolean;
  since: string;
  until: string;
  /** Whether the hits are model responses. */
  isUsage: boolean;
  /** Whether the hits are all entries of the sessions. */
  isFilter: boolean;
  /** Whether sessions are listed, not searched. */
  isList: boolean;
  rangeCosts: RangeCosts | undefined;
  onChange: (range: Pick<SearchState, "since" | "until">) => void;
}

/** The histogram, which is also the date filter. Memoized so that typing does not render it again. */
export const Days = memo(function Days({
  answer,
  isStale,
  isUsage,
  isFilter,
  isList,
  rangeCosts,
  onChange,
  ...range
}: DaysProps) {
  const { facets, totals } = answer ?? {};
  const [since, until] = [toServerTime(range.since), toServerTime(range.until)];
  const whole = toWholeDays(since, until);
  if (facets?.days.length === 0 && isList && !since && !until) return null;
  // A bar may have several days, and a session hits on each of them.
  const isOfSessions = answer ? !totals : isList;
  const what = isUsage ? "model responses" : isOfSessions ? "sessions" : isFilter ? "entries" : "hits";
  return (
    <div class={isStale ? "days days-stale" : "days"} aria-busy={isStale}>
      <h2 class="days-title">
        {what.charAt(0).toUpperCase() + what.slice(1)} over time
        {totals?.isWhole === false && (
          <span class="days-part" title="Older hits are not counted yet: press Count all">
            {" "}
            (the newest {formatInteger(totals.hits)} {what})
          </span>
        )}
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
        {rangeCosts?.totalUsd !== undefined && (
          <a class="days-cost" href={rangeCosts.address} title="Token usage and cost of these days">
            {formatCents(rangeCosts.totalUsd)} in range
          </a>
        )}
      </h2>
      {facets && (facets.days.length > 0 || since || until) ? (
        <DateHistogram
          days={facets.days.map(({ value, hits }) => ({ day: value, count: hits }))}
          what={what}
          range={
            since || until ? { since: whole.since || undefined, until: whole.until || undefined } : undefined
          }
          onRange={(days) => onChange({ since: days?.since ?? "", until: days?.until ?? "" })}
        />
      ) : (
        // As high, so that the results stay where they are.
        <div class="days-waiting" aria-hidden="true" />
      )}
    </div>
  );
});
