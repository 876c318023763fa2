/** A list of which a part is seen: which of its lines is chosen, and which is the first that is seen. */
export interface Scrolled {
  selected: number;
  top: number;
}

/** Where actions of lists lead; undefined for other actions. */
export function moved(action: string, selected: number, count: number, page: number): number | undefined {
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

/** Moves the part that is seen as little as can be, so that the chosen line is in it. */
export function follow(scrolled: Scrolled, height: number): void {
  if (scrolled.selected < scrolled.top) scrolled.top = scrolled.selected;
  if (scrolled.selected >= scrolled.top + height) scrolled.top = scrolled.selected - height + 1;
}
