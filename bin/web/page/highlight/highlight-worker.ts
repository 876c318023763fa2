/** The thread that puts code in colours: it is ended where that takes too long. */
import { highlight, load } from "./highlight.ts";
import type { Line } from "./highlighting.ts";
import type { Language } from "./languages.ts";

export interface Task {
  id: number;
  text: string;
  language: Language;
}

export type Answer = { id: number } & ({ loaded: true } | { lines: readonly Line[] } | { failed: string });

const LONGEST_MS = 2000;

const answer = (told: Answer) => postMessage(told);

addEventListener("message", async ({ data }: MessageEvent<Task>) => {
  const { id, text, language } = data;
  try {
    const made = await load(language);
    answer({ id, loaded: true }); // from now on it is us who take time
    answer({ id, lines: highlight(made, text, language, LONGEST_MS) });
  } catch (error) {
    answer({ id, failed: String(error) });
  }
});
