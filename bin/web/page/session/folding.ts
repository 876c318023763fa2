import type { Folding } from "../entries/showing.ts";
import { LimitedMap } from "../shell/limited-map.ts";

const MAX_PARTS = 5000;

/** What is folded and unfolded, kept while the rows of a virtual list come and go. */
export function newFolding(): Folding {
  const open = new LimitedMap<string, boolean>(MAX_PARTS);
  return {
    isOpen: (key, usually) => open.get(key) ?? usually,
    toggled: (key, isOpen) => open.set(key, isOpen),
  };
}
