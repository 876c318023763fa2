/** What an entry's text contains, in words as `prepareQuery` returns them. */
export type TextExpression =
  | Phrase
  | { kind: "all" | "any"; of: readonly TextExpression[] }
  | { kind: "without"; text: TextExpression; excluded: TextExpression }
  /** All phrases, with at most `distance` words between them. */
  | { kind: "near"; phrases: readonly Phrase[]; distance: number };

/** Consecutive words, in lower case and separated by one space. */
export interface Phrase {
  kind: "phrase";
  words: string;
  /** Whether the last word is a prefix. */
  prefix: boolean;
}

export function toPhrase(words: string, prefix: boolean): Phrase {
  return { kind: "phrase", words, prefix };
}

/** A key that is equal for equal expressions. */
export function toTextKey(text: TextExpression): string {
  return JSON.stringify(text);
}

/** All phrases of an expression, including excluded ones. */
export function phrasesOf(text: TextExpression): readonly Phrase[] {
  switch (text.kind) {
    case "phrase":
      return [text];
    case "near":
      return text.phrases;
    case "all":
    case "any":
      return text.of.flatMap(phrasesOf);
    case "without":
      return [...phrasesOf(text.text), ...phrasesOf(text.excluded)];
  }
}
