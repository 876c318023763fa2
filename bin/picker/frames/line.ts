/** Draws one line of the screen from styled spans. */
import { measureWidth, truncate } from "../../format/text.ts";
import type { Format, Theme } from "../../format/theme.ts";
import type { Size } from "./layout.ts";

/** A text with a style. The text must be a single line and safe for terminals. */
export interface StyledSpan {
  text: string;
  format?: Format | undefined;
}

/** What is drawn on: the screen or a part of it, and the theme. */
export interface Pane extends Size {
  theme: Theme;
}

/** Minimum columns between the left and the right part. */
export const GAP_COLUMNS = 2;

/**
 * Draws a line of exactly `columns` columns, with spans at its left and right end. If there is too little space, right spans are omitted,
 * first ones first, until the left part has its share.
 */
export function drawLine(
  { theme, columns }: Pick<Pane, "theme" | "columns">,
  left: readonly StyledSpan[],
  right: readonly StyledSpan[] = [],
): string {
  if (right.length === 0) return renderSpans(theme, left, columns, true);
  let kept = [...right];
  const room = computeRightColumns(left, columns);
  while (kept.length > 0 && widthOf(kept) > room) kept = kept.slice(1);
  const rightWidth = widthOf(kept);
  const leftRoom = kept.length > 0 ? columns - rightWidth - GAP_COLUMNS : columns;
  const blanks = kept.length > 0 ? " ".repeat(GAP_COLUMNS) : "";
  return renderSpans(theme, left, leftRoom, true) + blanks + renderSpans(theme, kept, rightWidth, false);
}

/** Cuts lines to a number of rows, or adds blank ones. */
export function fillRows(lines: readonly string[], { columns, rows }: Size): string[] {
  const blank = " ".repeat(columns);
  return Array.from({ length: rows }, (_, n) => lines[n] ?? blank);
}

/** Columns available for the right part. */
function computeRightColumns(left: readonly StyledSpan[], columns: number): number {
  // Cut first: measuring text beyond the line would be wasted.
  const leftWidth = widthOf(left.map(({ text }) => ({ text: truncate(text, columns) })));
  return columns - GAP_COLUMNS - Math.min(leftWidth, Math.ceil(columns * LEFT_SHARE));
}

/** Share of a line that is reserved for the left part, if it needs it. */
const LEFT_SHARE = 0.45;

function widthOf(spans: readonly StyledSpan[]): number {
  return spans.reduce((sum, { text }) => sum + measureWidth(text), 0);
}

/** Renders spans, cut to `columns`, and padded if `fills`. */
function renderSpans(theme: Theme, spans: readonly StyledSpan[], columns: number, fills: boolean): string {
  let room = columns;
  let text = "";
  const shownSpans = spans.filter((span) => span.text !== "");
  for (const [n, span] of shownSpans.entries()) {
    if (room <= 0) break;
    let shown = truncate(span.text, room);
    // If it fills the line exactly, an ellipsis still shows that others follow.
    const isFollowed = n + 1 < shownSpans.length;
    if (isFollowed && measureWidth(shown) === room) shown = truncate(`${span.text} `, room);
    room -= measureWidth(shown);
    text += span.format === undefined ? shown : theme.style(span.format, shown);
    if (shown !== span.text) break;
  }
  return fills ? text + " ".repeat(Math.max(0, room)) : text;
}
