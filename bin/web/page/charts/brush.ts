/** A range of days, and how keys move its edges. */
import type { Span } from "./days.ts";

export interface DayRange {
  since: string;
  until: string;
}

export type Edge = "since" | "until";

/** Steps that a page key goes. */
const PAGE = 4;

/**
 * What a key makes of a range: arrows move the edge they are pressed on, with Shift the other one, by a bar each; undefined where
 * the key means nothing here. Edges never cross: a bar is the least that is left.
 */
export function moved(range: Span, spans: readonly Span[], edge: Edge, key: string, isShifted: boolean) {
  const [first, last] = [spans[0], spans.at(-1)];
  if (!first || !last) return undefined;
  const other: Edge = edge === "since" ? "until" : "since";
  const moving = isShifted ? other : edge;
  const edges = [...spans.map(({ from }) => from), last.until];
  const at = moving === "since" ? range.from : range.until;
  const to = target(edges, at, key);
  if (to === undefined) return undefined;
  if (moving === "since") {
    const most = edges.findLast((each) => each < range.until) ?? first.from;
    return { from: Math.min(to, most), until: range.until };
  }
  const least = edges.find((each) => each > range.from) ?? last.until;
  return { from: range.from, until: Math.max(to, least) };
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
      return before.at(-PAGE) ?? first;
    case "PageUp":
      return after[PAGE - 1] ?? last;
    case "Home":
      return first;
    case "End":
      return last;
    default:
      return undefined;
  }
}
