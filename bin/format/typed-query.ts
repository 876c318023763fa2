/** The meaning of a query while it is being typed. */
import { parseQuery } from "../../query/parse-query.ts";
import { closeQuery, filtersSessions, narrowsSessionsOnly } from "./query-terms.ts";

/** The search to run for a typed text. */
export type TypedQuery =
  | { by: "nothing" }
  /** Titles and folders that contain the text, which is too short for a prefix search. */
  | { by: "title"; text: string }
  | { by: "words"; query: string }
  | { by: "pattern"; regex: string };

/** Shorter prefixes match too many words to search them at every key press. */
const MIN_LETTERS = 3;

/**
 * Parses an incomplete query: the last word is a prefix, also in an open quote, a field without a value is ignored, and open groups are closed.
 * `re:` at the start is a regular expression, as in pi.
 *
 * @param options.quick whether the user is typing: the first letter of a name after a separator, as in `src/s`, is then ignored
 */
export function parseTypedQuery(text: string, { quick = false } = {}): TypedQuery {
  const trimmed = text.trim();
  if (trimmed === "") return { by: "nothing" };
  if (trimmed.startsWith("re:")) {
    const regex = trimmed.slice("re:".length).trim();
    return regex === "" ? { by: "nothing" } : { by: "pattern", regex };
  }
  if (isShortWord(trimmed)) return { by: "title", text: trimmed };
  const query = completeQuery(text.trimStart(), quick);
  return query === "" ? { by: "nothing" } : { by: "words", query };
}

/** Whether a typed text finds entries, which rank; otherwise only sessions, newest first. */
export function findsHits(text: string): boolean {
  const typed = parseTypedQuery(text);
  return typed.by === "pattern" || (typed.by === "words" && !narrowsSessionsOnly(typed.query));
}

/** Whether the sessions that a typed text finds can be sorted by cost and messages. */
export function sortsByColumn(text: string): boolean {
  const typed = parseTypedQuery(text);
  return typed.by === "words" ? filtersSessions(typed.query) : typed.by !== "pattern";
}

/** Whether a typed text selects from the list of sessions by their titles, or not at all: nothing is searched. */
export function listsSessions(text: string): boolean {
  const { by } = parseTypedQuery(text);
  return by === "nothing" || by === "title";
}

/** The first letter of a name after a separator. A prefix of one letter takes ten times as long to search as one of three. */
const NAME_START = /(?<=[\p{L}\p{N}][/\\.:_-])[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]$/u;

const HAS_WORD = /[\p{L}\p{N}]/u;

/** The query with its last word as a prefix, without incomplete terms. */
function completeQuery(text: string, quick: boolean): string {
  const { terms } = parseQuery(text, { lenient: true });
  const last = terms.at(-1);
  if (!last || last.term.end < text.length) return closeQuery(text);
  const { term, start } = last;
  const before = closeQuery(text.slice(0, start));
  if (term.kind === "field") {
    const value = term.values.findLast((each) => each.text.trim() !== "");
    return value ? closeQuery(text.slice(0, value.end)) : before;
  }
  const isExcluded = start < term.start;
  if (term.incomplete) return term.quoted ? completePhrase(text, before, term.text, isExcluded) : before;
  // An excluded word, or one with a colon, is not a prefix.
  const isWhole = term.quoted || term.prefix || isExcluded || /^[a-z]{2,12}:/.test(term.text);
  if (isWhole) return closeQuery(text);
  if (quick && NAME_START.test(text)) return closeQuery(text.replace(NAME_START, ""));
  if (!isShortWord(term.text)) return closeQuery(/[\p{L}\p{N}_]$/u.test(text) ? `${text}*` : text);
  const findsMore = terms
    .slice(0, -1)
    .some((each) => !each.excluded && (each.term.kind === "field" || HAS_WORD.test(each.term.text)));
  return before === "" || findsMore ? before : closeQuery(text);
}

/** A query that ends with an open quote: the last word of the phrase is a prefix, or ignored while it is short. */
function completePhrase(text: string, before: string, phrase: string, isExcluded: boolean): string {
  const [word = ""] = /[\p{L}\p{N}_]+$/u.exec(phrase) ?? [];
  if (isExcluded || word === "") return HAS_WORD.test(phrase) ? closeQuery(text) : before;
  if (!isShortWord(word)) return closeQuery(`${text}"*`);
  const hasOthers = HAS_WORD.test(phrase.slice(0, -word.length));
  return hasOthers ? closeQuery(text.slice(0, -word.length).trimEnd()) : before;
}

/** One or two letters of an alphabet. In Chinese and Japanese one or two characters can be a word. */
function isShortWord(word: string): boolean {
  return (
    word.length < MIN_LETTERS && /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}_]+$/u.test(word)
  );
}

/** The text to find in titles; undefined for queries with phrases, fields, exclusions or alternatives. */
export function toTitleText(query: string): string | undefined {
  const { terms, root } = parseQuery(query, { lenient: true });
  if (root?.kind === "or") return undefined;
  const isPlain = terms.every(({ term, excluded }) => term.kind === "text" && !term.quoted && !excluded);
  return isPlain ? terms.map(({ term }) => (term.kind === "text" ? term.text : "")).join(" ") : undefined;
}

/** A field at the end of a query. */
export interface UnfinishedField {
  text: string;
  before: string;
  /** Whether each entry is compared with the whole value, so that searching for a part of one is slow and finds nothing. */
  isOfEntries: boolean;
}

/** The field at the end of a query, if its value may be incomplete. */
export function getUnfinishedField(query: string): UnfinishedField | undefined {
  const last = parseQuery(query, { lenient: true }).terms.at(-1);
  if (last?.term.kind !== "field" || last.term.end < query.length) return undefined;
  const isOfEntries = ["role", "type", "tool"].includes(last.term.field);
  return { text: query.slice(last.start), before: query.slice(0, last.start), isOfEntries };
}
