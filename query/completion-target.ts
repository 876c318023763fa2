import { FIELDS, type FieldName } from "./fields.ts";
import { parseQuery } from "./parse-query.ts";

/** What to complete at a position of a query. */
export interface CompletionTarget {
  /** The field, if its value is completed; undefined for a field name. */
  field?: FieldName;
  /** The part typed so far, without quotes. */
  text: string;
  /** Offset of that part, including an opening quote. */
  start: number;
}

/** The beginning of a field name. */
const NAME_START = /^[a-z]{1,12}$/;

/** A text before which no term ends: a term may begin after it. */
const TERM_START = /(?:^|[\s(])$/;

/**
 * Returns the field name or field value that ends at a position of a query, which is empty where a term may begin; undefined for
 * a plain word. Text after the position is ignored.
 */
export function getCompletionTarget(query: string, at: number = query.length): CompletionTarget | undefined {
  const text = query.slice(0, at);
  const term = parseQuery(text, { lenient: true }).terms.at(-1)?.term;
  if (term?.end !== at) return TERM_START.test(text) ? { text: "", start: at } : undefined;
  if (term.kind === "field") {
    const value = term.values.at(-1);
    const isClosed = value && value.text !== "" && !term.incomplete && /["“]/.test(query[value.start] ?? "");
    return value && !isClosed ? { field: term.field, text: value.text, start: value.start } : undefined;
  }
  const isName = !term.quoted && !term.prefix && NAME_START.test(term.text);
  return isName && FIELDS.some((field) => field.startsWith(term.text) && field !== term.text)
    ? { text: term.text, start: term.start }
    : undefined;
}
