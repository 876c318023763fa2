import { FIELDS, type FieldName } from "./fields.ts";
import { parseQuery } from "./parse-query.ts";

/** What could be completed at a position in a query. */
export interface CompletionTarget {
  /** The field that a value is completed of; undefined where a field's name is. */
  field?: FieldName;
  /** What is written of it so far, without quotes. */
  text: string;
  /** Where that starts, with its quote. */
  start: number;
}

/** What a field's name starts with. */
const NAME_START = /^[a-z]{1,12}$/;

/**
 * The field's name, or value of a field, that ends at a position in a query; undefined where a word does. What is behind the
 * position does not count.
 */
export function completionTarget(query: string, at: number = query.length): CompletionTarget | undefined {
  const term = parseQuery(query.slice(0, at), { lenient: true }).terms.at(-1)?.term;
  if (term?.end !== at) return undefined;
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
