/** The table of actions and their keys, used by the picker, its help, config.toml and docs/picker.md. */
import { isTextKey, normalizeKey, toSentKey } from "./key-names.ts";

/** The views of the picker, each with its own keys. */
export type Mode = "list" | "preview" | "tree" | "facets";

export const MODES: readonly Mode[] = ["list", "preview", "tree", "facets"];

interface Row {
  action: string;
  where: readonly Mode[];
  /** Default keys, in pi-tui's notation. */
  keys: readonly string[];
  does: string;
}

const LIST = ["list"] as const;
const PREVIEW = ["preview"] as const;
const TREE = ["tree"] as const;
const FACETS = ["facets"] as const;
/** Where a session is selected. */
const SESSION = ["list", "preview"] as const;
const CHOOSING = ["list", "facets"] as const;
const READING = ["preview", "tree"] as const;

const TABLE = [
  { action: "resume", where: SESSION, keys: ["enter"], does: "resume the session in its folder" },
  { action: "scope", where: LIST, keys: ["tab"], does: "switch between this folder and all folders" },
  { action: "sort", where: LIST, keys: ["ctrl+s"], does: "change the order: threaded, newest, relevance" },
  { action: "named", where: LIST, keys: ["ctrl+n"], does: "show only named sessions" },
  { action: "path", where: LIST, keys: ["ctrl+p"], does: "show paths" },
  { action: "rename", where: LIST, keys: ["ctrl+r"], does: "rename the session" },
  { action: "delete", where: LIST, keys: ["ctrl+d"], does: "move the session to the trash" },
  { action: "undo", where: LIST, keys: ["alt+z"], does: "undo the last deletion" },
  { action: "copy", where: SESSION, keys: ["ctrl+y"], does: "copy the resume command" },
  { action: "browser", where: SESSION, keys: ["ctrl+o"], does: "show the session in the browser" },
  { action: "tree", where: SESSION, keys: ["ctrl+t"], does: "show the session's tree" },
  {
    action: "label",
    where: SESSION,
    keys: ["ctrl+l"],
    does: "label the entry of the hit, or the last message",
  },
  { action: "preview", where: LIST, keys: ["ctrl+v"], does: "read the session" },
  { action: "facets", where: LIST, keys: ["ctrl+g"], does: "filter by project, model, role, tool, month" },
  { action: "scan", where: LIST, keys: ["alt+r"], does: "search the files themselves for a pattern" },
  { action: "complete", where: LIST, keys: ["shift+tab"], does: "complete a field or its value" },
  { action: "archived", where: LIST, keys: ["alt+a"], does: "include archived sessions" },
  { action: "subagents", where: LIST, keys: ["alt+s"], does: "include subagent sessions" },
  { action: "pin", where: LIST, keys: ["alt+p"], does: "pin or unpin the session" },
  { action: "help", where: MODES, keys: ["?", "f1"], does: "show this help (? only in an empty query)" },
  { action: "cancel", where: LIST, keys: ["escape", "ctrl+c"], does: "quit" },
  { action: "cancel", where: ["preview", "tree", "facets"], keys: ["ctrl+c"], does: "quit" },
  { action: "up", where: CHOOSING, keys: ["up"], does: "move up" },
  { action: "down", where: CHOOSING, keys: ["down"], does: "move down" },
  { action: "pageUp", where: CHOOSING, keys: ["pageUp"], does: "page up" },
  { action: "pageDown", where: CHOOSING, keys: ["pageDown"], does: "page down" },
  { action: "first", where: CHOOSING, keys: ["ctrl+home"], does: "go to the first row" },
  { action: "last", where: CHOOSING, keys: ["ctrl+end"], does: "go to the last row" },
  { action: "previewUp", where: LIST, keys: ["shift+up", "alt+up"], does: "scroll the preview up" },
  { action: "previewDown", where: LIST, keys: ["shift+down", "alt+down"], does: "scroll the preview down" },
  { action: "nextHit", where: LIST, keys: ["alt+n"], does: "go to the next hit in the session" },
  {
    action: "previousHit",
    where: LIST,
    keys: ["alt+shift+n"],
    does: "go to the previous hit in the session",
  },
  { action: "up", where: READING, keys: ["up", "k"], does: "move up" },
  { action: "down", where: READING, keys: ["down", "j"], does: "move down" },
  { action: "pageUp", where: READING, keys: ["pageUp", "ctrl+b", "b"], does: "page up" },
  { action: "pageDown", where: READING, keys: ["pageDown", "ctrl+f", "space"], does: "page down" },
  { action: "first", where: READING, keys: ["home", "g"], does: "go to the start" },
  { action: "last", where: READING, keys: ["end", "shift+g"], does: "go to the end" },
  { action: "nextHit", where: PREVIEW, keys: ["n"], does: "go to the next hit" },
  { action: "previousHit", where: PREVIEW, keys: ["shift+n"], does: "go to the previous hit" },
  { action: "unfold", where: PREVIEW, keys: ["e"], does: "expand or collapse calls, output and thinking" },
  { action: "branch", where: PREVIEW, keys: ["a"], does: "switch between all branches and the current one" },
  { action: "open", where: TREE, keys: ["enter"], does: "open the session at the entry" },
  { action: "label", where: TREE, keys: ["ctrl+l", "shift+l"], does: "label the entry" },
  {
    action: "all",
    where: TREE,
    keys: ["a"],
    does: "show all, or user messages, branch points and labels",
  },
  { action: "choose", where: FACETS, keys: ["enter"], does: "add the filter to the query" },
  { action: "back", where: PREVIEW, keys: ["escape", "q", "ctrl+v"], does: "go back" },
  { action: "back", where: TREE, keys: ["escape", "q", "ctrl+t"], does: "go back" },
  { action: "back", where: FACETS, keys: ["escape", "ctrl+g"], does: "go back" },
] as const satisfies readonly Row[];

