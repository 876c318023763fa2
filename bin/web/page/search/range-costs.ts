/** What sessions cost within the selected days, which may be a part of what they cost in all. */
import { useMemo } from "preact/hooks";
import { extractRequired } from "../../../format/query-terms.ts";
import { parseTypedQuery } from "../../../format/typed-query.ts";
import { parseDay, toWholeDays } from "../charts/days.ts";
import { withParams } from "../shell/address.ts";
import { apiUrl, useAnswer } from "../shell/api.ts";
import { serverTimeZone } from "../shell/source.ts";
import { formatZonedTime } from "../usage/zone-days.ts";
import type { SearchState } from "./search-state.ts";
import type { SearchResults, SessionResult } from "./use-search-results.ts";

export interface RangeCosts {
  /** The cost of all usage in the range; undefined if the results are only a part of it. */
  totalUsd: number | undefined;
  /** By path, subagents included; undefined if only the costliest sessions are known, and this is none of them. */
  costUsdOf(path: string): number | undefined;
  /** Whether it knows the costs of all sessions. */
  isWhole: boolean;
  /** The model that they are the costs of. */
  model: string | undefined;
  /** The usage in the range; undefined if the usage view cannot show it. */
  address: string | undefined;
}

/** Fields of queries that filter usage, too. */
const USAGE_FIELDS = ["project", "model", "provider", "session"] as const;
type UsageFilters = Partial<Record<(typeof USAGE_FIELDS)[number] | "cwd", string>>;

const MAX_SESSIONS = 1000;

/** The costs in the range of a search, of the model that it selects; undefined without a range, and until they are known. */
export function useRangeCosts(state: SearchState, version: number): RangeCosts | undefined {
  const { since, until } = state;
  const isDated = since !== "" || until !== "";
  const { filters, isAll } = useMemo(() => toUsageFilters(state), [state]);
  const params = { by: "session", since, until, ...filters, limit: MAX_SESSIONS };
  const { data, name } = useAnswer(isDated ? "usage" : undefined, params, version);
  const usage = isDated && name === apiUrl("usage", params) ? data?.usage : undefined;
  return useMemo(() => {
    if (!usage) return undefined;
    const costs = new Map(
      usage.rows.flatMap(({ session, costUsd }) => (session ? [[session.path, costUsd] as const] : [])),
    );
    const isWhole = usage.rows.length >= usage.rowCount;
    return {
      totalUsd: isAll ? usage.total.costUsd : undefined,
      costUsdOf: (path) => costs.get(path) ?? (isWhole ? 0 : undefined),
      isWhole,
      model: filters.model,
      address: toUsageUrl({ since, until }, filters),
    };
  }, [usage, isAll]);
}

/** Results from the session with the highest cost in the range to the lowest. */
export function sortByRangeCost(results: SearchResults, { costUsdOf }: RangeCosts): SearchResults {
  const costOf = ({ session }: SessionResult) => costUsdOf(session.path) ?? 0;
  return { ...results, sessions: results.sessions.toSorted((a, b) => costOf(b) - costOf(a)) };
}

/** The filters of a search that usage can have, and whether it has no others than these, its range and the role that has the costs. */
export function toUsageFilters(state: SearchState): { filters: UsageFilters; isAll: boolean } {
  const { q, cwd, model } = state;
  const isQuery = q.trim() === "" || parseTypedQuery(q).by === "words";
  const required = isQuery ? extractRequired(q, USAGE_FIELDS) : { values: {}, isWhole: false };
  const filters: UsageFilters = { ...required.values, ...(cwd && { cwd }), ...(model && { model }) };
  const known = ["q", "cwd", "model", "since", "until", "usage", "sort", "archived", "subagents"];
  const hasOthers = Object.entries(state).some(
    ([name, value]) => value !== "" && !known.includes(name) && !(name === "role" && value === "assistant"),
  );
  // Of two models, usage can have one.
  const isOneModel = !model || (required.values.model ?? model) === model;
  return { filters, isAll: required.isWhole && isOneModel && !hasOthers };
}

/** The address of the usage of the days that a range touches; undefined if it is no range of days, or the view lacks a filter. */
function toUsageUrl(
  { since, until }: Pick<SearchState, "since" | "until">,
  { cwd, provider, project = cwd, ...filters }: UsageFilters,
): string | undefined {
  const days = toWholeDays(toServerTime(since), toServerTime(until));
  const isValid = [days.since, days.until].every((day) => day === "" || parseDay(day) !== undefined);
  if (!isValid || provider !== undefined || (cwd !== undefined && project !== cwd)) return undefined;
  return withParams("/usage", { ...days, ...(project && { project }), ...filters });
}

/** A moment with an offset (2026-01-31T09:00Z) in the time zone in which the server reads dates; others as they are. */
export function toServerTime(moment: string): string {
  const zone = serverTimeZone.value;
  if (zone === undefined || !/T.*(?:Z|[+-]\d\d:\d\d)$/.test(moment)) return moment;
  const time = Date.parse(moment);
  return Number.isNaN(time) ? moment : formatZonedTime(zone, time);
}
