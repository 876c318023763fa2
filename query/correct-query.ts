import { parseQuery } from "./parse-query.ts";

/** A misspelled word of a query, and the word that was found instead. */
export interface Correction {
  from: string;
  to: string;
}

/**
 * The query with its misspelled words corrected; undefined if there are none.
 *
 * @example correctQuery("permision stub", [{ from: "permision", to: "permission" }]) // "permission stub"
 */
export function correctQuery(query: string, corrections: readonly Correction[]): string | undefined {
  let corrected = query;
  for (const { term, excluded } of parseQuery(query, { lenient: true }).terms.toReversed()) {
    if (term.kind !== "text" || excluded || term.quoted) continue;
    const word = query.slice(term.start, term.end).replace(/\*$/, "");
    const correction = corrections.find(({ from }) => from.toLowerCase() === word.toLowerCase());
    if (correction)
      corrected = corrected.slice(0, term.start) + correction.to + corrected.slice(term.start + word.length);
  }
  return corrected === query ? undefined : corrected;
}
