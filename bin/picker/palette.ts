/** The command palette: lists actions with their keys, or other items, filtered by what the user types. */
import { formatCount } from "../format/safe.ts";
import type { PickerContext } from "./context.ts";
import { countBodyRows } from "./frames/layout.ts";
import type { ActionId, Mode } from "./keys/actions.ts";
import { formatKey } from "./keys/key-names.ts";
import { ListFilter } from "./list-filter.ts";
import type { PaletteCommand, PaletteItem } from "./model/palette-item.ts";
import { getSelectedRow, type PaletteState, type State } from "./model/state.ts";
import { moveSelection } from "./scroll-position.ts";
import { ON_SEVERAL } from "./session-dispatch.ts";

/** Actions that make sense only as keys. */
const KEYS_ONLY: readonly ActionId[] = [
  ...(["up", "down", "pageUp", "pageDown", "first", "last", "previewUp", "previewDown"] as const),
  ...(["palette", "back", "open", "choose"] as const),
];

/** Words of other programs for actions. */
const SYNONYMS: Partial<Record<ActionId, string>> = {
  resume: "open continue",
  preview: "view show",
  tree: "branches",
  browser: "web page",
  mark: "select",
  scope: "project directory",
  sort: "order",
  subagents: "agents",
  rename: "title",
  pin: "star favorite",
  archive: "hide",
  compress: "prune shrink zstd space",
  delete: "remove",
  undo: "revert",
  trash: "deleted undelete",
  fork: "duplicate clone",
  move: "directory cwd",
  copy: "yank clipboard",
  theme: "colors",
  cancel: "exit",
};

interface Parts {
  /** Items to list after the actions. */
  getItems: () => readonly PaletteItem[];
  /** Runs the command of the selected item. */
  run: (command: PaletteCommand) => void;
  /** Removes a saved search. @param onRemoved called when it is removed, which the user may cancel */
  removeSearch: (name: string, onRemoved: () => void) => void;
}

export class Palette {
  readonly #picker: PickerContext;
  readonly #parts: Parts;
  #filter = new ListFilter(toText, () => {});
  /** Actions typed before the items are loaded. */
  #earlyActions: ActionId[] = [];
  /** The view whose actions are listed; undefined for other items. */
  #mode: Mode | undefined;

  constructor(picker: PickerContext, parts: Parts) {
    this.#picker = picker;
    this.#parts = parts;
  }

  get filter(): ListFilter<PaletteItem> {
    return this.#filter;
  }

  /** Lists the actions of the current view. */
  open(): void {
    const { keys, state } = this.#picker;
    const actions = keys
      .getGroups(state.mode)
      .flatMap(({ actions }) => actions)
      .filter(({ action }) => !KEYS_ONLY.includes(action));
    const marked = state.mode === "list" ? state.marked.size : 0;
    const items = actions.map(({ action, keys, does, group }): PaletteItem => {
      const shownKeys = keys.map(formatKey).join(", ");
      const label =
        marked > 0 && ON_SEVERAL.has(action) ? applyToMarked(does, marked) : describeNow(state, action, does);
      return { label, keys: shownKeys, command: { action }, group, synonyms: SYNONYMS[action] };
    });
    state.help = undefined;
    const { mode } = state;
    this.#show("commands", "commands").setItems([...items, ...this.#parts.getItems()]);
    this.#mode = mode;
  }

  /** Runs the action of a key that is listed beside it, as in the view itself. @returns whether there is one */
  runKey(data: string): boolean {
    const { keys, views } = this.#picker;
    if (this.#mode === undefined || TYPES_TEXT.test(data)) return false;
    const action = keys.getAction(data, this.#mode);
    if (action === undefined || KEYS_ONLY.includes(action)) return false;
    views.back();
    this.#parts.run({ action });
    return true;
  }

  /**
   * Lists other items. Shown at once, so that keys typed while they load go to the filter.
   *
   * @param plural what the items are: `sessions in the trash`
   */
  async openItems(title: string, plural: string, loading: Promise<readonly PaletteItem[]>): Promise<void> {
    const { state, views, showErrors, showMessage, screen } = this.#picker;
    const filter = this.#show(title, plural);
    const items = await showErrors(loading);
    if (this.#filter !== filter) return; // opened again
    if (!items?.length && state.mode === "palette") {
      views.back();
      if (items) showMessage(`no ${plural}`);
    }
    filter.setItems(items ?? []);
    for (const action of this.#earlyActions.splice(0)) {
      if (state.mode === "palette" && state.palette) this.run(state.palette, action);
    }
    screen.redraw();
  }

  #show(title: string, plural: string): ListFilter<PaletteItem> {
    const { state, views } = this.#picker;
    this.#filter = new ListFilter(toText, (items) => {
      state.palette = { title, plural, items, isGrouped: this.#filter.isEmpty, selected: 0 };
    });
    this.#earlyActions = [];
    this.#mode = undefined;
    state.palette = { title, plural, selected: 0 };
    views.open("palette");
    return this.#filter;
  }

  /** Moves the selection, or closes the palette and runs the selected command. */
  run(palette: PaletteState, action: ActionId): void {
    const { screen, views } = this.#picker;
    const { items, selected } = palette;
    if (items === undefined) {
      this.#earlyActions.push(action);
      return;
    }
    const to = moveSelection(action, selected, items.length, countBodyRows(screen.size));
    const item = items[selected];
    const command = item?.command;
    if (to !== undefined) palette.selected = Math.max(0, to);
    else if (action === "run" && command) {
      views.back();
      this.#parts.run(command);
    } else if (action === "removeSearch" && command && "query" in command) {
      const filter = this.#filter;
      this.#parts.removeSearch(command.name, () => filter.remove(item));
    }
  }
}

/** Characters, which filter the list. */
const TYPES_TEXT = /^[^\p{Cc}]/u;

/** What an action does next, where that depends on what is shown: `unpin the session`. */
function describeNow(state: State, action: ActionId, does: string): string {
  const session = getSelectedRow(state)?.session;
  const { view, showsPaths } = state;
  switch (action) {
    case "pin":
      return session ? `${session.pinned ? "unpin" : "pin"} the session` : does;
    case "archive":
      return session ? `${session.archived ? "unarchive" : "archive"} the session` : does;
    case "compress":
      return session ? `${session.compressed ? "decompress" : "compress"} the session's file` : does;
    case "named":
      return view.named ? "show unnamed sessions too" : does;
    case "archived":
    case "subagents":
      return view[action] ? does.replace("include", "exclude") : does;
    case "path":
      return showsPaths ? "hide paths" : does;
    default:
      return does;
  }
}

/** What an action does to the marked sessions: `archive or unarchive 3 marked sessions`. */
function applyToMarked(does: string, count: number): string {
  const marked = formatCount(count, "marked session");
  return does.replace(/the session's (\w+)|the session/, (_, part) =>
    part ? `the ${part} of ${marked}` : marked,
  );
}

const toText = ({ label, command, keys, synonyms = "" }: PaletteItem): string =>
  `${"action" in command ? command.action : ""} ${label} ${keys} ${synonyms}`;
