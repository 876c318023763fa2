/** Texts that are taken out of a query: to mark, and to look for in the files. */
import { completionTarget } from "../../query/completion-target.ts";
import { parseQuery } from "../../query/parse-query.ts";

const PATTERN = /^\s*re:/;

/** The words of a query that its hits contain: without fields, operators, and what it excludes. */
export function wordsToMark(query: string): string {
  if (PATTERN.test(query)) return "";
  return parseQuery(query, { lenient: true })
    .terms.flatMap(({ term, excluded }) => (term.kind === "text" && !excluded ? [term.text] : []))
    .join(" ");
}

/** The text of a query without its fields and quotes: what to look for in the session files. */
export function plainText(query: string): string {
  let text = query;
  for (const { term, start } of parseQuery(query, { lenient: true }).terms.toReversed())
    if (term.kind === "field") text = `${text.slice(0, start)} ${text.slice(term.end)}`;
  text = text.replaceAll('"', "").trim().replaceAll(/\s+/g, " ");
  return text === "" ? query.trim() : text;
}

/** A query as the pattern that looks for its text in the session files. */
export function filePattern(query: string): string {
  return `re:${plainText(query).replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")}`;
}

/** Whether completions are worth asking for: a field or the start of its name ends at a position, and no word. */
export function isCompletable(query: string, at: number = query.length): boolean {
  const target = completionTarget(query, at);
  return target !== undefined && (target.field !== undefined || target.text.length > 1);
}
