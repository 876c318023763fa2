/** Adds terms to queries, and classifies queries. */
import { getFieldLevel } from "../../query/fields.ts";
import { formatTerm } from "../../query/format-term.ts";
import { parseQuery } from "../../query/parse-query.ts";
import type { QueryNode } from "../../query/query-tree.ts";

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

/**
 * A query with a condition in place of those on the same fields: a session has one project, so `project:shop project:blog` finds
 * nothing. Excluded values and alternatives within `OR` stay.
 *
 * @example
 * replaceTerm("tax project:shop", "project:blog"); // "tax project:blog"
 */
export function replaceTerm(query: string, term: string): string {
  const fields = parseQuery(term, { lenient: true }).terms.flatMap(({ term }) =>
    term.kind === "field" ? [term.field] : [],
  );
  return addTerm(removeFields(query, fields), term);
}

/** A query without its conditions on some fields, except excluded values and alternatives within `OR`. */
export function removeFields(query: string, fields: readonly string[]): string {
  let rest = query;
  for (const node of listRequired(query).toReversed()) {
    if (node.kind !== "field" || !fields.includes(node.field)) continue;
    rest = withoutSpan(rest, node);
  }
  return rest;
}

/** The values that a query requires some fields to have, as written. */
export function listRequiredFields(query: string, fields: readonly string[]): string[] {
  return listRequired(query).flatMap((node) =>
    node.kind === "field" && fields.includes(node.field) ? node.values.map(({ text }) => text) : [],
  );
}

/** The values of some fields that a query excludes, one by a term, each with the query without that term. */
export function listExcludedFields(
  query: string,
  fields: readonly string[],
): { value: string; without: string }[] {
  return listRequired(query).flatMap((node) => {
    if (node.kind !== "not" || node.node.kind !== "field" || !fields.includes(node.node.field)) return [];
    const [value, ...others] = node.node.values;
    if (!value || others.length > 0) return [];
    return [{ value: value.text, without: withoutSpan(query, node) }];
  });
}

function withoutSpan(query: string, { start, end }: { start: number; end: number }): string {
  return `${query.slice(0, start).trimEnd()} ${query.slice(end).trimStart()}`.trim();
}

/** The conditions of a query that must all hold. */
function listRequired(query: string): readonly QueryNode[] {
  const { root } = parseQuery(query, { lenient: true });
  return root?.kind === "and" ? root.nodes : root ? [root] : [];
}

/**
 * The values that a query requires some fields to have, if it names one for each, and whether it has no other conditions.
 *
 * @example
 * extractRequired("project:shop tax", ["project", "model"]); // { values: { project: "shop" }, isWhole: false }
 */
export function extractRequired<F extends string>(
  query: string,
  fields: readonly F[],
): { values: Partial<Record<F, string>>; isWhole: boolean } {
  const values: Partial<Record<F, string>> = {};
  let isWhole = true;
  for (const node of listRequired(query)) {
    const field = fields.find((each) => node.kind === "field" && node.field === each);
    const [value, ...others] = node.kind === "field" ? node.values : [];
    if (field && value && others.length === 0 && values[field] === undefined) values[field] = value.text;
    else isWhole = false;
  }
  return { values, isWhole };
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

const SESSION_STATES = ["named", "forked", "pinned", "archived", "compressed"];

/** Whether a query only filters sessions by fields: then they can be sorted by cost and messages. */
export function filtersSessions(query: string): boolean {
  const { terms } = parseQuery(query, { lenient: true });
  return (
    terms.length > 0 &&
    narrowsSessionsOnly(query) &&
    terms.every(({ term }) => term.kind === "field" && term.field !== "since" && term.field !== "until")
  );
}

/** Whether a query only filters sessions and times, so that all entries rank equally. */
export function narrowsSessionsOnly(query: string): boolean {
  return parseQuery(query, { lenient: true }).terms.every(({ term }) => {
    if (term.kind === "text") return false;
    if (term.field === "since" || term.field === "until") return true;
    if (term.field === "is") return term.values.every(({ value }) => SESSION_STATES.includes(value));
    return getFieldLevel(term.field) === "session";
  });
}
