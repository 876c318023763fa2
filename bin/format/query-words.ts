/** Text extracted from queries: words to highlight, and text to search the files for. */
import { getCompletionTarget } from "../../query/completion-target.ts";
import { FIELDS, type FieldName, isTypoOf } from "../../query/fields.ts";
import { formatValue } from "../../query/format-term.ts";
import { parseQuery } from "../../query/parse-query.ts";
import type { QueryNode } from "../../query/query-tree.ts";
import { formatTerm } from "./query-terms.ts";
import { parseTypedQuery } from "./typed-query.ts";

const PATTERN = /^\s*re:/;

/** The words of a query to highlight in hits, without fields, operators and excluded words. */
export function wordsToMark(query: string): string {
  if (PATTERN.test(query)) return "";
  return parseQuery(query, { lenient: true })
    .terms.flatMap(({ term, excluded }) => (term.kind === "text" && !excluded ? [term.text] : []))
    .join(" ");
}

/** The values of a field of a query as written, without excluded ones. */
export function extractFieldTexts(query: string, field: string): string[] {
  return parseQuery(query, { lenient: true }).terms.flatMap(({ term, excluded }) =>
    term.kind === "field" && term.field === field && !excluded ? term.values.map(({ text }) => text) : [],
  );
}

/**
 * The query with another value of a field.
 *
 * @example replaceFieldValue("project:sho tax", { field: "project", value: "sho", by: "shop" }) // "project:shop tax"
 */
export function replaceFieldValue(
  query: string,
  { field, value, by }: { field: FieldName; value: string; by: string },
): string {
  let replaced = query;
  for (const { term } of parseQuery(query, { lenient: true }).terms.toReversed()) {
    if (term.kind !== "field" || term.field !== field) continue;
    for (const { text, start, end } of term.values.toReversed())
      if (text === value) replaced = replaced.slice(0, start) + formatValue(by) + replaced.slice(end);
  }
  return replaced;
}

/** Fields that an entry satisfies together with the words of a query, not its session. */
const ENTRY_FIELDS: readonly string[] = ["role", "tool", "type"];

/** The fields of entries in a query with words, and the query without them; undefined if it has no words or no such fields. */
export function splitEntryFields(query: string): { fields: string; rest: string } | undefined {
  const { terms } = parseQuery(query, { lenient: true });
  const isOfEntries = ({ term, excluded }: (typeof terms)[number]) =>
    !excluded && term.kind === "field" && ENTRY_FIELDS.includes(term.field);
  const isWord = ({ term, excluded }: (typeof terms)[number]) =>
    !excluded && term.kind === "text" && /[\p{L}\p{N}]/u.test(term.text);
  if (!terms.some(isOfEntries) || !terms.some(isWord)) return undefined;
  const join = (some: typeof terms) => some.map(({ start, term }) => query.slice(start, term.end)).join(" ");
  return {
    fields: join(terms.filter(isOfEntries)),
    rest: join(terms.filter((each) => !isOfEntries(each))),
  };
}

/**
 * Queries that may find something if one finds nothing: with a part of a file's name instead of the whole, and without one of its terms.
 *
 * @example listWiderQueries("file:tax role:user") // ["file:*tax* role:user", "role:user", "file:tax"]
 */
export function listWiderQueries(query: string): string[] {
  const { terms } = parseQuery(query, { lenient: true });
  const replace = (start: number, end: number, by: string) =>
    `${query.slice(0, start)}${by}${query.slice(end)}`.replaceAll(/\s+/g, " ").trim();
  const byPart = terms.flatMap(({ term, start, excluded }) => {
    if (term.kind !== "field" || term.field !== "file" || excluded || term.values.length !== 1) return [];
    const [value = { text: "" }] = term.values;
    return /[*?[\]{}]/.test(value.text)
      ? []
      : [replace(start, term.end, formatTerm({ field: "file", values: [`*${value.text}*`] }))];
  });
  const without = terms.length > 1 ? terms.map(({ term, start }) => replace(start, term.end, "")) : [];
  return [...byPart, ...without];
}

/** Shorter words are in most sessions. */
const MIN_WORD_LENGTH = 3;

