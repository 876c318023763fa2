/** Prompts in the last line: for a name or a label, or to confirm a deletion. */
import { isKeyRelease, matchesKey } from "@earendil-works/pi-tui";
import { toOneLine } from "../format/safe.ts";
import { measureWidth, truncate } from "../format/text.ts";
import type { Theme } from "../format/theme.ts";
import { getSessionTitle } from "../format/titles.ts";
import { drawLine } from "./frames/line.ts";
import { TextLine } from "./screen.ts";

/** An open prompt. */
export type Prompt =
  | {
      kind: "text";
      property: string;
      about: string | undefined;
      line: TextLine;
      save: (text: string) => void;
    }
  | { kind: "confirm"; question: string; confirm: () => void; cancel: () => void };

/**
 * A prompt for a text, with the current text to edit.
 *
 * @param property what is edited: `Name`, `Label`
 * @param about text of the entry that the property belongs to
 */
export function textPrompt(
  property: string,
  text: string,
  save: (text: string) => void,
  about?: string,
): Prompt {
  return { kind: "text", property, about, line: new TextLine("", text), save };
}

/** A prompt that confirms a deletion. */
export function deletePrompt(
  session: Parameters<typeof getSessionTitle>[0],
  { confirm, cancel }: { confirm: () => void; cancel: () => void },
): Prompt {
  return { kind: "confirm", question: `Move to trash: ${getSessionTitle(session)}?`, confirm, cancel };
}

const CONFIRM_KEYS = "[y/N]";

/** The prompt and its keys, as one line. */
export function drawPrompt(prompt: Prompt, columns: number, theme: Theme): string {
  if (prompt.kind === "text") {
    const text = truncate(
      formatPrompt(prompt, Math.floor(columns / 2)),
      Math.max(1, columns - MIN_INPUT_COLUMNS),
    );
    return theme.style("bold", text) + prompt.line.draw(columns - measureWidth(text));
  }
  return drawLine(
    theme,
    columns,
    [{ text: prompt.question, format: ["bold", "red"] }],
    [{ text: CONFIRM_KEYS, format: "dim" }],
  );
}

/** Minimum width of the input. */
const MIN_INPUT_COLUMNS = 8;

/** Formats a prompt, shortening `about` to fit. */
function formatPrompt({ property, about }: Extract<Prompt, { kind: "text" }>, columns: number): string {
  if (about === undefined) return `${property}: `;
  const before = `${property} for “`;
  const after = "”: ";
  return before + truncate(toOneLine(about), Math.max(1, columns - measureWidth(before + after))) + after;
}

/**
 * Passes a key to the prompt.
 *
 * @returns true if that closed the prompt
 */
export function handlePromptKey(prompt: Prompt, data: string): boolean {
  if (prompt.kind === "confirm") {
    if (isKeyRelease(data)) return false; // the release of the key that opened the prompt
    // Enter cancels too: users who did not notice the prompt may end their typing with it.
    if (matchesKey(data, "y")) prompt.confirm();
    else prompt.cancel();
    return true;
  }
  if (matchesKey(data, "escape")) return true;
  if (matchesKey(data, "enter")) {
    prompt.save(prompt.line.text.replace(/\s+/g, " ").trim());
    return true;
  }
  prompt.line.press(data);
  return false;
}
