/** Key hints in the last line. */
import { parseTypedQuery } from "../../format/typed-query.ts";
import type { ActionId, Mode } from "../keys/actions.ts";
import { needsFiles } from "../keys/hub-refusal.ts";
import type { KeyBindings } from "../keys/key-bindings.ts";
import { formatKey } from "../keys/key-names.ts";
import type { View } from "../model/view.ts";

/** Actions with hints by mode, most useful first: narrow terminals show only the first ones. */
const HINTS: Record<Mode, readonly ActionId[]> = {
  list: ["resume", "help", "scope", "preview", "tree", "sort", "facets", "named", "rename", "delete", "copy"],
  preview: ["back", "nextHit", "previousHit", "unfold", "resume", "branch", "tree", "label", "help"],
  tree: ["back", "open", "label", "all", "help"],
  facets: ["choose", "back"],
};

/** The words of hints that are not the action's name. */
const WORDS: Partial<Record<ActionId, string>> = {
  help: "keys",
  preview: "read",
  facets: "filter",
  nextHit: "next hit",
  previousHit: "previous hit",
  unfold: "expand",
  branch: "branches",
  open: "read",
  all: "all entries",
  choose: "add filter",
};

export function getHints(
  keys: KeyBindings,
  mode: Mode,
  { printsSelection: prints, hub }: { printsSelection: boolean; hub?: object | undefined },
): string[] {
  return HINTS[mode].flatMap((action) => {
    if (hub && needsFiles(action)) return [];
    const [key] = keys.getKeys(action, mode);
    const word = prints && action === "resume" ? "select" : (WORDS[action] ?? action);
    return key === undefined ? [] : [`${formatKey(key)} ${word}`];
  });
}

/** Hints shown if nothing matches: keys that widen the search. */
export function getWiderHints(keys: KeyBindings, { query, cwd, archived }: View, isHub = false): string[] {
  if (query.trim() === "") return [];
  const by = parseTypedQuery(query).by;
  const offers: [ActionId, string, boolean][] = [
    ["scope", "search all folders", cwd !== undefined],
    ["archived", "include archived sessions", !archived],
    ["scan", "search the files themselves", by === "words" && !isHub],
  ];
  return offers.flatMap(([action, label, isOffered]) => {
    const [key] = keys.getKeys(action, "list");
    return isOffered && key !== undefined ? [`${formatKey(key)}: ${label}`] : [];
  });
}
