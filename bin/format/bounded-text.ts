/** How much of a text is looked at: enough for any reader, and little enough to be shown at once. */
import { bytes } from "./bytes.ts";
import { safe } from "./safe.ts";

/** Most of one text, in UTF-16 units. */
const MOST_OF_A_TEXT = 200_000;

/** The beginning of a text, and what to say of what it leaves out; "" where that is nothing. */
export function startOf(text: string): { start: string; more: string } {
  if (text.length <= MOST_OF_A_TEXT) return { start: text, more: "" };
  const isInPair = /[\ud800-\udbff]/.test(text[MOST_OF_A_TEXT - 1] as string);
  const end = isInPair ? MOST_OF_A_TEXT - 1 : MOST_OF_A_TEXT;
  const rest = new TextEncoder().encode(text.slice(end)).length;
  return { start: text.slice(0, end), more: `… ${bytes(rest)} more` };
}

/** More marks than this on one letter are no writing. */
const PILED_UP = /([\p{M}\u200c\u200d]{15})[\p{M}\u200c\u200d]+/gu;

/** A session's text as it may be shown where tabs do no harm. */
export function shown(text: string): string {
  return safe(text).replace(PILED_UP, "$1…");
}

/** A session's text as it may be shown: safe for a terminal, without tabs. */
export function clean(text: string): string {
  return shown(text).replaceAll("\t", "    ");
}

/** The first lines of a text, and how many follow. A line end at the very end begins no line. */
export function firstLines(text: string, most: number): { lines: string[]; more: number } {
  const end = text.endsWith("\n") ? text.length - 1 : text.length;
  if (end <= 0) return { lines: [], more: 0 };
  const lines: string[] = [];
  let more = 0;
  for (let from = 0; from <= end; ) {
    const next = text.indexOf("\n", from);
    const to = next === -1 || next > end ? end : next;
    if (lines.length < most) lines.push(text.slice(from, to));
    else more++;
    from = to + 1;
  }
  return { lines, more };
}
