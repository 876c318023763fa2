/** Makes session text safe to show. Runs in browsers too. */

export { formatCount, formatInteger } from "../../src/format-count.ts";

/**
 * C0 and C1 controls except tab and newline, bidirectional controls, line separators, invisible characters, and the code
 * points that encode bytes of a non-UTF-8 path (src/path-bytes.ts).
 */
const EACH_UNSAFE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are the point
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]|\udbff[\ude80-\udeff]/g;

/**
 * Session text made safe for a terminal: characters that a terminal interprets (escape sequences, carriage returns,
 * bidirectional overrides) become visible symbols.
 */
export function toSafe(text: string): string {
  // A lone surrogate would be written as another character, with another width.
  return text.replaceAll("\r\n", "\n").toWellFormed().replace(EACH_UNSAFE, sign);
}

/** Text for an input line: one symbol for each unsafe UTF-16 unit, so that positions don't change. */
export function toSafeInput(text: string): string {
  return text
    .toWellFormed()
    .replace(EACH_UNSAFE, (found) =>
      found < " " || found === "\x7f" ? sign(found) : "\ufffd".repeat(found.length),
    )
    .replace(/[\t\n]/g, sign);
}

function sign(character: string): string {
  const code = character.codePointAt(0) as number;
  if (code < 0x20) return String.fromCharCode(0x2400 + code); // Unicode's pictures of control characters
  if (code === 0x7f) return "\u2421";
  if (code > 0xffff) return `\\x${(code & 0xff).toString(16)}`;
  return `<${code.toString(16)}>`;
}

/** Equivalent JSON that is safe for a terminal: `JSON.stringify` escapes C0 only. */
export function escapeJson(json: string): string {
  const asEscape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return json.replace(EACH_UNSAFE, (found) => found.split("").map(asEscape).join(""));
}

/** Printable ASCII. */
const ASCII = /^[\x20-\x7e]*$/;

/** A path or an id as a field of a tab-separated line: safe, on one line, and otherwise unchanged. */
export function toField(text: string): string {
  if (ASCII.test(text)) return text;
  return toSafe(text).replace(/[\t\n]/g, sign);
}

/** A character that is not printable ASCII, or two spaces. */
const ODD = /[^\x20-\x7e]| {2}/;

/** Text on one line, safe for a terminal. */
export function toOneLine(text: string): string {
  if (!ODD.test(text)) return text.trim(); // the common case, made fast
  return toSafe(text.replace(/\s+/g, " ").trim());
}
