/** What sessions cost within the selected days, which may be a part of what they cost in all. */
import { useMemo } from "preact/hooks";
import { parseDay, toWholeDays } from "../charts/days.ts";
import { withParams } from "../shell/address.ts";
import { apiUrl, useAnswer } from "../shell/api.ts";
import { serverTimeZone } from "../shell/source.ts";
import { formatZonedTime } from "../usage/zone-days.ts";
import type { SearchState } from "./search-state.ts";

export interface RangeCosts {
  /** The cost of all usage in the range. */
  totalUsd: number;
  /** By path, subagents included; undefined if only the costliest sessions are known, and this is none of them. */
  costUsdOf(path: string): number | undefined;
}

const MAX_SESSIONS = 1000;

/** The costs in the range of a search; undefined without a range, and until they are known. */
export function useRangeCosts({ since, until }: SearchState, version: number): RangeCosts | undefined {
  const isDated = since !== "" || until !== "";
  const params = { by: "session", since, until, limit: MAX_SESSIONS };
  const { data, name } = useAnswer(isDated ? "usage" : undefined, params, version);
  const usage = isDated && name === apiUrl("usage", params) ? data?.usage : undefined;
  return useMemo(() => {
    if (!usage) return undefined;
    const costs = new Map(
      usage.rows.flatMap(({ session, costUsd }) => (session ? [[session.path, costUsd] as const] : [])),
    );
    const isWhole = usage.rows.length >= usage.rowCount;
    return {
      totalUsd: usage.total.costUsd,
      costUsdOf: (path) => costs.get(path) ?? (isWhole ? 0 : undefined),
    };
  }, [usage]);
}

/** Whether a search has no filters other than its range and the role that has the costs. */
export function isAllUsage(state: SearchState): boolean {
  const ignored: readonly string[] = ["since", "until", "usage", "sort", "archived", "subagents"];
  return Object.entries(state).every(
    ([name, value]) => value === "" || ignored.includes(name) || (name === "role" && value === "assistant"),
  );
}

/** The address of the usage of the days that a range touches; undefined if it is no range of days. */
export function toUsageUrl(since: string, until: string): string | undefined {
  const days = toWholeDays(toServerTime(since), toServerTime(until));
  const isValid = [days.since, days.until].every((day) => day === "" || parseDay(day) !== undefined);
  return isValid ? withParams("/usage", days) : undefined;
}

/** A moment with an offset (2026-01-31T09:00Z) in the time zone in which the server reads dates; others as they are. */
export function toServerTime(moment: string): string {
  const zone = serverTimeZone.value;
  if (zone === undefined || !/T.*(?:Z|[+-]\d\d:\d\d)$/.test(moment)) return moment;
  const time = Date.parse(moment);
  return Number.isNaN(time) ? moment : formatZonedTime(zone, time);
}
