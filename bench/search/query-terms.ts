/** A term of a query: a word, a phrase, or a prefix. */
export interface QueryTerm {
  text: string;
  isPrefix: boolean;
  /** `role`, in `role:user`. */
  field?: string;
}

/** Fields whose value is text of an entry. The others only filter. */
const TEXT_FIELDS = new Set(["file", "label", "name"]);
const TERM =
  /(?:(?<field>role|type|tool|model|provider|project|cwd|file|label|name|session|since|until|is):)?(?:"(?<phrase>[^"]*)"(?<star>\*?)|(?<word>[^\s"]+))/gu;

/** Splits a query into terms. */
export function parseTerms(query: string): QueryTerm[] {
  return [...query.matchAll(TERM)].map(({ groups = {} }) => {
    const { field, phrase, star, word = "" } = groups;
    return {
      text: phrase ?? word.replace(/\*$/, ""),
      isPrefix: phrase === undefined ? word.endsWith("*") : star === "*",
      ...(field && { field }),
    };
  });
}

/** The terms that must occur in a result. */
export function parseWords(query: string): QueryTerm[] {
  return parseTerms(query).filter(({ field }) => field === undefined || TEXT_FIELDS.has(field));
}
