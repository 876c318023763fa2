import type { SessionTree } from "./session-tree.ts";

/** Address parameters that show an entry, on the newest branch through it unless it is on the displayed one. */
export function wayTo(tree: SessionTree, position: number, isShown: boolean): Record<string, string> {
  const params = { entry: "", line: String(tree.line[position]) };
  if (isShown) return params;
  const end = tree.endFrom(position);
  if (end === tree.count - 1) return { ...params, leaf: "" };
  const leaf = tree.endId(end);
  return leaf === undefined ? params : { ...params, leaf };
}
