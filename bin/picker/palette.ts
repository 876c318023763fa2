/** The command palette: lists actions with their keys, filtered by what the user types. */
import { fuzzyFilter } from "@earendil-works/pi-tui";
import type { PickerContext } from "./context.ts";
import type { ActionId, Mode } from "./keys/actions.ts";
import { formatKey } from "./keys/key-names.ts";
import type { PaletteItem } from "./model/palette-item.ts";
import type { PaletteState, State } from "./model/state.ts";
import { TextLine } from "./screen.ts";
import { moveSelection } from "./scroll-position.ts";

/** Actions that make sense only as keys. */
const KEYS_ONLY: readonly ActionId[] = [
  ...(["up", "down", "pageUp", "pageDown", "first", "last", "previewUp", "previewDown"] as const),
  ...(["palette", "back", "open", "choose"] as const),
];

export class Palette {
  readonly #picker: PickerContext;
  readonly #state: State;
  #input = new TextLine(PROMPT);
  /** All items, of which the state has those that match. */
  #items: readonly PaletteItem[] = [];

  constructor(picker: PickerContext) {
    this.#picker = picker;
    this.#state = picker.state;
  }

  /** Whether nothing is typed. */
  get isEmpty(): boolean {
    return this.#input.text === "";
  }

  /**
   * Lists the actions of a mode.
   *
   * @param more further items, after the actions
   */
  open(mode: Mode, more: readonly PaletteItem[] = []): void {
    const actions = this.#picker.keys.getActions(mode).filter(({ action }) => !KEYS_ONLY.includes(action));
    const items = actions.map(({ action, keys, does }): PaletteItem => {
      return { label: does, keys: keys.map(formatKey).join(", "), command: { action } };
    });
    this.#items = [...items, ...more];
    this.#input = new TextLine(PROMPT);
    this.#state.palette = { items: this.#items, selected: 0 };
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

  /** @returns whether the action moves the selection */
  move(palette: PaletteState, action: ActionId, height: number): boolean {
    const to = moveSelection(action, palette.selected, palette.items.length, height);
    if (to !== undefined) palette.selected = Math.max(0, to);
    return to !== undefined;
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
