/** The range of days that is typed in a query: `tax since:2026-01 until:2026-02`. */
import { parseMoment } from "../../query/parse-moment.ts";
import { parseQuery } from "../../query/parse-query.ts";
import { removeFields } from "./query-terms.ts";

/** A range of moments in ISO 8601; "" is open. */
export interface TypedRange {
  since: string;
  until: string;
}

const FIELDS = ["since", "until"] as const;

/** The range that every result of a query is in; undefined without one, and for dates within `OR`. Dates are days of a time zone. */
export function getTypedRange(query: string, timeZone: string | undefined): TypedRange | undefined {
  const { root } = parseQuery(query, { lenient: true });
  const required = root?.kind === "and" ? root.nodes : root ? [root] : [];
  const momentsOf = (field: (typeof FIELDS)[number]) =>
    required.flatMap((node) => {
      if (node.kind !== "field" || node.field !== field) return [];
      const moments = node.values.flatMap(({ text }) => parseMoment(text, { timeZone }) ?? []);
      // Any of several values may match.
      const widest = field === "since" ? Math.min(...moments) : Math.max(...moments);
      return Number.isFinite(widest) ? [widest] : [];
    });
  const [starts, ends] = FIELDS.map(momentsOf) as [number[], number[]];
  if (starts.length + ends.length === 0) return undefined;
  const format = (moments: number[], moment: number) =>
    moments.length === 0 ? "" : new Date(moment).toISOString();
  return { since: format(starts, Math.max(...starts)), until: format(ends, Math.min(...ends)) };
}

/** A query without its range. */
export function withoutTypedRange(query: string): string {
  return removeFields(query, FIELDS);
}
