/** Runs actions in the full-screen preview. */
import type { PickerContext } from "./context.ts";
import { countBodyRows } from "./frames/layout.ts";
import type { ActionId } from "./keys/actions.ts";
import type { Preview } from "./preview.ts";
import { textPrompt } from "./prompt.ts";
import type { Handlers, SessionDispatch } from "./session-dispatch.ts";

export class ReaderView {
  readonly #picker: PickerContext;
  readonly #preview: Preview;
  readonly #dispatch: SessionDispatch;
  /** The text last searched for in a session. */
  #found = "";

  constructor(picker: PickerContext, preview: Preview, dispatch: SessionDispatch) {
    this.#picker = picker;
    this.#preview = preview;
    this.#dispatch = dispatch;
  }

  run(action: ActionId): void {
    const preview = this.#preview;
    const page = Math.max(1, countBodyRows(this.#picker.screen.size) - 1);
    const handlers: Handlers = {
      up: () => preview.scroll(-1),
      down: () => preview.scroll(1),
      pageUp: () => preview.scroll(-page),
      pageDown: () => preview.scroll(page),
      first: () => preview.first(),
      last: () => preview.last(),
      find: () => this.#askForText(),
      nextPrompt: () => preview.goToPrompt(1),
      previousPrompt: () => preview.goToPrompt(-1),
      unfold: () => preview.toggleExpanded(),
      unfoldEntry: () => preview.toggleEntry(),
      branch: () => preview.toggleBranches(),
    };
    if (handlers[action]) handlers[action]();
    else if (preview.session) this.#dispatch.run(action, preview.session);
  }

  /** Prompts for a text to search the session for. */
  #askForText(): void {
    const search = (text: string) => {
      this.#found = text || this.#found; // as in less, Enter alone repeats the last search
      if (this.#found !== "") void this.#find(this.#found);
    };
    this.#picker.openPrompt(textPrompt("Search", "", search));
  }

  async #find(text: string): Promise<void> {
    const { showErrors, showErrorText, screen } = this.#picker;
    const isFound = await showErrors(this.#preview.find(text));
    if (isFound === false) showErrorText(`no match for "${text}" in this session`);
    screen.redraw();
  }
}
