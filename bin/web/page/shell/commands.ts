/** Every command of the page with its keys: the palette, the help, the menus and the key handler read this one list. */
import { useLayoutEffect, useRef } from "preact/hooks";

/** Where a command exists: in the list of sessions, in a session, in the trash, or in every view. */
export type CommandView = "sessions" | "session" | "trash" | "everywhere";

interface Row {
  id: string;
  views: readonly CommandView[];
  /** As `KeyboardEvent.key`; `Ctrl+` is ⌘ on a Mac. */
  keys: readonly string[];
  /** Its line in the help, and its name in the palette unless the view has a better one for the moment. */
  name: string;
  /** Whether it only makes sense as a key: the palette leaves it out. */
  isKeyOnly?: true;
  /** Whether the browser or a field handles its keys. */
  isNative?: true;
  /** The line of the help for it and its opposite, which is the next row. */
  both?: string;
}

const LIST = ["sessions", "trash"] as const;
/** Where sessions can be changed: those selected, or the current one. */
const SESSION = ["sessions", "session"] as const;
/** Keys of the search field. */
const IN_FIELD = { isKeyOnly: true, isNative: true } as const;

const TABLE = [
  {
    id: "next",
    views: LIST,
    keys: ["j", "ArrowDown"],
    name: "Next session",
    isKeyOnly: true,
    both: "Next or previous session",
  },
  { id: "previous", views: LIST, keys: ["k", "ArrowUp"], name: "Previous session", isKeyOnly: true },
  {
    id: "select",
    views: LIST,
    keys: ["x"],
    name: "Select the session",
    isKeyOnly: true,
    both: "Select the session, or those up to it",
  },
  { id: "selectRange", views: LIST, keys: ["X"], name: "Select the sessions up to it", isKeyOnly: true },
  { id: "selectAll", views: ["sessions"], keys: ["Ctrl+A"], name: "Select all sessions that are loaded" },
  {
    id: "clearSelection",
    views: ["sessions"],
    keys: ["Escape"],
    name: "Clear the selection, or close the message",
    isKeyOnly: true,
  },
  { id: "open", views: ["sessions"], keys: ["Enter"], name: "Open the session", isNative: true },
  {
    id: "next",
    views: ["session"],
    keys: ["j"],
    name: "Next entry",
    isKeyOnly: true,
    both: "Next or previous entry",
  },
  { id: "previous", views: ["session"], keys: ["k"], name: "Previous entry", isKeyOnly: true },
  { id: "nextPrompt", views: ["session"], keys: ["]"], name: "Next prompt", both: "Next or previous prompt" },
  { id: "previousPrompt", views: ["session"], keys: ["["], name: "Previous prompt" },
  { id: "first", views: ["session"], keys: ["g"], name: "First entry", both: "First or last entry" },
  { id: "last", views: ["session"], keys: ["G"], name: "Last entry" },
  { id: "find", views: ["session"], keys: ["/", "Ctrl+F"], name: "Find in this session" },
  { id: "nextMatch", views: ["session"], keys: ["n"], name: "Next match", both: "Next or previous match" },
  { id: "previousMatch", views: ["session"], keys: ["N"], name: "Previous match" },
  {
    id: "fold",
    views: ["session"],
    keys: ["o"],
    name: "Expand or collapse the entry",
    both: "Expand or collapse the entry, or all",
  },
  { id: "foldAll", views: ["session"], keys: ["e"], name: "Expand or collapse all entries" },
  { id: "openTree", views: ["session"], keys: ["T"], name: "Show the tree, in a narrow window" },
  {
    id: "closeTree",
    views: ["session"],
    keys: ["Escape"],
    name: "Close the tree, or the message",
    isKeyOnly: true,
  },
  { id: "back", views: ["session"], keys: ["u"], name: "Return to the list, where you left it" },
  {
    id: "nextSession",
    views: ["session"],
    keys: ["J"],
    name: "Next session of the list",
    both: "Next or previous session of the list",
  },
  { id: "previousSession", views: ["session"], keys: ["K"], name: "Previous session of the list" },
  { id: "pin", views: SESSION, keys: ["p"], name: "Pin or unpin" },
  { id: "archive", views: SESSION, keys: ["a"], name: "Archive or unarchive" },
  { id: "compress", views: SESSION, keys: ["C"], name: "Compress or decompress" },
  { id: "tag", views: SESSION, keys: ["t"], name: "Tags…" },
  { id: "rename", views: SESSION, keys: ["r"], name: "Rename…" },
  { id: "trash", views: SESSION, keys: ["d"], name: "Move to trash…" },
  { id: "export", views: SESSION, keys: ["E"], name: "Export…" },
  { id: "commits", views: ["session"], keys: ["c"], name: "Git commits…" },
  { id: "undo", views: SESSION, keys: ["z", "Ctrl+Z"], name: "Undo the last change" },
  {
    id: "undo",
    views: ["trash"],
    keys: ["z", "Ctrl+Z"],
    name: "Restore what was moved here last, or undo that",
  },
  { id: "copyResume", views: SESSION, keys: ["y"], name: "Copy the resume command" },
  {
    id: "copyId",
    views: SESSION,
    keys: ["i"],
    name: "Copy the session id",
    both: "Copy the session id, or the path",
  },
  { id: "copyPath", views: SESSION, keys: ["Y"], name: "Copy the session path" },
  { id: "copyHandoff", views: ["session"], keys: ["h"], name: "Copy handoff brief" },
  { id: "print", views: ["session"], keys: ["Ctrl+P"], name: "Print…" },
  { id: "complete", views: ["sessions"], keys: ["Tab"], name: "Accept a suggestion", ...IN_FIELD },
  {
    id: "clear",
    views: ["sessions"],
    keys: ["Escape"],
    name: "Close the suggestions, clear the search (Ctrl+Z brings it back), or leave it",
    ...IN_FIELD,
  },
  {
    id: "scan",
    views: ["sessions"],
    keys: ["Shift+Enter"],
    name: "Search the files themselves for this text",
    ...IN_FIELD,
  },
  { id: "palette", views: ["everywhere"], keys: ["Ctrl+K"], name: "List all commands", isKeyOnly: true },
  { id: "search", views: ["everywhere"], keys: ["/"], name: "Search sessions" },
  { id: "goSessions", views: ["everywhere"], keys: ["1"], name: "Go to Sessions" },
  { id: "goUsage", views: ["everywhere"], keys: ["2"], name: "Go to Usage" },
  { id: "goInsights", views: ["everywhere"], keys: ["5"], name: "Go to Insights" },
  { id: "goHealth", views: ["everywhere"], keys: ["3"], name: "Go to Health" },
  { id: "goTrash", views: ["everywhere"], keys: ["4"], name: "Go to Trash" },
  { id: "themeLight", views: ["everywhere"], keys: [], name: "Theme: light" },
  { id: "themeDark", views: ["everywhere"], keys: [], name: "Theme: dark" },
  { id: "themeSystem", views: ["everywhere"], keys: [], name: "Theme: as the system" },
  { id: "help", views: ["everywhere"], keys: ["?"], name: "Show keys and queries" },
] as const satisfies readonly Row[];

