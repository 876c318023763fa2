/** What can be pressed, in the last line. */

import { typedQuery } from "../../format/typed-query.ts";
import type { ActionId, Mode } from "../keys/actions.ts";
import { readableKey } from "../keys/key-names.ts";
import type { Keys } from "../keys/keys.ts";
import type { View } from "../model/view.ts";

/** What is told of each place, the most useful first: there may be room for few. */
const TOLD: Record<Mode, readonly [ActionId, string][]> = {
  list: [
    ["resume", "resume"],
    ["help", "keys"],
    ["scope", "scope"],
    ["preview", "read"],
    ["tree", "tree"],
    ["sort", "sort"],
    ["facets", "narrow"],
    ["named", "named"],
    ["rename", "rename"],
    ["delete", "delete"],
    ["copy", "copy"],
  ],
  preview: [
    ["back", "back"],
    ["nextHit", "next hit"],
    ["previousHit", "hit before"],
    ["unfold", "unfold"],
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
    ["choose", "narrow by it"],
    ["back", "back"],
  ],
};

export function hintsOf(keys: Keys, mode: Mode, prints: boolean): string[] {
  return TOLD[mode].flatMap(([action, word]) => {
    const [key] = keys.keysOf(action, mode);
    const does = prints && action === "resume" ? "choose" : word;
    return key === undefined ? [] : [`${readableKey(key)} ${does}`];
  });
}

/** Where nothing was found: the keys that look further. */
export function widerHints(keys: Keys, { query, cwd, archived }: View): string[] {
  if (query.trim() === "") return [];
  const by = typedQuery(query).by;
  const offers: [ActionId, string, boolean][] = [
    ["scope", "search all folders", cwd !== undefined],
    ["archived", "include archived sessions", !archived],
    ["scan", "search the files themselves", by === "words"],
  ];
  return offers.flatMap(([action, does, isOffered]) => {
    const [key] = keys.keysOf(action, "list");
    return isOffered && key !== undefined ? [`${readableKey(key)}: ${does}`] : [];
  });
}
