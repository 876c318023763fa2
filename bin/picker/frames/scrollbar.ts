/** A column with a thumb that shows which part of a list is visible. */
import type { Theme } from "../../format/theme.ts";

/** @returns one character per row of the pane */
export function drawThumb(
  { top, visible, total, rows }: { top: number; visible: number; total: number; rows: number },
  theme: Theme,
  track: string,
): string[] {
  const length = Math.max(1, Math.round((rows * visible) / total));
  const from = Math.round(((rows - length) * top) / (total - visible));
  const drawnTrack = track === " " ? track : theme.style("dim", track);
  return Array.from({ length: rows }, (_, n) =>
    n >= from && n < from + length ? theme.style("cyan", "┃") : drawnTrack,
  );
}
