/** The highlighting worker. The page terminates it if it takes too long. */
import { highlight, load } from "./highlight.ts";
import type { Line } from "./highlighting.ts";
import type { Language } from "./languages.ts";

export interface Task {
  id: number;
  text: string;
  language: Language;
}

export type Answer = { id: number } & ({ loaded: true } | { lines: readonly Line[] } | { failed: string });

const HIGHLIGHT_LIMIT_MS = 2000;

const reply = (answer: Answer) => postMessage(answer);

addEventListener("message", async ({ data }: MessageEvent<Task>) => {
  const { id, text, language } = data;
  try {
    const highlighter = await load(language);
    reply({ id, loaded: true }); // starts the time limit for the text
    reply({ id, lines: highlight(highlighter, text, language, HIGHLIGHT_LIMIT_MS) });
  } catch (error) {
    reply({ id, failed: String(error) });
  }
});
