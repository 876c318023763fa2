/** What a query means while it is being typed. */
import { parseQuery } from "../../query/parse-query.ts";
import { closeQuery } from "./query-terms.ts";

/** What to search for. */
export type TypedQuery =
  | { by: "nothing" }
  /** Titles and folders that contain a text: too short to search the index for all words it begins. */
  | { by: "title"; text: string }
  | { by: "words"; query: string }
  | { by: "pattern"; regex: string };

/** Shorter words begin too many others to look all of them up at every key. */
const MIN_LETTERS = 3;

/**
 * Reads a query that may go on: its last word counts as a prefix, a field without a value is left out, and groups are closed.
 * `re:` at the start is a regular expression, as in pi.
 */
export function typedQuery(text: string): TypedQuery {
  const trimmed = text.trim();
  if (trimmed === "") return { by: "nothing" };
  if (trimmed.startsWith("re:")) {
    const regex = trimmed.slice("re:".length).trim();
    return regex === "" ? { by: "nothing" } : { by: "pattern", regex };
  }
  if (isShortWord(trimmed)) return { by: "title", text: trimmed };
  const query = asFarAsTyped(text.trimStart());
  return query === "" ? { by: "nothing" } : { by: "words", query };
}

const HAS_WORD = /[\p{L}\p{N}]/u;

/** The query with its last word as a prefix, and without what has no meaning yet. */
function asFarAsTyped(text: string): string {
  const { terms } = parseQuery(text, { lenient: true });
  const last = terms.at(-1);
  if (!last || last.term.end < text.length) return closeQuery(text);
  const { term, start } = last;
  const before = closeQuery(text.slice(0, start));
  if (term.kind === "field") {
    const value = term.values.findLast((each) => each.text.trim() !== "");
    return value ? closeQuery(text.slice(0, value.end)) : before;
  }
  if (term.incomplete && !(term.quoted && HAS_WORD.test(term.text))) return before;
  // A word that is excluded, or has a colon, counts only when it is whole.
  const isWhole = term.quoted || term.prefix || start < term.start || /^[a-z]{2,12}:/.test(term.text);
  if (isWhole) return closeQuery(text);
  if (!isShortWord(term.text)) return closeQuery(/[\p{L}\p{N}_]$/u.test(text) ? `${text}*` : text);
  const findsMore = terms
    .slice(0, -1)
    .some((each) => !each.excluded && (each.term.kind === "field" || HAS_WORD.test(each.term.text)));
  return before === "" || findsMore ? before : closeQuery(text);
}

/** One or two letters of an alphabet. In Chinese and the like two characters are a word, and one is looked up as quickly. */
function isShortWord(word: string): boolean {
  return (
    word.length < MIN_LETTERS && /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}_]+$/u.test(word)
  );
}
