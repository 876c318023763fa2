/** Sessions that match a query in part, in words: the same on every surface. */
import type { SearchResult } from "../../library/index.ts";
import { counted, oneLine } from "./safe.ts";

/** What of a search's answer is about sessions that match in part. */
export type PartialMatch = Pick<
  SearchResult,
  "sessionCount" | "closest" | "notAQuery" | "unfound" | "broadPrefixes"
>;

/** Words that are named at most. */
const MAX_NAMED = 5;

/**
 * What to say above sessions that match in part; undefined where all that were found match in full.
 *
 * @example closestNotice(found) // "No session has all of these. Closest matches; missing: vscode"
 */
export function closestNotice({ sessionCount, closest }: PartialMatch): string | undefined {
  if (!closest) return undefined;
  const full = sessionCount - closest.sessionCount;
  const found =
    full <= 0
      ? "No session has all of these."
      : `${counted(full, "session")} ${full === 1 ? "has" : "have"} all of these.`;
  const corrected = closest.corrected.map(({ from, to }) => `${from} → ${to}`);
  const details = [
    corrected.length > 0 && `corrected: ${named(corrected)}`,
    closest.missing.length > 0 && `missing: ${named(closest.missing)}`,
  ].filter(Boolean);
  return [`${found} Closest matches`, ...details].join("; ");
}

/** Why a query was not read in the query language; undefined where it was. */
export function plainWordsNotice({ notAQuery }: Partial<PartialMatch>): string | undefined {
  return notAQuery === undefined ? undefined : `Searched as plain words: ${oneLine(notAQuery)}`;
}

/**
 * What of a query was read in another way than it is written; undefined where nothing was.
 *
 * @example queryNotice(found) // "e*, t* begin too many words: only the most frequent are searched"
 */
export function queryNotice(found: Partial<PartialMatch>): string | undefined {
  const broad = (found.broadPrefixes ?? []).map((prefix) => `${prefix}*`);
  const begins = broad.length === 1 ? "begins" : "begin";
  const cut =
    broad.length > 0 && `${named(broad)} ${begins} too many words: only the most frequent are searched`;
  return [plainWordsNotice(found), cut].filter(Boolean).join(". ") || undefined;
}

/** Which words of a query the index does not have; undefined where it has all. It says nothing of text beyond what is indexed. */
export function unknownWords({ unfound = [] }: Pick<SearchResult, "unfound">): string | undefined {
  const words = unfound.map((each) => (/\s/.test(each) ? `"${each}"` : each));
  return words.length > 0 ? `Not in the index: ${named(words)}` : undefined;
}

function named(words: readonly string[]): string {
  const shown = words.slice(0, MAX_NAMED).map(oneLine).join(", ");
  return words.length > MAX_NAMED ? `${shown} and ${words.length - MAX_NAMED} more` : shown;
}
