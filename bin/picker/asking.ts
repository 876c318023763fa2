/** What is asked in the last line: a name, a label, whether to delete. */
import { isKeyRelease, matchesKey } from "@earendil-works/pi-tui";
import { oneLine } from "../format/safe.ts";
import { cut, width } from "../format/text.ts";
import type { Theme } from "../format/theme.ts";
import { titleOf } from "../format/titles.ts";
import { line } from "./frames/line.ts";
import { TextLine } from "./screen.ts";

/** A question that waits for its answer. */
export type Asked =
  | { kind: "text"; wanted: string; about: string | undefined; line: TextLine; save: (text: string) => void }
  | { kind: "confirm"; question: string; confirm: () => void; cancel: () => void };

/**
 * A question that is answered with a text, which stands there to be changed.
 *
 * @param about what the text is for, in its own words
 */
export function askText(wanted: string, text: string, save: (text: string) => void, about?: string): Asked {
  return { kind: "text", wanted, about, line: new TextLine("", text), save };
}

/** Whether a session may go. */
export function askDelete(
  session: Parameters<typeof titleOf>[0],
  { confirm, cancel }: { confirm: () => void; cancel: () => void },
): Asked {
  return { kind: "confirm", question: `Move to trash: ${titleOf(session)}?`, confirm, cancel };
}

const KEYS = "y delete · else no";

/** The question, and what can be pressed. */
export function drawAsked(asked: Asked, columns: number, theme: Theme): string {
  if (asked.kind === "text") {
    const question = cut(questionOf(asked, Math.floor(columns / 2)), Math.max(1, columns - LEAST_ANSWER));
    return theme.style("bold", question) + asked.line.draw(columns - width(question));
  }
  return line(
    theme,
    columns,
    [{ text: asked.question, format: ["bold", "red"] }],
    [{ text: KEYS, format: "dim" }],
  );
}

/** Columns that an answer is typed in at least. */
const LEAST_ANSWER = 8;

/** A question that is no wider than it should be, if that can be: what it is about is cut, and not what ends it. */
function questionOf({ wanted, about }: Extract<Asked, { kind: "text" }>, columns: number): string {
  if (about === undefined) return `${wanted}: `;
  const before = `${wanted} for “`;
  const after = "”: ";
  return before + cut(oneLine(about), Math.max(1, columns - width(before + after))) + after;
}

/**
 * What a key does to a question.
 *
 * @returns whether it is answered, or given up
 */
export function answer(asked: Asked, data: string): boolean {
  if (asked.kind === "confirm") {
    if (isKeyRelease(data)) return false; // of the key that asked
    // Enter too is no: who typed a text and did not see the question ends it so.
    if (matchesKey(data, "y")) asked.confirm();
    else asked.cancel();
    return true;
  }
  if (matchesKey(data, "escape")) return true;
  if (matchesKey(data, "enter")) {
    asked.save(asked.line.text.replace(/\s+/g, " ").trim());
    return true;
  }
  asked.line.press(data);
  return false;
}
