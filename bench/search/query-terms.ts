/** A term of a query: a word, a phrase, or a prefix. */
export interface QueryTerm {
  text: string;
  star: boolean;
  /** `role`, in `role:user`. */
  field?: string;
}

/** Fields whose value is text of an entry; the others say where to look. */
const FIELDS_WITH_WORDS = new Set(["file", "label", "name"]);
const TERM =
  /(?:(?<field>role|type|tool|model|provider|project|cwd|file|label|name|session|since|until|is):)?(?:"(?<phrase>[^"]*)"(?<star>\*?)|(?<word>[^\s"]+))/gu;

/** Splits a question as whoever typed it meant it. */
export function parseTerms(question: string): QueryTerm[] {
  return [...question.matchAll(TERM)].map(({ groups = {} }) => {
    const { field, phrase, star, word = "" } = groups;
    return {
      text: phrase ?? word.replace(/\*$/, ""),
      star: phrase === undefined ? word.endsWith("*") : star === "*",
      ...(field && { field }),
    };
  });
}

/** The words among them: what has to stand in the answer. */
export function parseWords(question: string): QueryTerm[] {
  return parseTerms(question).filter(({ field }) => field === undefined || FIELDS_WITH_WORDS.has(field));
}
