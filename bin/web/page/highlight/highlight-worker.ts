/** The highlighting worker. The page terminates it if it takes too long. */
import { highlightLines, loadHighlighter } from "./highlight.ts";
import type { CodeLine } from "./highlighter.ts";
import type { Language } from "./languages.ts";

export interface HighlightRequest {
  id: number;
  text: string;
  language: Language;
}

export type HighlightResult = { id: number } & (
  | { loaded: true }
  | { lines: readonly CodeLine[] }
  | { failed: string }
);

const HIGHLIGHT_LIMIT_MS = 2000;

const reply = (answer: HighlightResult) => postMessage(answer);

addEventListener("message", async ({ data }: MessageEvent<HighlightRequest>) => {
  const { id, text, language } = data;
  try {
    const highlighter = await loadHighlighter(language);
    reply({ id, loaded: true }); // starts the time limit for the text
    reply({ id, lines: highlightLines(highlighter, text, language, HIGHLIGHT_LIMIT_MS) });
  } catch (error) {
    reply({ id, failed: String(error) });
  }
});
