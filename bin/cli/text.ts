import stringWidth from "string-width";

/** C0 and C1 controls but tab and newline, and the characters that turn text around or hide in it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNSAFE = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069\ufeff]/g;

/**
 * Session text as it may go to a terminal: what a terminal would obey (escape sequences, carriage returns,
 * bidirectional overrides) is shown as a sign instead.
 */
export function safe(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(UNSAFE, sign);
}

function sign(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code); // Unicode's pictures of control characters
  if (code === 0x7f) return "\u2421";
  return `<${code.toString(16)}>`;
}

/** Text on one line, safe for a terminal. */
export function oneLine(text: string): string {
  return safe(text.replace(/\s+/g, " ").trim());
}

export { stringWidth as width };

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Text cut to a number of terminal columns, with an ellipsis where something is missing. */
export function cut(text: string, columns: number): string {
  if (text.length <= columns && /^[\x20-\x7e]*$/.test(text)) return text;
  if (columns < 1) return "";
  const kept: string[] = [];
  let used = 0;
  // A grapheme is rarely longer than this; what is beyond cannot be reached.
  for (const { segment } of graphemes.segment(text.slice(0, columns * 16))) {
    kept.push(segment);
    used += stringWidth(segment);
    if (used > columns) break;
  }
  const whole = kept.join("");
  if (used <= columns && whole.length === text.length) return text;
  while (used + 1 > columns) used -= stringWidth(kept.pop() ?? "");
  return `${kept.join("")}…`;
}

/** Text filled up with blanks to a number of terminal columns. */
export function fill(text: string, columns: number, side: "left" | "right" = "right"): string {
  const blanks = " ".repeat(Math.max(0, columns - stringWidth(text)));
  return side === "right" ? text + blanks : blanks + text;
}
