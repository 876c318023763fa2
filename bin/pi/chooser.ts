/** Lets the user choose: in pi's own screen by a list that is searched while one types, elsewhere by pi's plain question. */
import { ChooserComponent, type Choosing } from "./chooser-component.ts";
import type { PiContext } from "./pi-types.ts";

/** A plain question shows all of its answers at once. */
const MOST_PLAIN = 20;

export async function choose<T>({ ui }: PiContext, choosing: Choosing<T>): Promise<T | undefined> {
  let isDrawn = false;
  const chosen = await ui.custom<T | undefined>((tui, theme, keybindings, done) => {
    isDrawn = true;
    return new ChooserComponent(choosing, { tui, theme, keybindings }, done);
  });
  if (isDrawn) return chosen;
  // The answer is the text that was chosen: numbers tell the same texts apart.
  const texts = choosing.first.slice(0, MOST_PLAIN).map(({ text }, n) => `${n + 1}. ${text}`);
  const answer = await ui.select(choosing.title, texts);
  return answer === undefined ? undefined : choosing.first[texts.indexOf(answer)]?.value;
}
