/** Lets the user choose: from a list with live search in pi's terminal UI, elsewhere from pi's plain selection. */
import { ChooserComponent, type ChooserOptions } from "./chooser-component.ts";
import type { PiContext } from "./pi-types.ts";

/** Maximum number of choices of the plain selection, which shows all at once. */
const MAX_PLAIN_CHOICES = 20;

export async function choose<T>({ ui }: PiContext, options: ChooserOptions<T>): Promise<T | undefined> {
  let isCustom = false;
  const selected = await ui.custom<T | undefined>((tui, theme, keybindings, done) => {
    isCustom = true;
    return new ChooserComponent(options, { tui, theme, keybindings }, done);
  });
  if (isCustom) return selected;
  // The result is the selected text, so numbers keep equal texts apart.
  const texts = options.initialChoices.slice(0, MAX_PLAIN_CHOICES).map(({ text }, n) => `${n + 1}. ${text}`);
  const text = await ui.select(options.title, texts);
  return text === undefined ? undefined : options.initialChoices[texts.indexOf(text)]?.value;
}
