/** Divides the screen between list and preview. */

export type PreviewPosition = "auto" | "right" | "below" | "off";

/** The screen, in columns and rows. */
export interface Size {
  columns: number;
  rows: number;
}

/** Sizes of list and preview, between the heading and the last line. */
export interface Layout {
  list: Size;
  /** Undefined if previews are off or the screen is too small. */
  preview?: Size & { place: "right" | "below" };
}

/** Rows above the list: heading, query, and the rule with completions. */
export const HEADING_ROWS = 3;
/** Rows below the list: hints, a message or a prompt. */
const FOOTER_ROWS = 1;

/** Minimum columns for a preview on the right, and minimum rows for one below the list, if `auto`. */
const MIN_COLUMNS_RIGHT = 100;
const MIN_ROWS_BELOW = 30;

export function countBodyRows({ rows }: Size): number {
  return Math.max(0, rows - HEADING_ROWS - FOOTER_ROWS);
}

/** @param noticeRows rows above the footer that a notice takes */
export function computeLayout(size: Size, preferred: PreviewPosition, noticeRows = 0): Layout {
  const { columns } = size;
  const rows = Math.max(0, countBodyRows(size) - noticeRows);
  const below = size.rows >= MIN_ROWS_BELOW ? "below" : "off";
  const auto = columns >= MIN_COLUMNS_RIGHT ? "right" : below;
  const place = preferred === "auto" ? auto : preferred;
  if (place === "right" && columns >= 40) {
    // Titles need the width more than the preview, whose text is wrapped.
    const left = Math.floor(columns * (columns >= MIN_COLUMNS_RIGHT ? 0.62 : 0.5));
    return {
      list: { columns: left, rows },
      preview: { place, columns: columns - left - 2, rows }, // minus a border and a space
    };
  }
  if (place === "below" && rows >= 8) {
    const above = Math.floor(rows * 0.45);
    return { list: { columns, rows: above }, preview: { place, columns, rows: rows - above - 1 } };
  }
  return { list: { columns, rows } };
}
