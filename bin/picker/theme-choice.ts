import { changeConfig } from "../config/config-file.ts";
import { needsBackground, THEMES, type ThemeName } from "../format/themes.ts";
import type { PickerContext } from "./context.ts";
import type { PaletteItem } from "./model/palette-item.ts";

/** Changes the theme, also in the settings file, so that there is one theme for now and for later. */
export class ThemeChoice {
  /** For the palette. */
  readonly items: readonly PaletteItem[] = THEMES.map((theme) => {
    return { label: `theme: ${theme}`, keys: "", command: { theme }, group: "Themes", synonyms: "colors" };
  });
  readonly #picker: PickerContext;
  #saving: Promise<unknown> = Promise.resolve();

  constructor(picker: PickerContext) {
    this.#picker = picker;
  }

  set(theme: ThemeName): void {
    const { state, screen, settingsPath, showMessage, showErrors } = this.#picker;
    state.look = { ...state.look, theme };
    if (needsBackground(state.look)) screen.askBackground();
    showMessage(`theme: ${theme}`);
    this.#saving = this.#saving.then(() => showErrors(this.#save(theme, settingsPath)));
  }

  next(): void {
    this.set(THEMES[(THEMES.indexOf(this.#picker.state.look.theme) + 1) % THEMES.length] ?? "auto");
  }

  /** Saves a theme, unless another one was chosen meanwhile. */
  async #save(theme: ThemeName, path: string): Promise<void> {
    const { state, showMessage, screen } = this.#picker;
    if (state.look.theme !== theme || path === "") return;
    await changeConfig(path, ["picker", "theme"], theme);
    showMessage(`theme: ${theme}, saved in config.toml`);
    screen.redraw();
  }
}
