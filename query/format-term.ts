import type { FieldName } from "./fields.ts";

/** A term to write into a query. */
export type TermToFormat = { excluded?: boolean } & (
  | { text: string; prefix?: boolean; quoted?: boolean }
  /** Values as they are written: `7d`, not milliseconds. None may be blank. */
  | { field: FieldName; values: readonly string[] }
);

/**
 * Writes a term in the query language, in quotes where it needs them: `parseQuery` reads it back as the same term. Only NUL
 * characters become spaces.
 *
 * @example formatTerm({ field: "cwd", values: ["C:\\my work"] }) // cwd:"C:\my work"
 */
export function formatTerm(term: TermToFormat): string {
  const dash = term.excluded ? "-" : "";
  if ("field" in term) return `${dash}${term.field}:${term.values.map(quoteValue).join(",")}`;
  const text = term.quoted || !isPlainWord(term.text) ? quote(term.text) : term.text;
  return `${dash}${text}${term.prefix ? "*" : ""}`;
}

/** A value of a field as a query takes it: in quotes where it needs them. */
export function quoteValue(value: string): string {
  return value === "" || /[\s,"“”()[\]{}]/.test(value) ? quote(value) : value;
}

/** Whether a text is read as one word when it is not quoted. */
function isPlainWord(text: string): boolean {
  return /^[^\s"“”()*-][^\s"“”()*]*$/.test(text) && !/^(?:OR|AND|[a-z]{2,12}:.*)$/.test(text);
}

/** In quotes only a quote has a meaning; two of them are one. */
function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
