/** Limits on the text that is shown, and cleaning of session text. */
import { formatBytes } from "./bytes.ts";
import { toSafe } from "./safe.ts";

/** UTF-16 units. */
const MAX_TEXT_UNITS = 200_000;
/** A rest up to this length is shown, too: such as the remark at the end of a text that the server has truncated. */
const MAX_REST_UNITS = 1000;

/** The start of a text, and a remark on the rest such as `… 12 KB more`; "" if nothing is omitted. */
export function truncateText(text: string): { start: string; more: string } {
  if (text.length <= MAX_TEXT_UNITS + MAX_REST_UNITS) return { start: text, more: "" };
  const isInPair = /[\ud800-\udbff]/.test(text[MAX_TEXT_UNITS - 1] as string);
  const end = isInPair ? MAX_TEXT_UNITS - 1 : MAX_TEXT_UNITS;
  const rest = new TextEncoder().encode(text.slice(end)).length;
  return { start: text.slice(0, end), more: `… ${formatBytes(rest)} more` };
}

/** More combining marks on one letter than any script uses. */
const PILED_UP = /([\p{M}\u200c\u200d]{15})[\p{M}\u200c\u200d]+/gu;

/** Combining marks are all beyond these. Most texts have no others, and matching `PILED_UP` takes fifty times as long. */
const BEYOND_LATIN = /[^\0-\u02ff]/;

/** Session text made safe to show, tabs included. */
export function toSafeText(text: string): string {
  const safe = toSafe(text);
  return BEYOND_LATIN.test(safe) ? safe.replace(PILED_UP, "$1…") : safe;
}

/** Session text made safe for a terminal, with tabs as spaces. */
export function toTerminalText(text: string): string {
  return toSafeText(text).replaceAll("\t", "    ");
}

/** The first lines of a text, and the number of further lines. A trailing line end starts no line. */
export function firstLines(text: string, maxLines: number): { lines: string[]; more: number } {
  const end = text.endsWith("\n") ? text.length - 1 : text.length;
  if (end <= 0) return { lines: [], more: 0 };
  const lines: string[] = [];
  let more = 0;
  for (let from = 0; from <= end; ) {
    const next = text.indexOf("\n", from);
    const to = next === -1 || next > end ? end : next;
    if (lines.length < maxLines) lines.push(text.slice(from, to));
    else more++;
    from = to + 1;
  }
  return { lines, more };
}
