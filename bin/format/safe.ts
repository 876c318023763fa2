/** Text from sessions as it may be shown, and numbers in words. Imports nothing: it runs in browsers too. */

/**
 * C0 and C1 controls but tab and newline, the characters that turn text around, end lines or hide in it, and those that
 * stand for bytes of a path that is not UTF-8 (src/path-bytes.ts).
 */
const UNSAFE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]|\udbff[\ude80-\udeff]/;
const EACH_UNSAFE = new RegExp(UNSAFE, "g");

/** Whether a terminal shows a text as it is. */
export function isSafe(text: string): boolean {
  return !UNSAFE.test(text);
}

/**
 * Session text as it may go to a terminal: what a terminal would obey (escape sequences, carriage returns,
 * bidirectional overrides) is shown as a sign instead.
 */
export function safe(text: string): string {
  // Half a pair goes out as another character, of another width.
  return text.replaceAll("\r\n", "\n").toWellFormed().replace(EACH_UNSAFE, sign);
}

/** Text in a line that is changed there: a sign for each UTF-16 unit that is not shown as it is, so that places stay the same. */
export function withSigns(text: string): string {
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

/** JSON that means the same and is safe for a terminal: `JSON.stringify` escapes C0 only. */
export function safeJson(json: string): string {
  const asEscape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return json.replace(EACH_UNSAFE, (found) => found.split("").map(asEscape).join(""));
}

/** Printable ASCII. */
const ASCII = /^[\x20-\x7e]*$/;

/** A path or an id as a field of a line for scripts: as it is, but for what would end the field or the line. */
export function field(text: string): string {
  if (ASCII.test(text)) return text;
  return safe(text).replace(/[\t\n]/g, sign);
}

/** What is not printable ASCII, and blanks side by side. */
const ODD = /[^\x20-\x7e]| {2}/;

/** Text on one line, safe for a terminal. */
export function oneLine(text: string): string {
  if (!ODD.test(text)) return text.trim(); // as most are, of thousands
  return safe(text.replace(/\s+/g, " ").trim());
}

/** A number and what it counts: `1 file`, `2 files`. */
export function counted(count: number, one: string, many: string = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** A whole number as people write it: `1,234,567`. To ask `Intl` takes longer than all else of a short answer. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}
