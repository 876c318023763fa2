/** Key hints in the last line. */
import { parseTypedQuery } from "../../format/typed-query.ts";
import { type ActionId, editsText, type Mode } from "../keys/actions.ts";
import { needsFiles } from "../keys/hub-refusal.ts";
import type { KeyBindings } from "../keys/key-bindings.ts";
import { formatKey } from "../keys/key-names.ts";
import type { Results, View } from "../model/view.ts";

/** Actions with hints by mode, most useful first: narrow terminals show only the first ones. */
const HINTS: Record<Mode, readonly ActionId[]> = {
  list: [
    "resume",
    "palette",
    "mark",
    "preview",
    "scope",
    "tree",
    "sort",
    "facets",
    "rename",
    "delete",
    "copy",
    "named",
  ],
  preview: [
    "back",
    "find",
    "nextHit",
    "nextPrompt",
    "palette",
    "unfold",
    "resume",
    "previousHit",
    "unfoldEntry",
    "branch",
    "tree",
    "label",
  ],
  tree: ["back", "open", "foldRow", "unfoldRow", "label", "all", "palette"],
  facets: ["choose", "back"],
  palette: ["run", "removeSearch", "back"],
};

/** Hints of the list while sessions are marked. */
const MARKED_HINTS: readonly ActionId[] = ["archive", "tag", "pin", "delete", "exportHtml", "copy", "back"];

/** Hints of the list while completions are shown. */
const COMPLETING_HINTS: readonly ActionId[] = ["mark", "resume", "palette", "preview", "facets"];

/** The words of hints that are not the action's name. */
const WORDS: Partial<Record<ActionId, string>> = {
  palette: "commands",
  preview: "read",
  scope: "folder",
  exportHtml: "export",
  facets: "filter",
  nextHit: "next hit",
  previousHit: "previous hit",
  nextPrompt: "next prompt",
  unfold: "expand",
  branch: "branches",
  open: "read",
  foldRow: "fold",
  unfoldRow: "unfold",
  unfoldEntry: "expand entry",
  all: "all entries",
  choose: "add filter",
  removeSearch: "remove",
};

/** A key and what it does. */
export interface KeyHint {
  key: string;
  word: string;
}

/** Hints while the help is open. */
export const HELP_HINTS: readonly KeyHint[] = [
  { key: "Esc", word: "close" },
  { key: "Up, Down, PageDown", word: "scroll" },
  { key: "Home, End", word: "start and end" },
];

interface HintOptions {
  printsSelection: boolean;
  hub?: object | undefined;
  /** Whether sessions are marked. */
  hasMarks: boolean;
  /** Whether the reader has hits to go to. */
  hasHits: boolean;
  /** Whether calls and output are expanded in the reader. */
  isExpanded: boolean;
  /** Whether completions are shown, which the key that marks takes. */
  hasCompletions: boolean;
  /** Whether a saved search is selected in the palette. */
  isSavedSearch: boolean;
  /** Whether the filter of a list of commands or values has text, which Esc clears first. */
  hasFilter: boolean;
}

export function getHints(
  keys: KeyBindings,
  mode: Mode,
  {
    printsSelection: prints,
    hub,
    hasMarks,
    hasHits,
    isExpanded,
    hasCompletions,
    isSavedSearch,
    hasFilter,
  }: HintOptions,
): KeyHint[] {
  const actions =
    mode !== "list" ? HINTS[mode] : hasCompletions ? COMPLETING_HINTS : hasMarks ? MARKED_HINTS : HINTS.list;
  return actions.flatMap((action) => {
    if (hub && needsFiles(action)) return [];
    if (action === "removeSearch" && !isSavedSearch) return [];
    if ((action === "nextHit" || action === "previousHit") && !hasHits) return [];
    const [key] = keys.getKeys(action, mode);
    const word =
      prints && action === "resume"
        ? "select"
        : hasFilter && action === "back"
          ? "clear"
          : hasCompletions && action === "mark"
            ? "complete"
            : isExpanded && action === "unfold"
              ? "collapse"
              : (WORDS[action] ?? action);
    return key === undefined ? [] : [{ key: formatKey(key), word }];
  });
}

/** The hint for the help, with a key that does not type into the query. */
export function getHelpHint(keys: KeyBindings, mode: Mode, hasQuery: boolean): KeyHint | undefined {
  const key = keys.getKeys("help", mode).find((each) => !hasQuery || !editsText(mode, each));
  return key === undefined ? undefined : { key: formatKey(key), word: "keys" };
}

/** Hints shown if nothing is listed: keys that widen the search. */
export function getWiderHints(
  keys: KeyBindings,
  view: View,
  { isHub = false, excluded }: { isHub?: boolean; excluded?: Results["excluded"] } = {},
): string[] {
  const { query, cwd, named } = view;
  const hasQuery = query.trim() !== "";
  const by = parseTypedQuery(query).by;
  const offers: [ActionId, string, boolean][] = [
    ["scope", "search all folders", cwd !== undefined],
    ["named", "include sessions without a name", named],
    ["scan", "search the files themselves", by === "words" && !isHub],
    ["back", "clear the query", hasQuery],
    ["archived", "include archived sessions", excluded?.archived === true],
    ["subagents", "include subagent sessions", excluded?.subagents === true],
  ];
  return offers.flatMap(([action, label, isOffered]) => {
    const [key] = keys.getKeys(action, "list");
    return isOffered && key !== undefined ? [`${formatKey(key)}: ${label}`] : [];
  });
}
