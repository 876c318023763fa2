/** The help while it is open: its scroll position. */
import { isKeyRelease, matchesKey } from "@earendil-works/pi-tui";
import type { PickerContext } from "./context.ts";
import { drawHelp } from "./frames/help.ts";
import { countBodyRows } from "./frames/layout.ts";
import type { ActionId } from "./keys/actions.ts";
import { moveSelection } from "./scroll-position.ts";

const CLOSING = ["escape", "enter", "q", "?"] as const;

export class HelpView {
  readonly #picker: PickerContext;

  constructor(picker: PickerContext) {
    this.#picker = picker;
  }

  /** Scrolls with the keys of the current view and of the reader. Esc, Enter, `q` and the keys of the help close it. */
  press(data: string, action: ActionId | undefined): void {
    const { keys, state } = this.#picker;
    const { top, count, rows } = this.#measure();
    const move = (id: ActionId | undefined) =>
      moveSelection(id ?? "", top, Math.max(1, count - rows + 1), rows);
    const to = move(action) ?? move(keys.getAction(data, "preview"));
    if (to !== undefined) state.help = { top: to };
    else if (action === "help" || (!isKeyRelease(data) && CLOSING.some((key) => matchesKey(data, key))))
      state.help = undefined;
  }

  scroll(by: number): void {
    const { top, count, rows } = this.#measure();
    this.#picker.state.help = { top: Math.max(0, Math.min(top + by, count - rows)) };
  }

  /** The lines of the help. */
  draw(): string[] {
    const { keys, theme, settingsPath, state, screen } = this.#picker;
    return drawHelp(keys, state.mode, { ...screen.size, theme }, settingsPath);
  }

  /** The first visible line, the number of lines, and how many fit. */
  #measure(): { top: number; count: number; rows: number } {
    const { state, screen } = this.#picker;
    return { top: state.help?.top ?? 0, count: this.draw().length, rows: countBodyRows(screen.size) };
  }
}
