/** The highlighting worker. The page terminates it if it takes too long. */
import { highlightLines, loadHighlighter } from "./highlight.ts";
import type { CodeLine } from "./highlighter.ts";
import type { Language } from "./languages.ts";

export interface HighlightRequest {
  text: string;
  language: Language;
}

export type HighlightResult = { loaded: true } | { lines: readonly CodeLine[] } | { failed: string };

const HIGHLIGHT_LIMIT_MS = 2000;

const reply = (answer: HighlightResult) => postMessage(answer);

addEventListener("message", async ({ data }: MessageEvent<HighlightRequest>) => {
  const { text, language } = data;
  try {
    const highlighter = await loadHighlighter(language);
    reply({ loaded: true }); // starts the time limit for the text
    reply({ lines: highlightLines(highlighter, text, language, HIGHLIGHT_LIMIT_MS) });
  } catch (error) {
    reply({ failed: String(error) });
  }
});
