/** Links from figures to the sessions behind them: lists with the filters of the figure. The range is a filter that a click removes. */
import { formatTerm } from "../../../format/query-terms.ts";
import { withParams } from "../shell/address.ts";
import { serverTimeZone } from "../shell/source.ts";
import type { UsageState } from "./usage-state.ts";
import { toMoment } from "./zone-days.ts";

/** The values of a figure by dimension; null is "not recorded". */
export type FigureKey = Readonly<Partial<Record<string, string | null>>>;

/** Local days (2026-01-31) or hours (2026-01-31T09:00); `until` is exclusive. */
export interface LocalRange {
  since?: string | undefined;
  until?: string | undefined;
}

type Filters = Pick<UsageState, "project" | "model" | "session" | "timeZone">;

/** Dimensions that are fields of the query language, with the same names. */
const FIELDS = ["project", "model", "provider", "tool"] as const;
/** Kinds of usage that are recorded by entries of a type of their own. */
const ENTRY_TYPES = ["compaction", "branch_summary"];

/** The address of a search for the sessions of a figure; undefined if the query language cannot select them. */
export function toSessionsUrl(
  { project, model, session, timeZone }: Filters,
  key: FigureKey,
  { since, until }: LocalRange,
): string | undefined {
  const values: FigureKey = { ...(project && { project }), ...(model && { model }), ...key };
  const { kind, agent } = values;
  const isUnknown = Object.values(values).includes(null) || agent !== undefined;
  const isType = kind != null && ENTRY_TYPES.includes(kind);
  if (isUnknown || (kind != null && kind !== "assistant" && !isType)) return undefined;
  const terms = FIELDS.flatMap((field) => {
    const value = values[field];
    return value ? formatTerm({ field, values: [value] }) : [];
  });
  if (session !== "") terms.push(formatTerm({ field: "session", values: [session] }));
  if (isType) terms.push(formatTerm({ field: "type", values: [kind] }));
  return withParams("/", {
    q: terms.join(" "),
    usage: "yes",
    role: kind === "assistant" ? "assistant" : "",
    since: since === undefined ? "" : toTime(timeZone, since),
    until: until === undefined ? "" : toTime(timeZone, until),
  });
}

/** A local time as the server reads it. */
function toTime(timeZone: string, local: string): string {
  if (timeZone === serverTimeZone.value) return local;
  return new Date(toMoment(timeZone, local.includes("T") ? local : `${local}T00:00`)).toISOString();
}