export type ActionId = (typeof TABLE)[number]["action"];

/** An action and the modes it exists in: names are unique within a mode. */
export interface Action extends Row {
  action: ActionId;
}

export const ACTIONS: readonly Action[] = TABLE;

/** pi-tui's keys for editing the query, unless an action uses them. */
export const LINE_KEYS = "Ctrl+A, Ctrl+E, Ctrl+W, Ctrl+U, Ctrl+K, Alt+B, Alt+F, Alt+D, Ctrl+-";

/** The user's key bindings by mode. An empty array removes an action's keys. */
export type UserKeys = Partial<Record<Mode, Partial<Record<ActionId, readonly string[]>>>>;

/** Always quits, whatever else is bound. */
export const QUIT_KEY = "ctrl+c";

/**
 * The actions of a mode with their effective keys. A key that the user assigned is removed from all other actions; if it was assigned
 * twice, the first action gets it. Ctrl+C always quits.
 */
export function resolveBindings(mode: Mode, own: UserKeys = {}): Action[] {
  const assigned = own[mode] ?? {};
  const taken = new Set([toSentKey(QUIT_KEY)]);
  const take = (keys: readonly string[]) =>
    keys.filter((key) => !taken.has(toSentKey(key)) && taken.add(toSentKey(key)));
  const inMode = ACTIONS.filter(({ where }) => where.includes(mode));
  const kept = new Map<ActionId, string[]>();
  for (const { action } of inMode) {
    const keys = assigned[action];
    if (keys) kept.set(action, take(keys.flatMap((key) => normalizeKey(key) ?? [])));
  }
  return inMode.map((each) => {
    const keys = kept.get(each.action) ?? take(each.keys);
    return { ...each, keys: each.action === "cancel" ? [...keys, QUIT_KEY] : keys };
  });
}

/** Whether a key types a character in this mode: then it runs no action unless the query is empty. */
export const typesCharacter = (mode: Mode, key: string): boolean => mode === "list" && isTextKey(key);
