/** What to search while the value of a field is half typed: `project:sh` finds nothing, and `is:err` is an error. */

import type { QueryCompletions } from "../../library/index.ts";
import { type FieldName, parseFieldValue } from "../../query/fields.ts";
import { isHalfTypedValue } from "../../query/half-typed-value.ts";
import { parseQuery } from "../../query/parse-query.ts";

/** The query to run for a typed one. */
export interface QueryToRun {
  text: string;
  /** How it differs from what was typed. */
  notice?: string;
}

/** Fields that are compared with a whole value: part of one finds nothing. The others find a part of a value, or have no completions. */
const EXACT: ReadonlySet<FieldName> = new Set<FieldName>([
  ...(["role", "type", "tool", "tag", "project", "cwd", "agent", "machine", "person"] as const),
]);

/** Their completions are examples: a guess among several is no better than none. */
const WITH_EXAMPLES: ReadonlySet<FieldName> = new Set<FieldName>(["since", "until", "cost", "messages"]);

interface LastValue {
  field: FieldName;
  /** Its last value, without quotes. */
  value: string;
  /** The term as typed, and the query before it. */
  term: string;
  before: string;
}

/** The field that a query ends in. Undefined for a pattern, and for a field without a value, which is ignored anyway. */
function findLastValue(query: string): LastValue | undefined {
  if (query.trimStart().startsWith("re:")) return undefined;
  const last = parseQuery(query, { lenient: true }).terms.at(-1);
  if (last?.term.kind !== "field" || last.term.end < query.length) return undefined;
  const value = last.term.values.at(-1)?.text.trim() ?? "";
  if (value === "") return undefined;
  return { field: last.term.field, value, term: query.slice(last.start), before: query.slice(0, last.start) };
}

/** Whether the query to run depends on completions. */
export function isHalfTyped(query: string): boolean {
  const last = findLastValue(query);
  if (!last || last.value.includes("*")) return false;
  return EXACT.has(last.field) || "message" in parseFieldValue(last.field, last.value);
}

/** The query to run for a half-typed one: with the first completion of its end, or without a field that would be an error. */
export function completeHalfTyped(
  query: string,
  { from, isValue, options }: Pick<QueryCompletions, "from" | "isValue" | "options">,
): QueryToRun {
  const last = findLastValue(query);
  if (!last || isValue) return { text: query };
  const [first] = options;
  if (first && (options.length === 1 || !WITH_EXAMPLES.has(last.field))) {
    const text = query.slice(0, from) + first.text;
    return { text, notice: `Searched: ${text}` };
  }
  const notice = formatIgnoredField(query);
  return notice === undefined ? { text: query } : { text: last.before, notice };
}

/** Says that the field at the end of a query is ignored, and why, as the error of the search does; undefined if its value is valid. */
export function formatIgnoredField(query: string): string | undefined {
  const last = findLastValue(query);
  if (!last) return undefined;
  const parsed = parseFieldValue(last.field, last.value);
  if (!("message" in parsed)) return undefined;
  if (isHalfTypedValue(last.field, last.value)) return `${last.term} is incomplete and ignored`;
  const [advice] = /^(?:Did you mean .+?\?|Values are .+(?=\.$))/.exec(parsed.hint) ?? [];
  const sentence = `Ignored: ${parsed.message}${advice ? `. ${advice}` : ""}`;
  const [, typedName = last.field] = /^-?([a-z]+):/.exec(last.term) ?? []; // `before:`
  return sentence.replaceAll(`${last.field}:`, `${typedName}:`);
}

/** What to run until the completions are known. */
export function withoutLastField(query: string): string {
  return findLastValue(query)?.before ?? query;
}
