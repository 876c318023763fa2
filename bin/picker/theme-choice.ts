import { needsBackground, THEMES, type ThemeName } from "../format/themes.ts";
import type { PickerContext } from "./context.ts";
import type { PaletteItem } from "./model/palette-item.ts";

/** Changes the theme, until the picker closes. */
export class ThemeChoice {
  /** For the palette. */
  readonly items: readonly PaletteItem[] = THEMES.map((theme) => {
    return { label: `theme: ${theme}`, keys: "", command: { theme } };
  });
  readonly #picker: PickerContext;

  constructor(picker: PickerContext) {
    this.#picker = picker;
  }

  set(theme: ThemeName): void {
    const { state, screen, showMessage } = this.#picker;
    state.look = { ...state.look, theme };
    if (needsBackground(state.look)) screen.askBackground();
    showMessage(`theme: ${theme} (to keep it: pidex config set picker.theme ${theme})`);
  }

  next(): void {
    this.set(THEMES[(THEMES.indexOf(this.#picker.state.look.theme) + 1) % THEMES.length] ?? "auto");
  }
}
