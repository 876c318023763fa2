import { formatTerm } from "../../../format/query-terms.ts";
import { formatDay, formatSpan, parseDay } from "../charts/days.ts";
import { useParams, withParams } from "../shell/address.ts";
import { UnmatchedValues } from "../shell/unmatched-values.tsx";
import { findNearestRange, toRangeParams } from "./ranges.ts";
import type { UsageState } from "./usage-state.ts";
import { formatZonedDate } from "./zone-days.ts";

interface Props {
  choice: Pick<UsageState, "since" | "until" | "timeZone"> & Partial<Pick<UsageState, "project" | "model">>;
  /** The days with usage of any range, or undefined until they are known. */
  days: readonly string[] | undefined;
}

/** Says that a range has no usage, and leads to the nearest one that has, or to filters that sessions have. */
export function EmptyRange({ choice: { since, until, timeZone, project, model }, days }: Props) {
  const [params, change] = useParams();
  const today = formatZonedDate(timeZone, Date.now());
  const nearest = days && findNearestRange(days, { since, until }, today);
  if (!nearest) {
    const filters = [
      project && formatTerm({ field: "project", values: [project] }),
      model && formatTerm({ field: "model", values: [model] }),
    ];
    return (
      <div class="chart-empty">
        <p>{days ? "No usage with these filters." : "No usage in this range."}</p>
        {days && (
          <UnmatchedValues
            q={filters.filter(Boolean).join(" ")}
            onChoose={({ filter, value }) => change({ [filter]: value })}
          />
        )}
      </div>
    );
  }
  const lastDay = days.toSorted().findLast((day) => day < nearest.until) ?? nearest.since;
  const span = { from: parseDay(nearest.since) ?? 0, until: parseDay(nearest.until) ?? 0 };
  const isBefore = until === undefined || lastDay < until;
  return (
    <div class="chart-empty">
      <p>
        No usage in this range. {isBefore ? "The last usage before it was" : "The first usage after it was"}{" "}
        on {formatDay(parseDay(lastDay) ?? 0)}.
      </p>
      <a class="button" href={withParams("/usage", { ...params, ...toRangeParams(nearest, today) })}>
        Show {formatSpan(span)}
      </a>
    </div>
  );
}
