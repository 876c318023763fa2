import type { SessionTree } from "./session-tree.ts";

/** What the address says to have an entry shown; where it is not on the branch that is, on the newest it is on. */
export function wayTo(tree: SessionTree, position: number, isShown: boolean): Record<string, string> {
  const to = { entry: "", line: String(tree.line[position]) };
  if (isShown) return to;
  const end = tree.endFrom(position);
  if (end === tree.count - 1) return { ...to, leaf: "" };
  const leaf = tree.endId(end);
  return leaf === undefined ? to : { ...to, leaf };
}
