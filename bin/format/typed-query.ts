/** What a query means while it is typed. */

/** What to look for. */
export type TypedQuery =
  | { by: "nothing" }
  /** Titles and folders that hold a text: so little is typed that it begins thousands of words. */
  | { by: "title"; text: string }
  | { by: "words"; query: string }
  | { by: "pattern"; regex: string };

/** Fewer letters than these begin too many words to look all of them up at every key. */
const FEWEST_LETTERS = 3;

/**
 * Reads a query of which more may follow: the last word is one that begins so, a field without a value is not asked yet,
 * and groups are closed. `re:` in front is a regular expression, as in pi.
 */
export function typedQuery(text: string): TypedQuery {
  const trimmed = text.trim();
  if (trimmed === "") return { by: "nothing" };
  if (trimmed.startsWith("re:")) {
    const regex = trimmed.slice("re:".length).trim();
    return regex === "" ? { by: "nothing" } : { by: "pattern", regex };
  }
  if (isShortWord(trimmed)) return { by: "title", text: trimmed };
  const query = closed(withOpenEnd(text.trimStart()));
  return query === "" ? { by: "nothing" } : { by: "words", query };
}

/** What ends a query that is only being typed: a word, a field, an operator. */
const LAST = /(?:^|(?<=[\s(]))(-?)([^\s()"“”]+)$/;

/** A word, of which it is not said that it is to be missing. */
const SAYS_SOMETHING = /(?:^|[\s(])(?!-|OR\b|AND\b)[^\s]*[\p{L}\p{N}]/u;

/** The query with its last word open: what begins so is meant, and what says nothing yet is left out. */
function withOpenEnd(text: string): string {
  if (isQuoting(text)) return withoutEmptyQuote(text);
  const [last = "", minus = "", word = ""] = LAST.exec(text) ?? [];
  const before = text.slice(0, text.length - last.length);
  if (last === "") return withoutLonelyOr(text);
  if (/^(?:OR|AND|-)$/.test(last)) return withoutLonelyOr(before);
  const field = /^[a-z]{2,12}:(.*)$/.exec(word);
  if (field) return field[1] === "" ? withoutLonelyOr(before) : text.replace(/,+$/, "");
  // Without a word: nobody knows yet what is to be missing.
  if (minus !== "" || word.endsWith("*")) return text;
  if (isShortWord(word)) {
    const rest = withoutLonelyOr(before);
    return rest === "" || SAYS_SOMETHING.test(rest) ? rest : text;
  }
  return /[\p{L}\p{N}_]$/u.test(word) ? `${text}*` : text;
}

/** Of a quote with nothing in it yet, not even the field is asked. */
function withoutEmptyQuote(text: string): string {
  const quote = text.lastIndexOf('"');
  if (/[\p{L}\p{N}]/u.test(text.slice(quote))) return text;
  return withoutLonelyOr(text.slice(0, quote).replace(/\S*$/, ""));
}

function withoutLonelyOr(text: string): string {
  return text.replace(/(?:(?:^|\s+)(?:OR|AND|-?\(+|-))+\s*$/, "").trimEnd();
}

/** One or two letters of an alphabet. Of Chinese and the like two signs are a word, and one is looked up as quickly. */
function isShortWord(word: string): boolean {
  return (
    word.length < FEWEST_LETTERS &&
    /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}_]+$/u.test(word)
  );
}

function isQuoting(text: string): boolean {
  return (text.match(/"/g)?.length ?? 0) % 2 === 1;
}

/** The query with a parenthesis for each that is open, and the quote closed that stands in them. */
function closed(text: string): string {
  const plain = text.replace(/"[^"]*"?/g, "");
  // Only those that open a group: others are signs in words.
  const open = plain.match(/(?:^|(?<=[\s(-]))\(/g)?.length ?? 0;
  const close = plain.match(/\)/g)?.length ?? 0;
  if (open <= close) return text;
  return text + (isQuoting(text) ? '"' : "") + ")".repeat(open - close);
}
