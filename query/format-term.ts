import type { FieldName } from "./fields.ts";

/** A term to write into a query. */
export type TermToFormat = { excluded?: boolean } & (
  | { text: string; prefix?: boolean; quoted?: boolean }
  /** Values as written: `7d`, not milliseconds. None may be blank. */
  | { field: FieldName; values: readonly string[] }
);

/**
 * Formats a term in the query language, quoted if necessary. `parseQuery` parses it back to the same term, except that NUL
 * characters become spaces.
 *
 * @example formatTerm({ field: "cwd", values: ["C:\\my work"] }) // cwd:"C:\my work"
 */
export function formatTerm(term: TermToFormat): string {
  const dash = term.excluded ? "-" : "";
  if ("field" in term) return `${dash}${term.field}:${term.values.map(formatValue).join(",")}`;
  const text = term.quoted || !isPlainWord(term.text) ? quote(term.text) : term.text;
  return `${dash}${text}${term.prefix ? "*" : ""}`;
}

/** Formats a field value, quoted if necessary. */
export function formatValue(value: string): string {
  return value === "" || /[\s,"“”()[\]{}]/.test(value) ? quote(value) : value;
}

/** Whether a text is parsed as one word without quotes. */
function isPlainWord(text: string): boolean {
  return /^[^\s"“”()*-][^\s"“”()*]*$/.test(text) && !/^(?:OR|AND|[a-z]{2,12}:.*)$/.test(text);
}

/** Within quotes only a quote is special; it is doubled. */
function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
