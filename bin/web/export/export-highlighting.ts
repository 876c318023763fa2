/** Syntax highlighting for exports, in this process. Limits keep any one text from taking long. */
import type { CodeLine, Highlighter } from "../page/highlight/highlighter.ts";
import { findLanguage, type Language } from "../page/highlight/languages.ts";

/** Longer texts are not highlighted, in UTF-16 units. */
const MAX_TEXT_LENGTH = 20_000;
/** Time limit per text, as on the page. A language that exceeds it is not highlighted again. */
const MAX_DURATION_MS = 2000;

type HighlightText = (text: string) => CodeLine[];

export class ExportHighlighting implements Highlighter {
  /** By language; undefined for a language that was too slow. */
  readonly #highlighters = new Map<Language, HighlightText | undefined>();
  readonly #missing = new Set<Language>();

  /** Whether languages were requested that are not loaded. If so, call `load` and render again. */
  get needsLoading(): boolean {
    return this.#missing.size > 0;
  }

  getCached(text: string, name: string): readonly CodeLine[] | undefined {
    const language = findLanguage(name);
    if (!language || text.length > MAX_TEXT_LENGTH) return undefined;
    if (!this.#highlighters.has(language)) this.#missing.add(language);
    const highlighter = this.#highlighters.get(language);
    if (!highlighter) return undefined;
    const start = performance.now();
    const lines = highlighter(text);
    if (performance.now() - start > MAX_DURATION_MS) this.#highlighters.set(language, undefined);
    return lines;
  }

  request(): () => void {
    return () => {}; // an export renders once, so nothing can be delivered later
  }

  async load(): Promise<void> {
    const { highlightLines, loadHighlighter } = await import("../page/highlight/highlight.ts");
    for (const language of this.#missing) {
      const shiki = await loadHighlighter(language);
      highlightLines(shiki, "", language, MAX_DURATION_MS);
      this.#highlighters.set(language, (text) => highlightLines(shiki, text, language, MAX_DURATION_MS));
    }
    this.#missing.clear();
  }
}
