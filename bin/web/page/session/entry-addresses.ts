/** The addresses of entries, and of what is linked in them. */
import type { EntryLinks } from "../entries/display-options.ts";
import { apiUrl } from "../shell/api.ts";
import type { SessionTree } from "./session-tree.ts";

/** Links to the images of a session, and to its entries. */
export function createEntryLinks(session: string, entry: EntryLinks["entry"]): EntryLinks {
  return { image: (line, block) => apiUrl("image", { session, line, block: String(block) }), entry };
}

/** Address parameters that show an entry, on the newest branch through it unless it is on the displayed one. */
export function toEntryParams(tree: SessionTree, position: number, isShown: boolean): Record<string, string> {
  const params = { entry: "", line: String(tree.line[position]) };
  if (isShown) return params;
  const end = tree.newestLeafFrom(position);
  if (end === tree.count - 1) return { ...params, leaf: "" };
  const leaf = tree.leafId(end);
  return leaf === undefined ? params : { ...params, leaf };
}
