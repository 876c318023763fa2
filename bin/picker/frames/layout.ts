/** Where on the screen things stand. */

export type PreviewPlace = "auto" | "right" | "below" | "off";

/** The screen, in columns and rows. */
export interface Size {
  columns: number;
  rows: number;
}

/** How the room between the heading and the last line is shared. */
export interface Layout {
  list: Size;
  /** Missing where there is no room for it, or none is wanted. */
  preview?: Size & { place: "right" | "below" };
}

/** Lines above what is listed: who and where, the query, and a rule that completions stand on. */
export const HEADING = 3;
/** The last line: what can be pressed, or what is asked. */
const FOOTING = 1;

/** Less than this is no room for two things side by side, or one above the other. */
const LEAST_BESIDE = 100;
const LEAST_ABOVE = 30;

export function bodyRows({ rows }: Size): number {
  return Math.max(0, rows - HEADING - FOOTING);
}

export function layoutOf(size: Size, wanted: PreviewPlace): Layout {
  const { columns } = size;
  const rows = bodyRows(size);
  const whole = { list: { columns, rows } };
  const place =
    wanted !== "auto"
      ? wanted
      : columns >= LEAST_BESIDE
        ? "right"
        : size.rows >= LEAST_ABOVE
          ? "below"
          : "off";
  if (place === "right" && columns >= 40) {
    const left = Math.floor(columns / 2);
    return {
      list: { columns: left, rows },
      preview: { place, columns: columns - left - 2, rows }, // beside a rule and a blank
    };
  }
  if (place === "below" && rows >= 8) {
    const above = Math.floor(rows * 0.45);
    return { list: { columns, rows: above }, preview: { place, columns, rows: rows - above - 1 } };
  }
  return whole;
}
