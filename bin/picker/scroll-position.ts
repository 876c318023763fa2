/** Scroll position of a list. */
export interface ScrollPosition {
  selected: number;
  /** First visible line. */
  top: number;
}

/** The new selection after a movement action; undefined for other actions. */
export function moveSelection(
  action: string,
  selected: number,
  count: number,
  page: number,
): number | undefined {
  const to = {
    up: selected - 1,
    down: selected + 1,
    pageUp: selected - page,
    pageDown: selected + page,
    first: 0,
    last: count - 1,
  }[action];
  return to === undefined ? undefined : Math.max(0, Math.min(to, count - 1));
}

/** Scrolls as little as needed to make the selected line visible. */
export function scrollToSelection(scrolled: ScrollPosition, height: number): void {
  if (scrolled.selected < scrolled.top) scrolled.top = scrolled.selected;
  if (scrolled.selected >= scrolled.top + height) scrolled.top = scrolled.selected - height + 1;
}
