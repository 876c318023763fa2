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

/** The expression for entries that contain all of some texts, and none of others. */
export function toFtsMatch(
  texts: readonly TextExpression[],
  excluded: readonly TextExpression[] = [],
): string {
  const all = texts.map(toFtsExpression).join(" AND ");
  return excluded.length === 0 ? all : `(${all}) NOT (${excluded.map(toFtsExpression).join(" OR ")})`;
}

function toFtsPhrase({ words, prefix }: Phrase): string {
  return `"${words.replaceAll('"', '""')}"${prefix ? " *" : ""}`;
}

function joined(texts: readonly TextExpression[], operator: string): string {
  const different = [...new Set(texts.map(toFtsExpression))];
  return different.length === 1 ? (different[0] as string) : `(${different.join(operator)})`;
}
