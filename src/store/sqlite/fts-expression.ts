import type { Phrase, TextExpression } from "../text-expression.ts";

/** An FTS5 expression. Words are always quoted. */
export function toFtsExpression(text: TextExpression): string {
  switch (text.kind) {
    case "phrase":
      return toFtsPhrase(text);
    case "all":
      return joined(text.of, " AND ");
    case "any":
      return joined(text.of, " OR ");
    case "without":
      return `(${toFtsExpression(text.text)} NOT ${toFtsExpression(text.excluded)})`;
    case "near":
      return `NEAR(${text.phrases.map(toFtsPhrase).join(" ")}, ${text.distance})`;
  }
}

function toFtsPhrase({ words, prefix }: Phrase): string {
  return `"${words.replaceAll('"', '""')}"${prefix ? " *" : ""}`;
}

function joined(texts: readonly TextExpression[], operator: string): string {
  const different = [...new Set(texts.map(toFtsExpression))];
  return different.length === 1 ? (different[0] as string) : `(${different.join(operator)})`;
}
