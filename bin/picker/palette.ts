/** The command palette: lists actions with their keys, filtered by what the user types. */
import { fuzzyFilter } from "@earendil-works/pi-tui";
import type { PickerContext } from "./context.ts";
import { countBodyRows } from "./frames/layout.ts";
import type { ActionId } from "./keys/actions.ts";
import { formatKey } from "./keys/key-names.ts";
import type { PaletteCommand, PaletteItem } from "./model/palette-item.ts";
import type { PaletteState, State } from "./model/state.ts";
import { TextLine } from "./screen.ts";
import { moveSelection } from "./scroll-position.ts";

/** Actions that make sense only as keys. */
const KEYS_ONLY: readonly ActionId[] = [
  ...(["up", "down", "pageUp", "pageDown", "first", "last", "previewUp", "previewDown"] as const),
  ...(["palette", "back", "open", "choose"] as const),
];

interface Parts {
  /** Items to list after the actions. */
  getItems: () => readonly PaletteItem[];
  /** Runs the command of the selected item. */
  run: (command: PaletteCommand) => void;
}

export class Palette {
  readonly #picker: PickerContext;
  readonly #parts: Parts;
  readonly #state: State;
  #input = new TextLine(PROMPT);
  /** All items, of which the state has those that match. */
  #items: readonly PaletteItem[] = [];

  constructor(picker: PickerContext, parts: Parts) {
    this.#picker = picker;
    this.#parts = parts;
    this.#state = picker.state;
  }

  /** Whether nothing is typed. */
  get isEmpty(): boolean {
    return this.#input.text === "";
  }

  /** Lists the actions of the current view. */
  open(): void {
    const { keys, state, views } = this.#picker;
    const actions = keys.getActions(state.mode).filter(({ action }) => !KEYS_ONLY.includes(action));
    const items = actions.map(({ action, keys, does }): PaletteItem => {
      return { label: does, keys: keys.map(formatKey).join(", "), command: { action } };
    });
    this.#items = [...items, ...this.#parts.getItems()];
    this.#input = new TextLine(PROMPT);
    state.palette = { items: this.#items, selected: 0 };
    state.help = undefined;
    views.open("palette");
  }

  /** Moves the selection, or closes the palette and runs the selected command. */
  run(palette: PaletteState, action: ActionId): void {
    const { screen, views } = this.#picker;
    const to = moveSelection(action, palette.selected, palette.items.length, countBodyRows(screen.size));
    const command = palette.items[palette.selected]?.command;
    if (to !== undefined) palette.selected = Math.max(0, to);
    else if (action === "run" && command) {
      views.back();
      this.#parts.run(command);
    }
  }

  /** Handles a key that types. */
  press(data: string): void {
    const before = this.#input.text;
    this.#input.press(data);
    const { text } = this.#input;
    if (text === before) return;
    const items = text.trim() === "" ? this.#items : filterItems(this.#items, text);
    this.#state.palette = { items, selected: 0 };
  }

  draw(columns: number, hasCursor: boolean): string {
    return this.#input.draw(columns, hasCursor);
  }
}

const PROMPT = ": ";

/**
 * The items that contain all words: those with the same phrase first, then those with the words at the beginning of their own. If there
 * are none, those that match fuzzily.
 */
function filterItems(items: readonly PaletteItem[], text: string): PaletteItem[] {
  const words = text.toLowerCase().trim().split(/\s+/);
  const toText = ({ label, command, keys }: PaletteItem) =>
    `${"action" in command ? command.action : ""} ${label} ${keys}`;
  const containing = (parts: readonly string[]) =>
    items.filter((item) => parts.every((part) => ` ${toText(item).toLowerCase()}`.includes(part)));
  const found = new Set([
    ...containing([` ${words.join(" ")}`]),
    ...containing(words.map((word) => ` ${word}`)),
    ...containing(words),
  ]);
  return found.size > 0 ? [...found] : fuzzyFilter([...items], text, toText);
}
