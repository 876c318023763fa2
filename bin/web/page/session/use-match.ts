/** The match that the user steps to: one of the highlighted texts of an entry. */
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { listMarks } from "./list-marks.ts";

/** The number of a match among those of its entry, from 0, and how many there are. */
export interface MatchCount {
  index: number;
  count: number;
}

interface Options {
  scroller: RefObject<HTMLElement | null>;
  /** The row of the hit; undefined if there is none. */
  row: number | undefined;
  /** The line of the hit, and that of the row's first entry. */
  line: number;
  rowLine: number;
  /** Called when the match or the number of matches has changed. */
  onCount: (matches: MatchCount | undefined) => void;
}

/** Marks the current match in the page, which virtual rows and foldable parts create again at any time. */
export function useMatch({ scroller, row, line, rowLine, onCount }: Options) {
  /** Infinity is the last one, however many are rendered so far. */
  const index = useRef(0);
  const reported = useRef("");
  const findRow = () =>
    row === undefined ? undefined : scroller.current?.querySelector(`[data-index="${row}"]`);
  const list = () => {
    const element = findRow();
    return element ? listMarks(element, line, rowLine) : [];
  };
  // After every render, because any may have created marks again.
  useLayoutEffect(() => {
    const marks = list();
    const current = marks[Math.min(index.current, marks.length - 1)];
    for (const mark of scroller.current?.querySelectorAll(".mark-current") ?? [])
      if (mark !== current) mark.classList.remove("mark-current");
    current?.classList.add("mark-current");
    const matches =
      row === undefined ? undefined : { index: current ? marks.indexOf(current) : 0, count: marks.length };
    const text = JSON.stringify(matches ?? null);
    if (text === reported.current) return;
    reported.current = text;
    onCount(matches);
  });
  return {
    /** Starts with the first (1) or the last (-1) match of the hit. */
    start: (by: 1 | -1) => {
      index.current = by > 0 ? 0 : Number.POSITIVE_INFINITY;
    },
    /** Goes to the next or previous match of the same hit. @returns whether there is one */
    step: (by: 1 | -1): boolean => {
      const count = list().length;
      const next = Math.min(index.current, count - 1) + by;
      if (next < 0 || next >= count) return false;
      index.current = next;
      return true;
    },
    /**
     * Opens the collapsed parts with matches.
     *
     * @returns how far below the top of the row the screen begins if it has the match in its middle; undefined if there is none yet
     */
    reveal: (): number | undefined => {
      const element = findRow();
      if (!element) return undefined;
      openMatches(element, list().length > 0);
      const marks = list();
      const mark = marks[Math.min(index.current, marks.length - 1)];
      if (!mark) return undefined;
      scrollSideways(mark);
      const { top, height } = mark.getBoundingClientRect();
      return top - element.getBoundingClientRect().top - ((scroller.current?.clientHeight ?? 0) - height) / 2;
    },
  };
}

/** Opens the collapsed parts with matches; all parts if none is known to have any. */
function openMatches(row: Element, hasMarks: boolean): void {
  const opened = hasMarks || row.querySelector("details[data-found]") ? "[data-found]" : "";
  const closed = row.querySelectorAll<HTMLDetailsElement>(`details${opened}:not([open], .subagent)`);
  for (const details of closed) details.open = true;
}

/** Scrolls the code, the table or the summary around a mark so that it can be seen. */
function scrollSideways(mark: Element): void {
  const around = mark.closest("pre, .table, .call-about");
  if (!around || around.scrollWidth <= around.clientWidth) return;
  const [box, { left, right }] = [around.getBoundingClientRect(), mark.getBoundingClientRect()];
  if (left < box.left || right > box.right) around.scrollLeft += left - box.left - around.clientWidth / 2;
}
