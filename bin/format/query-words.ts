/** The words of a query that stand in what it finds: without fields, operators, and what is to be missing. */
export function wordsOf(query: string): string {
  if (query.trimStart().startsWith("re:")) return "";
  return query
    .replace(/(?<=^|[\s(])-?[a-z]{2,12}:(?!\/\/)(?:"[^"]*"?|\S*)/g, " ")
    .replace(/(?<=^|[\s(])-(?:"[^"]*"?|\([^)]*\)?|\S+)/g, " ")
    .replace(/(?<=^|[\s(])(?:OR|AND)(?=[\s)]|$)/g, " ")
    .replace(/["“”()*]/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}
