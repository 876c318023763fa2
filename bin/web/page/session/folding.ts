import type { FoldState } from "../entries/display-options.ts";
import { LimitedMap } from "../shell/limited-map.ts";

const MAX_PARTS = 5000;

/** Which parts are expanded. Outlives the rows of a virtual list. */
export function createFolding(): FoldState {
  const open = new LimitedMap<string, boolean>(MAX_PARTS);
  return {
    isOpen: (key, usually) => open.get(key) ?? usually,
    setOpen: (key, isOpen) => open.set(key, isOpen),
  };
}
