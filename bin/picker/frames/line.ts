/** One line of the screen, of parts that look different. */
import { cut, fill, width } from "../../format/text.ts";
import type { Format, Theme } from "../../format/theme.ts";

/** A text that is safe for a terminal and on one line, and how it looks. */
export interface Span {
  text: string;
  format?: Format | undefined;
}

/** Between what stands left and what stands right. */
export const GAP = 2;

/**
 * A line that is so many columns wide: some spans, and others at its right end as far as there is room for them. They are
 * left out from their beginning on, until what stands left has a fair share.
 */
export function line(
  theme: Theme,
  columns: number,
  left: readonly Span[],
  right: readonly Span[] = [],
): string {
  let kept = [...right];
  const room = roomBeside(left, columns);
  while (kept.length > 0 && widthOf(kept) > room) kept = kept.slice(1);
  const rightWidth = widthOf(kept);
  const leftRoom = kept.length > 0 ? columns - rightWidth - GAP : columns;
  const blanks = kept.length > 0 ? " ".repeat(GAP) : "";
  return painted(theme, left, leftRoom, true) + blanks + painted(theme, kept, rightWidth, false);
}

/** How many columns there are for what stands right. */
export function roomBeside(left: readonly Span[], columns: number): number {
  // What is beyond the line's end needs no measuring.
  const leftWidth = widthOf(left.map(({ text }) => ({ text: cut(text, columns) })));
  return columns - GAP - Math.min(leftWidth, Math.ceil(columns * LEFT_SHARE));
}

/** As much of a line belongs to what stands left, if it needs it. */
const LEFT_SHARE = 0.45;

function widthOf(spans: readonly Span[]): number {
  return spans.reduce((sum, { text }) => sum + width(text), 0);
}

/** Spans cut to so many columns, and filled up to them. */
function painted(theme: Theme, spans: readonly Span[], columns: number, fills: boolean): string {
  let room = columns;
  let text = "";
  for (const span of spans) {
    if (room <= 0) break;
    const shown = cut(span.text, room);
    room -= width(shown);
    text += span.format === undefined ? shown : theme.style(span.format, shown);
    if (shown !== span.text) break;
  }
  return fills ? text + " ".repeat(Math.max(0, room)) : text;
}

/** A line without looks. */
export function plain(columns: number, text: string): string {
  return fill(cut(text, columns), columns);
}
