import { prepareQuery, type QueryPhrase } from "../src/database/words.ts";
import { PidexError } from "../src/errors.ts";

/** One thing a query asks for. */
export interface Term {
  /** As it was written, without quotes and star: what snippets mark. */
  text: string;
  /** Whether words that only begin with it count. */
  prefix: boolean;
}

/** A query, read: what to ask of the full-text index, and what to mark in its answers. */
export interface Match {
  /** An FTS5 expression in which everything the user wrote is quoted. */
  expression: string;
  terms: Term[];
}

/** More words than this are no query but a paste, and what each costs adds up to minutes. */
const MAX_TERMS = 500;

const TERMS = /"([^"]*)"?(\*?)|([^\s"]+)/g;

/**
 * Reads a query: words, of which an entry must hold all, in any order; `"phrases"`; `begin*`. Case and accents
 * don't matter. Nothing of it reaches SQLite unquoted.
 *
 * @throws PidexError `BAD_QUERY` when there is nothing to look for, or far too much
 */
export function match(query: string): Match {
  const terms: Term[] = [];
  const phrases = new Set<string>();
  for (const [, quoted, quotedStar, word] of query.replaceAll("\0", " ").matchAll(TERMS)) {
    const star = quotedStar === "*" || (word?.endsWith("*") ?? false);
    const text = quoted ?? word?.replace(/\*+$/, "") ?? "";
    const phrase = prepareQuery(text);
    if (!phrase) continue; // only signs: the index holds none
    const expression = ftsPhrase(phrase, star);
    if (phrases.has(expression)) continue;
    terms.push({ text, prefix: star || phrase.prefix });
    phrases.add(expression);
  }
  if (terms.length === 0) {
    throw new PidexError(
      "BAD_QUERY",
      query.trim() === ""
        ? "the query is empty"
        : `there is no letter or digit to look for in ${query.trim()}`,
      'Give one or more words, "a phrase", or the beginning of a word with a star: conf*',
    );
  }
  if (terms.length > MAX_TERMS) {
    throw new PidexError("BAD_QUERY", `the query has ${terms.length} words`, `Give at most ${MAX_TERMS}.`);
  }
  return { expression: [...phrases].join(" AND "), terms };
}

function ftsPhrase({ words, prefix }: QueryPhrase, star: boolean): string {
  return `"${words.replaceAll('"', '""')}"${prefix || star ? " *" : ""}`;
}
