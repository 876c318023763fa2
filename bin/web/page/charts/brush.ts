/** Moves the edges of a range of days by keyboard. */
import type { DaySpan } from "./days.ts";

export interface DayRange {
  since: string;
  until: string;
}

export type Edge = "since" | "until";

/** Bars that Page Up and Page Down move by. */
const PAGE_BARS = 4;

/**
 * The range after a key press. Arrow keys move the focused edge by one bar, or the other edge with Shift. Undefined for other
 * keys. Edges never cross: at least one bar remains.
 */
export function moveRange(
  range: DaySpan,
  spans: readonly DaySpan[],
  edge: Edge,
  key: string,
  isShifted: boolean,
) {
  const [first, last] = [spans[0], spans.at(-1)];
  if (!first || !last) return undefined;
  const other: Edge = edge === "since" ? "until" : "since";
  const moving = isShifted ? other : edge;
  const edges = [...spans.map(({ from }) => from), last.until];
  const at = moving === "since" ? range.from : range.until;
  const to = target(edges, at, key);
  if (to === undefined) return undefined;
  if (moving === "since") {
    const latest = edges.findLast((day) => day < range.until) ?? first.from;
    return { from: Math.min(to, latest), until: range.until };
  }
  const earliest = edges.find((day) => day > range.from) ?? last.until;
  return { from: range.from, until: Math.max(to, earliest) };
}

function target(edges: readonly number[], at: number, key: string): number | undefined {
  const before = edges.filter((edge) => edge < at);
  const after = edges.filter((edge) => edge > at);
  const [first, last] = [edges[0], edges.at(-1)] as [number, number];
  switch (key) {
    case "ArrowLeft":
    case "ArrowDown":
      return before.at(-1) ?? first;
    case "ArrowRight":
    case "ArrowUp":
      return after[0] ?? last;
    case "PageDown":
      return before.at(-PAGE_BARS) ?? first;
    case "PageUp":
      return after[PAGE_BARS - 1] ?? last;
    case "Home":
      return first;
    case "End":
      return last;
    default:
      return undefined;
  }
}
