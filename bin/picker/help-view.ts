/** The help while it is open: its scroll position. */
import type { PickerContext } from "./context.ts";
import { drawHelp } from "./frames/help.ts";
import { countBodyRows } from "./frames/layout.ts";
import type { ActionId } from "./keys/actions.ts";
import { moveSelection } from "./scroll-position.ts";

export class HelpView {
  readonly #picker: PickerContext;

  constructor(picker: PickerContext) {
    this.#picker = picker;
  }

  /** Scrolls; any other action closes the help. */
  press(action: ActionId | undefined): void {
    const { top, count, rows } = this.#measure();
    const to = moveSelection(action ?? "", top, Math.max(1, count - rows + 1), rows);
    this.#picker.state.help = to === undefined ? undefined : { top: to };
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
