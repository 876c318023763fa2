/** Parses a styled line into its text and its styles, so that it can be cut and highlighted without breaking escape sequences. */
import { toSafe } from "../../format/safe.ts";

export interface StyledLine {
  /** The visible text, safe for terminals. */
  text: string;
  /** SGR codes, and the offsets in `text` at which they apply, in UTF-16 units. */
  codes: { at: number; code: string }[];
}

/** SGR, the only kind of escape sequence in rendered lines. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches escape sequences
const SGR = /\u001b\[([0-9;]*)m/g;

/** Parses a line. Control characters outside SGR become visible symbols. */
export function parseStyled(line: string): StyledLine {
  const codes: StyledLine["codes"] = [];
  let text = "";
  let from = 0;
  for (const match of line.matchAll(SGR)) {
    text += visible(line.slice(from, match.index));
    codes.push({ at: text.length, code: match[1] as string });
    from = match.index + match[0].length;
  }
  return { text: text + visible(line.slice(from)), codes };
}

function visible(text: string): string {
  return toSafe(text.toWellFormed()).replaceAll("\n", " ").replaceAll("\t", "    ");
}

/** Active SGR numbers by style name. */
export type Styles = ReadonlyMap<string, string>;

const NO_STYLES: Styles = new Map();

/** Style names by the SGR number that turns them on, with the number that turns them off. */
const STYLES: Record<number, [name: string, off: string]> = {
  1: ["bold", "22"],
  2: ["dim", "22"],
  3: ["italic", "23"],
  4: ["underline", "24"],
  7: ["inverse", "27"],
  9: ["strikethrough", "29"],
};

/** The styles after an SGR code. */
function applyCode(styles: Styles, code: string): Styles {
  const now = new Map(styles);
  const numbers = code.split(";").map(Number);
  for (let n = 0; n < numbers.length; n++) {
    const number = numbers[n] as number;
    const style = STYLES[number];
    if (style) now.set(style[0], String(number));
    else if (number === 0) now.clear();
    else if (number === 38 || number === 48) {
      const length = numbers[n + 1] === 5 ? 3 : 5; // 256 colors, or RGB
      now.set(number === 38 ? "color" : "background", numbers.slice(n, n + length).join(";"));
      n += length - 1;
    } else if ((number >= 30 && number <= 37) || (number >= 90 && number <= 97))
      now.set("color", String(number));
    else if ((number >= 40 && number <= 47) || (number >= 100 && number <= 107))
      now.set("background", String(number));
    else if (number === 39) now.delete("color");
    else if (number === 49) now.delete("background");
    else for (const [name, off] of Object.values(STYLES)) if (off === String(number)) now.delete(name);
  }
  return now;
}

function begin(styles: Styles): string {
  return styles.size === 0 ? "" : `\u001b[${[...styles.values()].join(";")}m`;
}

function end(styles: Styles): string {
  if (styles.size === 0) return "";
  const offs = [...styles].map(([name, on]) => {
    if (name === "color") return "39";
    return name === "background" ? "49" : (STYLES[Number(on)]?.[1] ?? "0");
  });
  return `\u001b[${[...new Set(offs)].join(";")}m`;
}

/** A part of a text with the same styles throughout. */
export interface Run {
  text: string;
  from: number;
  styles: Styles;
}

/** Splits a line into runs. */
export function toRuns({ text, codes }: StyledLine): Run[] {
  const runs: Run[] = [];
  let styles = NO_STYLES;
  let from = 0;
  for (const { at, code } of codes) {
    if (at > from) runs.push({ text: text.slice(from, at), from, styles });
    styles = applyCode(styles, code);
    from = at;
  }
  if (from < text.length) runs.push({ text: text.slice(from), from, styles });
  return runs;
}

/** Renders a text with its styles, which end with it. */
export function renderRun(text: string, styles: Styles): string {
  return text === "" ? "" : begin(styles) + text + end(styles);
}
