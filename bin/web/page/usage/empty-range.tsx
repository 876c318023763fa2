import { formatDay, formatSpan, parseDay } from "../charts/days.ts";
import { useParams, withParams } from "../shell/address.ts";
import { findNearestRange, toRangeParams } from "./ranges.ts";
import type { UsageState } from "./usage-state.ts";
import { formatZonedDate } from "./zone-days.ts";

interface Props {
  choice: Pick<UsageState, "since" | "until" | "timeZone">;
  /** The days with usage of any range, or undefined until they are known. */
  days: readonly string[] | undefined;
}

/** Says that a range has no usage, and leads to the nearest one that has. */
export function EmptyRange({ choice: { since, until, timeZone }, days }: Props) {
  const [params] = useParams();
  const today = formatZonedDate(timeZone, Date.now());
  const nearest = days && findNearestRange(days, { since, until }, today);
  if (!nearest)
    return <p class="chart-empty">{days ? "No usage with these filters." : "No usage in this range."}</p>;
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