/**
 * The query with any of its words in place of all; undefined if it has fewer than two, or operators of its own.
 *
 * @example toAnyWord("TypeError: reading 'map' project:shop") // "(TypeError OR reading OR map) project:shop"
 */
export function toAnyWord(query: string): string | undefined {
  const { terms, root } = parseQuery(query, { lenient: true });
  if (hasOperator(root)) return undefined;
  const words = terms
    .flatMap(({ term }) => (term.kind === "text" ? (term.text.match(/[\p{L}\p{N}_]+/gu) ?? []) : []))
    .filter((word) => word.length >= MIN_WORD_LENGTH || /\P{ASCII}/u.test(word));
  const distinct = [...new Map(words.map((word) => [word.toLowerCase(), word])).values()];
  if (distinct.length < 2) return undefined;
  const any = distinct.map((text) => formatTerm({ text })).join(" OR ");
  const fields = terms.flatMap(({ term, start }) =>
    term.kind === "field" ? [query.slice(start, term.end)] : [],
  );
  return fields.length > 0 ? `(${any}) ${fields.join(" ")}` : any;
}

/** A query for exactly this text, without corrections. @example exactQuery("vscode") // '"vscode"' */
export function exactQuery(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/**
 * The query with each word in quotes, so that none is corrected and none is a prefix.
 *
 * @example toExactQuery("flakky project:shop") // '"flakky" project:shop'
 */
export function toExactQuery(query: string): string {
  let exact = query;
  for (const { term } of parseQuery(query, { lenient: true }).terms.toReversed())
    if (term.kind === "text" && !term.quoted)
      exact = exact.slice(0, term.start) + exactQuery(term.text) + exact.slice(term.end);
  return exact;
}

/** Whether a query has OR or an exclusion. */
function hasOperator(node: QueryNode | undefined): boolean {
  if (node?.kind === "and") return node.nodes.some(hasOperator);
  return node?.kind === "or" || node?.kind === "not";
}

/**
 * The query with misspelled names of fields corrected; undefined if there are none.
 *
 * @example correctFields("prject:shop tax") // "project:shop tax"
 */
export function correctFields(query: string): string | undefined {
  const corrected = query.replaceAll(/(?<![^\s(-])[a-z]{3,12}(?=:\S)/g, (name) => {
    const isKnown = (FIELDS as readonly string[]).includes(name);
    return (!isKnown && FIELDS.find((field) => isTypoOf(name, field))) || name;
  });
  return corrected === query ? undefined : corrected;
}

/** The text of a query without its fields and quotes, to search the session files for; undefined if it consists of fields. */
export function plainText(query: string): string | undefined {
  let text = query;
  for (const { term, start } of parseQuery(query, { lenient: true }).terms.toReversed())
    if (term.kind === "field") text = `${text.slice(0, start)} ${text.slice(term.end)}`;
  text = text.replaceAll('"', "").trim().replaceAll(/\s+/g, " ");
  return text === "" ? undefined : text;
}

/** A `re:` query that searches the session files for the text of a query, or for the regular expression that it looks like. */
export function filePattern(query: string): string {
  const text = plainText(query) ?? query.trim();
  return LIKE_PATTERN.test(text) ? `re:${text}` : literalPattern(text);
}

/** Whether the session files can be searched for a query: filters alone have no text to search for. */
export function canSearchFiles(query: string): boolean {
  return parseTypedQuery(query).by === "words" && plainText(query) !== undefined;
}

/** What is rare outside of regular expressions: `\d`, `\.`, `.*`, `[a-z]`. In `C:\word`, a letter follows. */
const LIKE_PATTERN = /\\[dDwWsSbB](?![A-Za-z])|\\[.()[\]{}+*?|^$]|\.[*+]|\[[^\]\s]+-[^\]\s]+\]/;

/** A `re:` query that searches the session files for a text as it is. */
export function literalPattern(text: string): string {
  return `re:${text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")}`;
}

/** Whether to request completions at a position: after a field, or after two letters of what may be a field name. */
export function isCompletable(query: string, at: number = query.length): boolean {
  const target = getCompletionTarget(query, at);
  return target !== undefined && (target.field !== undefined || target.text.length > 1);
}

/** A value as completions have it, without its quotes. */
export function unquoteValue(text: string): string {
  return text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text;
}
