/** Key hints in the last line. */
import { parseTypedQuery } from "../../format/typed-query.ts";
import type { ActionId, Mode } from "../keys/actions.ts";
import type { KeyBindings } from "../keys/key-bindings.ts";
import { formatKey } from "../keys/key-names.ts";
import type { View } from "../model/view.ts";

/** Hints by mode, most useful first: narrow terminals show only the first ones. */
const HINTS: Record<Mode, readonly [ActionId, string][]> = {
  list: [
    ["resume", "resume"],
    ["help", "keys"],
    ["scope", "scope"],
    ["preview", "read"],
    ["tree", "tree"],
    ["sort", "sort"],
    ["facets", "filter"],
    ["named", "named"],
    ["rename", "rename"],
    ["delete", "delete"],
    ["copy", "copy"],
  ],
  preview: [
    ["back", "back"],
    ["nextHit", "next hit"],
    ["previousHit", "previous hit"],
    ["unfold", "expand"],
    ["resume", "resume"],
    ["branch", "branches"],
    ["tree", "tree"],
    ["label", "label"],
    ["help", "keys"],
  ],
  tree: [
    ["back", "back"],
    ["open", "read"],
    ["label", "label"],
    ["all", "all entries"],
    ["help", "keys"],
  ],
  facets: [
    ["choose", "add filter"],
    ["back", "back"],
  ],
};

export function getHints(keys: KeyBindings, mode: Mode, prints: boolean): string[] {
  return HINTS[mode].flatMap(([action, word]) => {
    const [key] = keys.getKeys(action, mode);
    const label = prints && action === "resume" ? "select" : word;
    return key === undefined ? [] : [`${formatKey(key)} ${label}`];
  });
}

/** Hints shown if nothing matches: keys that widen the search. */
export function getWiderHints(keys: KeyBindings, { query, cwd, archived }: View): string[] {
  if (query.trim() === "") return [];
  const by = parseTypedQuery(query).by;
  const offers: [ActionId, string, boolean][] = [
    ["scope", "search all folders", cwd !== undefined],
    ["archived", "include archived sessions", !archived],
    ["scan", "search the files themselves", by === "words"],
  ];
  return offers.flatMap(([action, label, isOffered]) => {
    const [key] = keys.getKeys(action, "list");
    return isOffered && key !== undefined ? [`${formatKey(key)}: ${label}`] : [];
  });
}
