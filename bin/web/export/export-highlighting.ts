/** Code in colours for what is exported, in this process: little of it, so that none takes long. */
import type { Highlighting, Line } from "../page/highlight/highlighting.ts";
import { type Language, languageOf } from "../page/highlight/languages.ts";

/** Longer texts stay in one colour. */
const MOST_SIGNS = 20_000;
/** How long one text may take; a language that does not keep to it is left alone from then on. In milliseconds. */
const LONGEST_MS = 500;

type Made = (text: string) => Line[];

export class ExportHighlighting implements Highlighting {
  readonly #made = new Map<Language, Made | undefined>();
  readonly #wanted = new Set<Language>();

  /** Whether languages were asked for that are not there yet: `load` them, and draw again. */
  get wants(): boolean {
    return this.#wanted.size > 0;
  }

  known(text: string, name: string): readonly Line[] | undefined {
    const language = languageOf(name);
    if (!language || text.length > MOST_SIGNS) return undefined;
    if (!this.#made.has(language)) this.#wanted.add(language);
    const made = this.#made.get(language);
    if (!made) return undefined;
    const began = performance.now();
    const lines = made(text);
    if (performance.now() - began > LONGEST_MS) this.#made.set(language, undefined);
    return lines;
  }

  ask(): () => void {
    return () => {}; // nobody waits here for what comes later
  }

  async load(): Promise<void> {
    const { highlight, load } = await import("../page/highlight/highlight.ts");
    for (const language of this.#wanted) {
      const made = await load(language);
      highlight(made, "", language, LONGEST_MS);
      this.#made.set(language, (text) => highlight(made, text, language, LONGEST_MS));
    }
    this.#wanted.clear();
  }
}
