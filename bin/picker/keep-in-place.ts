/** Updates the list without moving what is on the screen. */
import { findEnd, getRowHeight } from "./frames/list-frame.ts";
import type { State } from "./model/state.ts";
import type { Row } from "./model/view.ts";

export interface MergeOptions {
  /** Height of the list in lines. */
  height: number;
  /** Whether visible sessions that are not in the new rows stay: they rank lower there, and a later page has them. */
  keepsMissing: boolean;
}

/**
 * Returns new rows in an order that keeps visible rows where they are: sessions that were listed keep their order, and new ones are
 * inserted where they belong, but above the visible rows instead of between them.
 */
export function mergeInPlace(
  { results, top }: Pick<State, "results" | "top">,
  rows: readonly Row[],
  { height, keepsMissing }: MergeOptions,
): Row[] {
  const before = results.rows;
  const end = findEnd(before, top, height);
  const fresh = new Map(rows.map((row) => [row.session.path, row]));
  const kept: { row: Row; isVisible: boolean }[] = [];
  for (const [n, old] of before.entries()) {
    const isVisible = n >= top && n < end;
    const row = fresh.get(old.session.path) ?? (keepsMissing && isVisible ? old : undefined);
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
      const isBetween = place > first && place <= last;
      // A fork that cannot be below its parent is listed separately.
      const added = isBetween ? { ...row, branchLines: "" } : row;
      const at = isBetween ? first : place;
      inserted.set(at, [added, ...(inserted.get(at) ?? [])]);
    }
  }
  return [
    ...kept.flatMap(({ row }, n) => [...(inserted.get(n) ?? []), row]),
    ...(inserted.get(kept.length) ?? []),
  ];
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
