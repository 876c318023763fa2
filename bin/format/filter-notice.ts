/** Notices on words of a query that look like filters but are none. */

import { findNearestWord, quoteForShell } from "../../library/internal.ts";
import { FIELDS, getKnownValues, isKnownValue, MEANT_FIELDS, NOT_TYPOS } from "../../query/fields.ts";
import { parseQuery } from "../../query/parse-query.ts";
import { toOneLine } from "./safe.ts";

/** `name:value`, in which a slash, a backslash, a colon or a number doesn't follow: not `http://x`, `a::b`, `app:80`. */
const LIKE_FIELD = /^([a-z]{2,12}):(?=[\p{L}\p{N}"])(?!\d+$)/u;
/** As in the picker and on the page. In `re: your mail`, it is a word. */
const REGEX = /^\s*re:(\S.*?)\s*$/;
/** A longer query is a message rather than a search. */
const MAX_WORDS = 6;

/**
 * What to say about a word of a query that looks like a filter; undefined if there is none.
 *
 * @param found what the search found. If nothing, even a name unlike any field's may be meant as one. If full matches, only `month:` is reported,
 *   which is never searched for as a word.
 */
export function formatFilterNotice(query: string, found: "nothing" | "closest" | "full"): string | undefined {
  const [, regex] = REGEX.exec(query) ?? [];
  if (regex !== undefined) {
    const command = `pidex search --regex ${quoteForShell(toOneLine(regex))}`;
    return `searched for the words "${toOneLine(query.trim())}"; for a regular expression: ${command}`;
  }
  const { terms } = parseQuery(query, { lenient: true });
  const words = terms.flatMap(({ term }) => (term.kind === "text" && !term.quoted ? [term] : []));
  if (terms.length > MAX_WORDS) return undefined;
  const bare = FIELDS.find((field) => query.trim().split(/\s+/).at(-1) === `${field}:`);
  if (bare !== undefined && found !== "full") {
    return `"${bare}:" needs a value, without a space: ${bare}:VALUE; to search for the word, quote it`;
  }
  // `Error: foo:bar` is a message.
  if (words.some(({ text }) => text.endsWith(":"))) return undefined;
  for (const { text } of words) {
    const comparison = found === "full" ? undefined : toNumberField(text);
    if (comparison !== undefined) {
      return `"${toOneLine(text)}" is not a filter (did you mean '${comparison}'?); searched for the words`;
    }
    const [start = "", name] = LIKE_FIELD.exec(text) ?? [];
    if (name === undefined || (found === "full" && name !== "month")) continue;
    const meant = name === "month" ? toPeriod(text.slice(start.length)) : findMeantField(name);
    if (meant === undefined && found !== "nothing") continue;
    const suggestion = meant === undefined ? "" : ` (did you mean ${meant}?)`;
    const filters = FIELDS.map((field) => `${field}:`).join(", ");
    const all = meant === undefined ? `. Filters: ${filters}` : "";
    return `"${name}:" is not a filter${suggestion}; searched for the words "${toOneLine(text)}"${all}`;
  }
  return undefined;
}

/** `cost>1` as the field that compares so: `cost:>1`. */
function toNumberField(text: string): string | undefined {
  const [, field, comparison] = /^(cost|messages)([<>]=?\$?\d+(?:\.\d+)?)$/.exec(text) ?? [];
  return field && `${field}:${comparison}`;
}

/** Many words are near a short name: `host` and `cost`. */
const MIN_LENGTH = 5;
const LONG_FIELDS = FIELDS.filter((field) => field.length >= MIN_LENGTH);

function findMeantField(name: string): string | undefined {
  const field =
    MEANT_FIELDS.get(name) ?? (NOT_TYPOS.includes(name) ? undefined : findNearestWord(name, LONG_FIELDS));
  return field && `${field}:`;
}

/** The filters that a month stands for: `since:2026-10 until:2026-11`. */
function toPeriod(month: string): string {
  const [, year, number] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(month) ?? [];
  if (year === undefined) return "since: and until:";
  const next = new Date(Date.UTC(Number(year), Number(number))).toISOString().slice(0, 7);
  return `since:${month} until:${next}`;
}

/** A filter with a value outside the known ones, which are listed. */
export interface UnfamiliarFilter {
  field: "type" | "role";
  value: string;
  known: readonly string[];
}

/** The first `type:` or `role:` of a query with a value that pidex doesn't know. Agents may write others. */
export function findUnfamiliarFilter(query: string): UnfamiliarFilter | undefined {
  for (const { term, excluded } of parseQuery(query, { lenient: true }).terms) {
    if (excluded || term.kind !== "field" || (term.field !== "type" && term.field !== "role")) continue;
    const unknown = term.values.find(({ value }) => value !== "" && !isKnownValue(term.field, value));
    if (unknown) return { field: term.field, value: unknown.value, known: getKnownValues(term.field) };
  }
  return undefined;
}
