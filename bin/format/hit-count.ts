/** The number of hits in one session. Runs in browsers too. */
import { formatInteger } from "./safe.ts";

/** The maximum number of hits in one session to navigate. */
export const MAX_SESSION_HITS = 1000;

/** The maximum number of entries with a text that the page navigates in one session. */
export const MAX_FOUND_ENTRIES = 5000;

/** The number of hits that are navigated: at the maximum, there may be more. */
function formatHitTotal(count: number): string {
  return count === MAX_SESSION_HITS ? `${formatInteger(count)}+` : formatInteger(count);
}

/** @example formatHitCount(1000) // "1,000+ hits" */
export function formatHitCount(count: number): string {
  return `${formatHitTotal(count)} ${count === 1 ? "hit" : "hits"}`;
}
