/** The table of actions and their keys, used by the picker, its help, config.toml and docs/picker.md. */
import { isTextKey, normalizeKey, toSentKey } from "./key-names.ts";

/** The views of the picker, each with its own keys. */
export type Mode = "list" | "preview" | "tree" | "facets" | "palette";

export const MODES: readonly Mode[] = ["list", "preview", "tree", "facets", "palette"];

interface Row {
  action: string;
  where: readonly Mode[];
  /** Default keys, in pi-tui's notation. */
  keys: readonly string[];
  does: string;
  /** The heading above it and the rows that follow, in the help and the palette. */
  group?: string;
}

const LIST = ["list"] as const;
const PREVIEW = ["preview"] as const;
const TREE = ["tree"] as const;
const FACETS = ["facets"] as const;
/** Where a session is selected. */
const SESSION = ["list", "preview"] as const;
const PALETTE = ["palette"] as const;
const CHOOSING = ["list", "facets", "palette"] as const;
const READING = ["preview", "tree"] as const;

const TABLE = [
  {
    group: "Session",
    action: "resume",
    where: SESSION,
    keys: ["enter"],
    does: "resume the session in its folder",
  },
  { action: "preview", where: LIST, keys: ["ctrl+v"], does: "read the session" },
  { action: "tree", where: SESSION, keys: ["ctrl+t"], does: "show the session's tree" },
  { action: "browser", where: SESSION, keys: ["ctrl+o"], does: "show the session in the browser" },
  {
    action: "mark",
    where: LIST,
    keys: ["tab"],
    does: "mark or unmark the session, or take the completion shown",
  },
  {
    group: "List",
    action: "scope",
    where: LIST,
    keys: ["ctrl+f"],
    does: "switch between this folder and all folders",
  },
  {
    action: "sort",
    where: LIST,
    keys: ["ctrl+s"],
    does: "change the order: by thread, newest, cost, messages; of hits: relevance, newest",
  },
  { action: "facets", where: LIST, keys: ["ctrl+g"], does: "filter by project, model, role, tool, month" },
  {
    action: "complete",
    where: LIST,
    keys: ["shift+tab"],
    does: "complete a field or its value, or list the fields",
  },
  {
    action: "olderQuery",
    where: LIST,
    keys: ["ctrl+up"],
    does: "recall the query before (also Up, see Queries)",
  },
  { action: "newerQuery", where: LIST, keys: ["ctrl+down"], does: "recall the query after" },
  {
    action: "saveSearch",
    where: LIST,
    keys: ["alt+q"],
    does: "save the query by name, for the list of commands",
  },
  { action: "scan", where: LIST, keys: ["alt+r"], does: "search the files themselves, or the index again" },
  { action: "named", where: LIST, keys: ["alt+g"], does: "show only named sessions" },
  { action: "archived", where: LIST, keys: ["alt+a"], does: "include archived sessions" },
  { action: "subagents", where: LIST, keys: ["alt+s"], does: "include subagent sessions" },
  { action: "path", where: LIST, keys: ["alt+u"], does: "show paths" },
  { action: "togglePreview", where: LIST, keys: ["alt+h"], does: "hide or show the preview" },
  { group: "Changes", action: "rename", where: SESSION, keys: ["ctrl+r"], does: "rename the session" },
  { action: "tag", where: SESSION, keys: ["alt+t"], does: "change the session's tags" },
  {
    action: "label",
    where: SESSION,
    keys: ["ctrl+l"],
    does: "label the entry of the hit, or the last message",
  },
  { action: "pin", where: SESSION, keys: ["alt+p"], does: "pin or unpin the session" },
  { action: "archive", where: SESSION, keys: ["ctrl+x"], does: "archive or unarchive the session" },
  {
    action: "compress",
    where: SESSION,
    keys: ["alt+x"],
    does: "compress or decompress the session's file",
  },
  { action: "delete", where: SESSION, keys: ["ctrl+d"], does: "move the session to the trash" },
  {
    action: "undo",
    where: ["list", "preview", "tree"],
    keys: ["alt+z"],
    does: "undo the last change",
  },
  { action: "trash", where: LIST, keys: ["alt+shift+z"], does: "restore a session from the trash" },
  { action: "fork", where: SESSION, keys: ["alt+k"], does: "fork: start a session with the same entries" },
  {
    action: "move",
    where: SESSION,
    keys: ["alt+m"],
    does: "change the session's folder, for a moved project",
  },
  {
    group: "Export and copy",
    action: "edit",
    where: SESSION,
    keys: ["alt+v"],
    does: "open the session file in $EDITOR",
  },
  { action: "exportHtml", where: SESSION, keys: ["alt+e"], does: "export to an HTML file in this folder" },
  {
    action: "exportMarkdown",
    where: SESSION,
    keys: ["alt+w"],
    does: "export to a Markdown file in this folder",
  },
  { action: "copy", where: SESSION, keys: ["ctrl+y"], does: "copy the resume command" },
  { action: "copyId", where: SESSION, keys: ["alt+i"], does: "copy the session id" },
  { action: "copyPath", where: SESSION, keys: ["alt+y"], does: "copy the path of the session file" },
  { action: "copyAnswer", where: SESSION, keys: ["alt+l"], does: "copy the last answer of the model" },
  { action: "copyHandoff", where: SESSION, keys: ["alt+c"], does: "copy a handoff brief for another agent" },
  {
    group: "Picker",
    action: "theme",
    where: LIST,
    keys: ["f2"],
    does: "change the theme and save it: auto, light, dark, contrast, ascii",
  },
  {
    action: "palette",
    where: ["list", "preview", "tree", "facets"],
    keys: ["ctrl+k"],
    does: "list all commands, to search and run them",
  },
  { action: "help", where: MODES, keys: ["?", "f1"], does: "show this help (? only if nothing is typed)" },
  { action: "back", where: LIST, keys: ["escape"], does: "clear the marks, or else the query, or else quit" },
  { action: "cancel", where: MODES, keys: ["ctrl+c"], does: "quit" },
  { group: "Movement", action: "up", where: CHOOSING, keys: ["up", "ctrl+p"], does: "move up" },
  { action: "down", where: CHOOSING, keys: ["down", "ctrl+n", "ctrl+j"], does: "move down" },
  { action: "pageUp", where: CHOOSING, keys: ["pageUp"], does: "page up" },
  { action: "pageDown", where: CHOOSING, keys: ["pageDown"], does: "page down" },
  {
    action: "first",
    where: CHOOSING,
    keys: ["ctrl+home", "home"],
    does: "go to the first row (Home if nothing is typed)",
  },
  {
    action: "last",
    where: CHOOSING,
    keys: ["ctrl+end", "end"],
    does: "go to the last row (End if nothing is typed)",
  },
  { action: "previewUp", where: LIST, keys: ["shift+up", "alt+up"], does: "scroll the preview up" },
  { action: "previewDown", where: LIST, keys: ["shift+down", "alt+down"], does: "scroll the preview down" },
  { action: "nextHit", where: LIST, keys: ["alt+n"], does: "go to the next hit in the session" },
  {
    action: "previousHit",
    where: LIST,
    keys: ["alt+shift+n"],
    does: "go to the previous hit in the session",
  },
  { group: "Movement", action: "up", where: READING, keys: ["up", "k", "ctrl+p"], does: "move up" },
  { action: "down", where: READING, keys: ["down", "j", "ctrl+n", "ctrl+j"], does: "move down" },
  { action: "pageUp", where: READING, keys: ["pageUp", "ctrl+b", "b"], does: "page up" },
  { action: "pageDown", where: READING, keys: ["pageDown", "ctrl+f", "space"], does: "page down" },
  { action: "first", where: READING, keys: ["home", "g"], does: "go to the start" },
  { action: "last", where: READING, keys: ["end", "shift+g"], does: "go to the end" },
  { group: "Reading", action: "find", where: PREVIEW, keys: ["/"], does: "search in the session" },
  { action: "nextPrompt", where: PREVIEW, keys: ["]"], does: "go to the next prompt" },
  { action: "previousPrompt", where: PREVIEW, keys: ["["], does: "go to the previous prompt" },
  { action: "nextHit", where: PREVIEW, keys: ["n"], does: "go to the next hit" },
  { action: "previousHit", where: PREVIEW, keys: ["shift+n"], does: "go to the previous hit" },
  { action: "unfold", where: PREVIEW, keys: ["e"], does: "expand or collapse calls, output and thinking" },
  { action: "unfoldEntry", where: PREVIEW, keys: ["o"], does: "expand or collapse the entry at the top" },
  { action: "branch", where: PREVIEW, keys: ["a"], does: "switch between all branches and the current one" },
  {
    group: "Tree",
    action: "open",
    where: TREE,
    keys: ["enter"],
    does: "open the session at the entry, or fold and unfold tool calls",
  },
  { action: "label", where: TREE, keys: ["ctrl+l", "shift+l"], does: "label the entry" },
  {
    action: "foldRow",
    where: TREE,
    keys: ["left", "h"],
    does: "fold the tool calls, or what follows a prompt",
  },
  { action: "unfoldRow", where: TREE, keys: ["right", "l"], does: "unfold them" },
  {
    action: "all",
    where: TREE,
    keys: ["a"],
    does: "show every entry, or the conversation",
  },
  {
    group: "Selection",
    action: "choose",
    where: FACETS,
    keys: ["enter"],
    does: "add the filter to the query",
  },
  {
    group: "Movement",
    action: "back",
    where: PREVIEW,
    keys: ["escape", "q", "ctrl+v"],
    does: "end the search in the session, or else go back",
  },
  { action: "back", where: TREE, keys: ["escape", "q", "ctrl+t"], does: "go back" },
  { action: "back", where: FACETS, keys: ["escape", "ctrl+g"], does: "clear what is typed, or else go back" },
  { group: "Selection", action: "run", where: PALETTE, keys: ["enter"], does: "run the command" },
  { action: "removeSearch", where: PALETTE, keys: ["ctrl+d"], does: "remove the saved search" },
  {
    action: "back",
    where: PALETTE,
    keys: ["escape", "ctrl+k"],
    does: "clear what is typed, or else go back",
  },
] as const satisfies readonly Row[];

export type ActionId = (typeof TABLE)[number]["action"];

/** An action and the modes it exists in: names are unique within a mode. */
export interface Action extends Row {
  action: ActionId;
  group: string;
}

export const ACTIONS: readonly Action[] = withGroups(TABLE);

/** Adds to each row the group that begins with it or above it. */
function withGroups(table: readonly (Row & { action: ActionId })[]): Action[] {
  let group = "";
  return table.map((row) => {
    group = row.group ?? group;
    return { ...row, group };
  });
}

/** pi-tui's keys for editing the query, unless an action uses them. */
export const LINE_KEYS = "Ctrl+A, Ctrl+E, Ctrl+W, Ctrl+U, Alt+B, Alt+F, Alt+D, Ctrl+-";

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

/** Whether letters are typed in this mode: into the query, or into the filter of the facets or the palette. */
export const isTyping = (mode: Mode): boolean => CHOOSING.some((each) => each === mode);

/** Whether a key types a character in this mode, or moves within what is typed: then it runs no action unless nothing is typed. */
export const editsText = (mode: Mode, key: string): boolean =>
  isTyping(mode) && (isTextKey(key) || key === "home" || key === "end");
