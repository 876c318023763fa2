/** Prompts in the last line: for a name or a label, or to confirm an action. */
import { isKeyRelease, matchesKey } from "@earendil-works/pi-tui";
import { toOneLine } from "../format/safe.ts";
import { measureWidth, truncate } from "../format/text.ts";
import type { Theme } from "../format/theme.ts";
import { drawLine, GAP_COLUMNS } from "./frames/line.ts";
import { insertsText, TextLine } from "./screen.ts";

/** An open prompt. */
export interface Prompt {
  /** Whether the user types a text, so that the cursor is here. */
  hasCursor: boolean;
  /** Draws the prompt and its keys, as one line. */
  draw(columns: number, theme: Theme): string;
  /** Handles a key. @returns true if that closed the prompt */
  press(data: string): boolean;
}

/** The keys of a question, with the default in capitals. */
const CHOICES = "[y/N]";

/** Minimum width of the input. */
const MIN_INPUT_COLUMNS = 8;

/**
 * A prompt for a text, with the current text to edit. It is selected: what the user types replaces it.
 *
 * @param property what is edited: `Name`, `Label`
 * @param options.about text of the entry that the property belongs to
 * @param options.appends whether what the user types is added to the current text
 */
export function textPrompt(
  property: string,
  text: string,
  save: (text: string) => void,
  { about, appends = false }: { about?: string; appends?: boolean } = {},
): Prompt {
  const line = new TextLine("", text, !appends);
  return {
    hasCursor: true,
    draw(columns, theme) {
      const question = formatQuestion(property, about, Math.floor(columns / 2));
      const shown = truncate(question, Math.max(1, columns - MIN_INPUT_COLUMNS));
      return theme.style("bold", shown) + line.draw(columns - measureWidth(shown));
    },
    press(data) {
      if (matchesKey(data, "escape")) return true;
      const isDone = matchesKey(data, "enter");
      if (isDone) save(line.text.replace(/\s+/g, " ").trim());
      else line.press(data);
      return isDone;
    },
  };
}

/** Formats the question of a text prompt, shortening `about` to fit. */
function formatQuestion(property: string, about: string | undefined, columns: number): string {
  if (about === undefined) return `${property}: `;
  const before = `${property} for “`;
  const after = "”: ";
  return before + truncate(toOneLine(about), Math.max(1, columns - measureWidth(before + after))) + after;
}

/**
 * A question that `y` confirms and any other key answers with no.
 *
 * @param question its text, or a function that fits it to a number of columns
 */
export function confirmPrompt(
  question: string | ((columns: number) => string),
  { confirm, cancel }: { confirm: () => void; cancel: () => void },
): Prompt {
  return {
    hasCursor: false,
    draw(columns, theme) {
      const text = typeof question === "string" ? question : question(columns - CHOICES.length - GAP_COLUMNS);
      const choices = { text: CHOICES, format: "dim" } as const;
      return drawLine({ theme, columns }, [{ text, format: ["bold", "red"] }], [choices]);
    },
    press(data) {
      if (isKeyRelease(data)) return false; // the release of the key that opened the prompt
      // Enter cancels too: users who did not notice the prompt may end their typing with it.
      if (matchesKey(data, "y")) confirm();
      else cancel();
      return true;
    },
  };
}

/**
 * A message in place of a text prompt that does not open. It keeps what the user types for that prompt out of the query, until Enter or a key
 * that types nothing.
 *
 * @param onEscape called for Esc
 */
export function refusalPrompt(message: string, hint: string, onEscape: () => void): Prompt {
  return {
    hasCursor: false,
    draw(columns, theme) {
      const text = truncate(message, Math.max(1, columns - measureWidth(hint)));
      return drawLine({ theme, columns }, [{ text: text + hint, format: "green" }]);
    },
    press(data) {
      if (isKeyRelease(data) || insertsText(data)) return false;
      if (matchesKey(data, "escape")) onEscape();
      return true;
    },
  };
}
