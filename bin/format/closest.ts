/** Notices on closest matches and on queries that were read differently: the same on every surface. */

import { distance } from "fastest-levenshtein";
import type { SearchResult } from "../../library/index.ts";
import { FIELDS, type FieldName, findField, MEANT_FIELDS } from "../../query/fields.ts";
import { formatCount, toOneLine } from "./safe.ts";

export { correctQuery } from "../../query/correct-query.ts";

/** The fields of a search result that notices are about. */
export type NoticeFields = Pick<
  SearchResult,
  "sessionCount" | "closest" | "correctedQuery" | "notAQuery" | "unfound" | "broadPrefixes"
>;

/** The maximum number of words named in a notice. */
const MAX_NAMED = 5;

/** A part of a notice: text, or a word that can be searched for by itself. */
export type NoticePart = string | { word: string };

/**
 * The line above closest matches; undefined if all results match in full.
 *
 * @example formatClosestNotice(found) // "No session matches every term. Closest matches; missing: vscode"
 */
export function formatClosestNotice(found: NoticeFields): string | undefined {
  return listClosestParts(found)
    ?.map((part) => (typeof part === "string" ? part : toOneLine(part.word)))
    .join("");
}

/** The line above closest matches, for surfaces where its words are links. */
export function listClosestParts({ sessionCount, closest }: NoticeFields): NoticePart[] | undefined {
  if (!closest) return undefined;
  const full = sessionCount - closest.sessionCount;
  const isOnlyCorrected = closest.missing.length === 0 && closest.corrected.length > 0;
  const none = isOnlyCorrected ? "" : "No session matches every term. ";
  const found =
    full <= 0
      ? `${none}Closest matches`
      : `${formatCount(full, "session")} ${full === 1 ? "matches" : "match"} every term. The rest are closest matches`;
  const corrected = closest.corrected.map(({ from, to }) => [`${toOneLine(from)} → `, { word: to }]);
  const missing = closest.missing.map((word) => [{ word: withoutPunctuation(word) }]);
  const unknown = formatUnknownField(closest.missing);
  return [
    found,
    ...(corrected.length > 0 ? ["; corrected: ", ...joinParts(corrected)] : []),
    ...(missing.length > 0 ? ["; missing: ", ...joinParts(missing)] : []),
    ...(unknown === undefined ? [] : [`. ${unknown}`]),
  ];
}

function joinParts(items: readonly (readonly NoticePart[])[]): NoticePart[] {
  const shown = items.slice(0, MAX_NAMED).flatMap((item, n) => (n === 0 ? item : [", ", ...item]));
  return items.length > MAX_NAMED ? [...shown, ` and ${items.length - MAX_NAMED} more`] : shown;
}

/**
 * How the search deviates from the query as written; undefined if it doesn't.
 *
 * @example formatQueryNotice(found) // "e*, t* match too many words; only the most frequent are searched"
 */
export function formatQueryNotice(found: Partial<NoticeFields>): string | undefined {
  const { correctedQuery, notAQuery, broadPrefixes = [] } = found;
  const corrected =
    correctedQuery !== undefined &&
    `Nothing matches as typed. Results for: ${toOneLine(correctedQuery).replace(/\*$/, "")}`;
  const plain = notAQuery !== undefined && `Searched as plain words: ${toOneLine(notAQuery)}`;
  const broad = broadPrefixes.map((prefix) => `${prefix}*`);
  const match = broad.length === 1 ? "matches" : "match";
  const cut =
    broad.length > 0 && `${named(broad)} ${match} too many words; only the most frequent are searched`;
  return [corrected, plain, cut].filter(Boolean).join(". ") || undefined;
}

/**
 * The words and phrases of a query that the index doesn't contain; undefined if it contains all. Text beyond the indexed part may contain
 * them. The words of such a phrase may be in the index, apart from each other.
 *
 * @example formatUnknownWords({ unfound: ["vscode", "till tax"] }) // 'Not in the index: vscode. Never side by side: "till tax" (try without quotes)'
 */
export function formatUnknownWords({ unfound = [] }: Pick<SearchResult, "unfound">): string | undefined {
  const words = unfound.filter((each) => !isPhrase(each));
  const phrases = unfound.filter(isPhrase).map((each) => `"${each}"`);
  const sentences = [
    formatUnknownField(unfound),
    words.length > 0 && `Not in the index: ${named(words.map(withoutPunctuation))}`,
    phrases.length > 0 && `Never side by side: ${named(phrases)} (try without quotes)`,
  ];
  return (
    sentences
      .filter((sentence) => typeof sentence === "string")
      .join(". ")
      .replaceAll("?.", "?") || undefined
  );
}

const FIELD = /^([a-z]{2,12}):([^/\s:].*)/;

/** Says why a word that looks like a field is none: `prjct: is not a field; did you mean project:?` */
function formatUnknownField(words: readonly string[]): string | undefined {
  const word = words.find((each) => FIELD.test(each)) ?? "";
  const [, name = "", value = ""] = FIELD.exec(word) ?? [];
  if (name === "") return undefined;
  // Those of other search languages are fields only with a value that is one.
  if (findField(name)) return `${toOneLine(value)} is not a date, time or age; try ${name}:7d`;
  const meant = MEANT_FIELDS.get(name) ?? findNearestField(name);
  return `${name}: is not a field${meant === undefined ? "" : `; did you mean ${meant}:?`}`;
}

function findNearestField(name: string): FieldName | undefined {
  const [nearest] = FIELDS.map((field) => ({ field, edits: distance(name, field) })).sort(
    (a, b) => a.edits - b.edits,
  );
  return nearest && nearest.edits <= Math.max(1, Math.floor(name.length / 2.5)) ? nearest.field : undefined;
}

/** Whether a text of `unfound` has several words. */
export function isPhrase(text: string): boolean {
  return /\s/.test(text);
}

/** Punctuation of the sentence or the code that a word was typed in. */
const PUNCTUATION = /^['`(]+|['`),.;:!?]+$/g;

/** @example withoutPunctuation("'total')") // "total" */
export function withoutPunctuation(word: string): string {
  return word.replace(PUNCTUATION, "") || word;
}

function named(words: readonly string[]): string {
  const shown = words.slice(0, MAX_NAMED).map(toOneLine).join(", ");
  return words.length > MAX_NAMED ? `${shown} and ${words.length - MAX_NAMED} more` : shown;
}
