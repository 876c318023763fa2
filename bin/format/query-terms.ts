/** Adds terms to queries, and classifies queries. */
import { getFieldLevel } from "../../query/fields.ts";
import { formatTerm } from "../../query/format-term.ts";
import { parseQuery } from "../../query/parse-query.ts";

export { formatTerm };

const OPEN_QUOTE = /^(?:"[^"]*(?:""[^"]*)*|“[^”"]*)$/;

/** The query with open quotes and groups closed, and trailing operators removed. */
export function closeQuery(query: string): string {
  const { contentEnd, openGroups, terms } = parseQuery(query, { lenient: true });
  const content = query.slice(0, contentEnd);
  const term = terms.at(-1)?.term;
  const start = (term?.kind === "field" ? term.values.at(-1)?.start : term?.start) ?? contentEnd;
  const quote = OPEN_QUOTE.test(content.slice(start)) ? '"' : "";
  return content + quote + ")".repeat(openGroups.filter((open) => open < contentEnd).length);
}

/** A query with a term added, as one more condition. */
export function addTerm(query: string, term: string): string {
  const whole = closeQuery(query);
  // Only OR binds more loosely than the space between terms.
  const isOr = parseQuery(query, { lenient: true }).root?.kind === "or";
  return `${isOr ? `(${whole})` : whole} ${term}`.trim();
}

/** The query limited to one session; without a query, all entries of that session. */
export function sessionQuery(session: string, query = ""): string {
  return addTerm(query, formatTerm({ field: "session", values: [session] }));
}

/** Whether a query has words or phrases to rank hits by. Otherwise hits are sorted by time. */
export function isRanked(query: string): boolean {
  return parseQuery(query, { lenient: true }).terms.some(
    ({ term, excluded }) => term.kind === "text" && !excluded,
  );
}

const SESSION_STATES = ["named", "forked", "pinned", "archived"];

/** Whether a query only filters sessions and times, so that all entries rank equally. */
export function narrowsSessionsOnly(query: string): boolean {
  return parseQuery(query, { lenient: true }).terms.every(({ term }) => {
    if (term.kind === "text") return false;
    if (term.field === "since" || term.field === "until") return true;
    if (term.field === "is") return term.values.every(({ value }) => SESSION_STATES.includes(value));
    return getFieldLevel(term.field) === "session";
  });
}