export type CommandId = (typeof TABLE)[number]["id"];
/** A row of the list. */
export interface Command extends Row {
  id: CommandId;
}
export const COMMANDS: readonly Command[] = TABLE;

/** What a command does at the moment. */
export interface Action {
  /** Returns false to leave the key to the browser. */
  run: () => unknown;
  /** Its name at the moment: "Unpin". */
  name?: string;
  /** What it is about, if not all of the view: the title of a session. */
  subject?: string;
}
/** The actions of a view by command; a function if there is nothing more to say. */
export type Actions = Partial<Record<CommandId, Action | (() => unknown) | undefined>>;

interface Registered {
  view: CommandView;
  /** Called when a key is pressed or the palette opens: actions may depend on what has the focus. */
  list: () => Actions;
}
const registered = new Set<Registered>();

/** Offers the commands of a view while the component is mounted. */
export function useCommands(view: CommandView, list: () => Actions): void {
  const latest = useRef(list);
  latest.current = list;
  useLayoutEffect(() => {
    const entry = { view, list: () => latest.current() };
    registered.add(entry);
    return () => void registered.delete(entry);
  }, [view]);
}

/** A command that can run now. */
export interface AvailableCommand extends Action {
  command: Command;
  name: string;
  /** Those of its keys that no command of the view takes. */
  keys: readonly string[];
}

/** Actions that are about something, which the palette names. */
export function withSubject(subject: string, actions: Actions): Actions {
  return Object.fromEntries(
    Object.entries(actions).map(([id, action]) => [id, action && { ...toAction(action), subject }]),
  );
}

export function toAction(action: Action | (() => unknown)): Action {
  return typeof action === "function" ? { run: action } : action;
}

/** The commands that can run now, those of the view before those of every view. */
export function listCommands(): AvailableCommand[] {
  const taken = new Set<string>();
  const entries = [...registered].sort(
    (a, b) => Number(a.view === "everywhere") - Number(b.view === "everywhere"),
  );
  const found = entries.flatMap(({ view, list }) => {
    const actions = list();
    return COMMANDS.flatMap((command): AvailableCommand[] => {
      const action = command.views.includes(view) ? actions[command.id] : undefined;
      if (!action) return [];
      const { name = command.name, ...rest } = toAction(action);
      const keys = command.keys.filter((key) => !taken.has(key));
      if (!command.isNative) for (const key of keys) taken.add(key);
      return [{ ...rest, command, name, keys }];
    });
  });
  const place = ({ command }: AvailableCommand) => COMMANDS.indexOf(command);
  return found.sort((a, b) => place(a) - place(b));
}

/** Keys that edit a text while it is typed. */
const EDITING_KEYS: ReadonlySet<string> = new Set(["Ctrl+Z", "Ctrl+A"]);

/**
 * Runs the command of a pressed key, unless a dialog is open. While a text is typed, only those with Ctrl run.
 */
export function runKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.altKey || event.isComposing) return;
  const hasControl = event.ctrlKey || event.metaKey;
  if (hasControl && event.shiftKey) return;
  const key = hasControl ? `Ctrl+${event.key.toUpperCase()}` : event.key;
  const target = event.target as Element;
  if (document.querySelector("dialog[open]")) return;
  const isTyping = target.closest("input:not([type=checkbox]), textarea, select, [contenteditable]") !== null;
  if (isTyping && (!hasControl || EDITING_KEYS.has(key))) return;
  const command = listCommands().find(({ command, keys }) => !command.isNative && keys.includes(key));
  if (command && command.run() !== false) event.preventDefault();
}

const SYMBOLS = new Map([
  ["ArrowDown", "↓"],
  ["ArrowUp", "↑"],
  ["Escape", "Esc"],
]);

/** A key as keyboards name it: "Ctrl+K", on a Mac "⌘K". */
export function formatKey(key: string): string {
  const isMac = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? "");
  return SYMBOLS.get(key) ?? (isMac ? key.replace("Ctrl+", "⌘") : key);
}

export function getCommand(view: CommandView, id: CommandId): Command {
  return COMMANDS.find((each) => each.id === id && each.views.includes(view)) as Command;
}

/** The first key of a command of a view, for menus and tooltips. */
export function getKey(view: CommandView, id: CommandId): string {
  const [key] = getCommand(view, id).keys;
  return key === undefined ? "" : formatKey(key);
}
