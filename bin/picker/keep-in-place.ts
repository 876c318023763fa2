/** Updates the list without moving what is on the screen. */
import { findEnd, getRowHeight, scrollToSelected } from "./frames/list-frame.ts";
import type { State } from "./model/state.ts";
import type { Row } from "./model/view.ts";

export interface MergeOptions {
  /** Height of the list in lines. */
  height: number;
  /**
   * Whether the new rows complete the others, as a full search does: visible sessions that are not among them stay, because they rank lower
   * there, and none is inserted above visible ones.
   */
  completes: boolean;
}

/**
 * Returns new rows in an order that keeps visible rows where they are: sessions that were listed keep their order, and new ones are
 * inserted where they belong, but above the visible rows instead of between them, or below them if they only complete the list.
 */
export function mergeInPlace(
  { results, top }: Pick<State, "results" | "top">,
  rows: readonly Row[],
  { height, completes }: MergeOptions,
): Row[] {
  const before = results.rows;
  const end = findEnd(before, top, height);
  const fresh = new Map(rows.map((row) => [row.session.path, row]));
  const kept: { row: Row; isVisible: boolean }[] = [];
  for (const [n, old] of before.entries()) {
    const isVisible = n >= top && n < end;
    const row = fresh.get(old.session.path) ?? (completes && isVisible ? old : undefined);
    // The hits stay too: a row with more of them is higher.
    if (row)
      kept.push({
        row: isVisible ? { ...row, branchLines: old.branchLines, hits: old.hits } : row,
        isVisible,
      });
  }
  const places = new Map(kept.map(({ row }, n) => [row.session.path, n]));
  const first = kept.findIndex(({ isVisible }) => isVisible);
  const last = kept.findLastIndex(({ isVisible }) => isVisible);
  const inserted = new Map<number, Row[]>();
  let place = kept.length;
  for (const row of rows.toReversed()) {
    const own = places.get(row.session.path);
    if (own !== undefined) place = own;
    else {
      const isVisible = place <= last && (completes || place > first);
      // A fork that cannot be below its parent is listed separately.
      const added = isVisible ? { ...row, branchLines: "" } : row;
      const at = !isVisible ? place : completes ? last + 1 : first;
      inserted.set(at, [added, ...(inserted.get(at) ?? [])]);
    }
  }
  return [
    ...kept.flatMap(({ row }, n) => [...(inserted.get(n) ?? []), row]),
    ...(inserted.get(kept.length) ?? []),
  ];
}

/** Scrolls as little as needed to show the selected row, and leaves no line empty that a row above could fill. */
export function scrollIntoView(
  rows: readonly Row[],
  { top, selected, height }: Pick<State, "top" | "selected"> & { height: number },
): number {
  let first = scrollToSelected({ results: { rows }, selected, top: Math.min(top, selected) }, height);
  let used = 0;
  for (let n = first; n < rows.length && used < height; n++) used += getRowHeight(rows[n] as Row);
  while (first > 0 && used + getRowHeight(rows[first - 1] as Row) <= height)
    used += getRowHeight(rows[--first] as Row);
  return first;
}

/** Scrolls so that the selected row is on the line where another row was selected before. */
export function keepLine(
  { results, top, selected }: Pick<State, "results" | "top" | "selected">,
  rows: readonly Row[],
  selectedNow: number,
): number {
  let line = 0;
  for (let n = top; n < selected; n++) line += getRowHeight(results.rows[n] as Row);
  let now = selectedNow;
  while (now > 0 && line >= getRowHeight(rows[now - 1] as Row)) line -= getRowHeight(rows[--now] as Row);
  return now;
}
