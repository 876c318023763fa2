import type { LenientQuery } from "../compile-query.ts";
import { detectLanguages } from "../words/languages.ts";

/** Queries with fewer words are no sentences. */
const MIN_SENTENCE_WORDS = 4;
/** Only sentences with at least this many other words are searched without fillers: `is not a function` is a message. */
const MIN_MEANING_WORDS = 2;

/** The words of a sentence that carry no meaning: highlighted, they would be everywhere. */
export async function findFillers({ terms }: LenientQuery): Promise<ReadonlySet<string>> {
  if (terms.length < MIN_SENTENCE_WORDS) return new Set();
  const { isStopWord } = await detectLanguages(terms.map(({ text }) => text.toLowerCase()));
  const fillers = new Set(
    terms.filter(({ text, prefix }) => !prefix && isStopWord(text.toLowerCase())).map(({ text }) => text),
  );
  return fillers.size < terms.length ? fillers : new Set();
}

/**
 * Removes the clauses of fillers: a session about the subject of `why does the total round wrong` need not contain "why". A
 * hit with all words, side by side, still ranks first. Quoted words are required.
 */
export function withoutFillers(compiled: LenientQuery, fillers: ReadonlySet<string>): LenientQuery {
  const { clauses, terms, required } = compiled;
  if (fillers.size === 0 || terms.length - fillers.size < MIN_MEANING_WORDS) return compiled;
  const isFiller = (clause: LenientQuery["clauses"][number]) =>
    clause.kind === "words" &&
    clause.text !== undefined &&
    fillers.has(clause.text) &&
    !required.includes(clause);
  return { ...compiled, clauses: clauses.filter((clause) => !isFiller(clause)) };
}
