/** What keys do: the one table, which the picker, its help, config.toml and docs/picker.md follow. */
import { isTextKey, normalKey, sentAs } from "./key-names.ts";

/** Where in the picker somebody is. */
export type Mode = "list" | "preview" | "tree" | "facets";

export const MODES: readonly Mode[] = ["list", "preview", "tree", "facets"];

interface Row {
  action: string;
  where: readonly Mode[];
  /** The keys it has unless a user says otherwise, as pi-tui writes them. */
  keys: readonly string[];
  does: string;
}

const LIST = ["list"] as const;
const READING = ["preview", "tree"] as const;

const TABLE = [
  {
    action: "resume",
    where: ["list", "preview"],
    keys: ["enter"],
    does: "resume the session, in its folder",
  },
  { action: "scope", where: LIST, keys: ["tab"], does: "this folder, or all" },
  { action: "sort", where: LIST, keys: ["ctrl+s"], does: "threaded, newest, best" },
  { action: "named", where: LIST, keys: ["ctrl+n"], does: "named sessions only" },
  { action: "path", where: LIST, keys: ["ctrl+p"], does: "show paths" },
  { action: "rename", where: LIST, keys: ["ctrl+r"], does: "rename the session" },
  { action: "delete", where: LIST, keys: ["ctrl+d"], does: "move to trash (asks first)" },
  { action: "undo", where: LIST, keys: ["alt+z"], does: "undo the last deletion" },
  { action: "copy", where: ["list", "preview"], keys: ["ctrl+y"], does: "copy the resume command" },
  { action: "page", where: ["list", "preview"], keys: ["ctrl+o"], does: "show the session in the browser" },
  { action: "tree", where: ["list", "preview"], keys: ["ctrl+t"], does: "the tree of the session" },
  {
    action: "label",
    where: ["list", "preview"],
    keys: ["ctrl+l"],
    does: "label the entry of the hit, or the last",
  },
  { action: "preview", where: LIST, keys: ["ctrl+v"], does: "read the session" },
  { action: "facets", where: LIST, keys: ["ctrl+g"], does: "narrow by project, model, role, tool, month" },
  { action: "scan", where: LIST, keys: ["alt+r"], does: "search the files themselves, as a pattern" },
  { action: "complete", where: LIST, keys: ["shift+tab"], does: "complete a field or its value" },
  { action: "archived", where: LIST, keys: ["alt+a"], does: "archived sessions too" },
  { action: "subagents", where: LIST, keys: ["alt+s"], does: "sessions of subagents too" },
  { action: "pin", where: LIST, keys: ["alt+p"], does: "pin, or unpin" },
  { action: "help", where: MODES, keys: ["?", "f1"], does: "these keys (? in an empty query)" },
  { action: "cancel", where: LIST, keys: ["escape", "ctrl+c"], does: "leave" },
  { action: "cancel", where: ["preview", "tree", "facets"], keys: ["ctrl+c"], does: "leave" },
  { action: "up", where: ["list", "facets"], keys: ["up"], does: "up" },
  { action: "down", where: ["list", "facets"], keys: ["down"], does: "down" },
  { action: "pageUp", where: ["list", "facets"], keys: ["pageUp"], does: "a page up" },
  { action: "pageDown", where: ["list", "facets"], keys: ["pageDown"], does: "a page down" },
  { action: "first", where: ["list", "facets"], keys: ["ctrl+home"], does: "the first" },
  { action: "last", where: ["list", "facets"], keys: ["ctrl+end"], does: "the last" },
  { action: "previewUp", where: LIST, keys: ["shift+up", "alt+up"], does: "scroll what is shown beside" },
  { action: "previewDown", where: LIST, keys: ["shift+down", "alt+down"], does: "scroll it down" },
  { action: "nextHit", where: LIST, keys: ["alt+n"], does: "the session's next hit" },
  { action: "previousHit", where: LIST, keys: ["alt+shift+n"], does: "its hit before" },
  { action: "up", where: READING, keys: ["up", "k"], does: "up" },
  { action: "down", where: READING, keys: ["down", "j"], does: "down" },
  { action: "pageUp", where: READING, keys: ["pageUp", "ctrl+b", "b"], does: "a page up" },
  { action: "pageDown", where: READING, keys: ["pageDown", "ctrl+f", "space"], does: "a page down" },
  { action: "first", where: READING, keys: ["home", "g"], does: "the beginning" },
  { action: "last", where: READING, keys: ["end", "shift+g"], does: "the end" },
  { action: "nextHit", where: ["preview"], keys: ["n"], does: "the next hit" },
  { action: "previousHit", where: ["preview"], keys: ["shift+n"], does: "the hit before" },
  {
    action: "unfold",
    where: ["preview"],
    keys: ["e"],
    does: "fold and unfold calls, output and thinking",
  },
  { action: "branch", where: ["preview"], keys: ["a"], does: "all entries, or the current branch" },
  { action: "open", where: ["tree"], keys: ["enter"], does: "read there" },
  { action: "label", where: ["tree"], keys: ["ctrl+l", "shift+l"], does: "label the entry" },
  { action: "all", where: ["tree"], keys: ["a"], does: "every entry, or those of interest" },
  { action: "choose", where: ["facets"], keys: ["enter"], does: "narrow by it" },
  { action: "back", where: ["preview"], keys: ["escape", "q", "ctrl+v"], does: "back" },
  { action: "back", where: ["tree"], keys: ["escape", "q", "ctrl+t"], does: "back" },
  { action: "back", where: ["facets"], keys: ["escape", "ctrl+g"], does: "back" },
] as const satisfies readonly Row[];

export type ActionId = (typeof TABLE)[number]["action"];

/** One thing that keys do, and where they do it: no mode has two of one name. */
export interface Action extends Row {
  action: ActionId;
}

export const ACTIONS: readonly Action[] = TABLE;

/** What the line that is typed into has of its own: pi-tui's keys, where none of the above is on them. */
export const LINE_KEYS = "Ctrl+A, Ctrl+E, Ctrl+W, Ctrl+U, Ctrl+K, Alt+B, Alt+F, Alt+D, Ctrl+-";

/** Which keys a user gave to what, by where: none is no key at all. */
export type OwnKeys = Partial<Record<Mode, Partial<Record<ActionId, readonly string[]>>>>;

/** Whatever else is given away, there is a way out. */
export const WAY_OUT = "ctrl+c";

/**
 * The actions of a mode with the keys that they have. A key that a user gave to one is no other's any more; the first one
 * has it if it was given twice. Ctrl+C always leaves.
 */
export function bindings(mode: Mode, own: OwnKeys = {}): Action[] {
  const given = own[mode] ?? {};
  const taken = new Set([sentAs(WAY_OUT)]);
  const take = (keys: readonly string[]) =>
    keys.filter((key) => !taken.has(sentAs(key)) && taken.add(sentAs(key)));
  const inMode = ACTIONS.filter(({ where }) => where.includes(mode));
  const kept = new Map<ActionId, string[]>();
  for (const { action } of inMode) {
    const keys = given[action];
    if (keys) kept.set(action, take(keys.flatMap((key) => normalKey(key) ?? [])));
  }
  return inMode.map((each) => {
    const keys = kept.get(each.action) ?? take(each.keys);
    return { ...each, keys: each.action === "cancel" ? [...keys, WAY_OUT] : keys };
  });
}

/** Whether a key writes something: it does nothing else then where a query stands. */
export const isTyped = (mode: Mode, key: string): boolean => mode === "list" && isTextKey(key);
