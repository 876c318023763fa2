/** Parses a styled line into its text and its styles, so that it can be cut and highlighted without breaking escape sequences. */
import { inspect } from "node:util";
import { toSafe } from "../../format/safe.ts";

export interface StyledLine {
  /** The visible text, safe for terminals. */
  text: string;
  /** The parts of the text, in order. */
  runs: Run[];
}

/** A part of a text with the same styles throughout. */
export interface Run {
  text: string;
  /** Its offset, in UTF-16 units. */
  from: number;
  styles: Styles;
}

/** The SGR numbers that turn on the active styles. */
type Styles = readonly number[];

/** SGR, the only kind of escape sequence in rendered lines. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches escape sequences
const SGR = /\u001b\[([0-9;]*)m/;

/** The SGR number that turns a style off, by the number that turns it on. */
const OFF = new Map(Object.values(inspect.colors) as [on: number, off: number][]);

/** Parses a line. Control characters outside SGR become visible symbols. */
export function parseStyled(line: string): StyledLine {
  const runs: Run[] = [];
  let all = "";
  let styles: Styles = [];
  for (const [n, part] of line.split(SGR).entries()) {
    if (n % 2 === 1) styles = applyCode(styles, part);
    else if (part !== "") {
      const text = visible(part);
      runs.push({ text, from: all.length, styles });
      all += text;
    }
  }
  return { text: all, runs };
}

function visible(text: string): string {
  return toSafe(text.toWellFormed()).replaceAll("\n", " ").replaceAll("\t", "    ");
}

/** The styles after an SGR code. */
function applyCode(styles: Styles, code: string): Styles {
  let active = styles;
  for (const number of code.split(";").map(Number)) {
    if (number === 0) active = [];
    else if (OFF.has(number)) active = [...active, number];
    else active = active.filter((on) => OFF.get(on) !== number);
  }
  return active;
}

/** Renders a text with its styles, which end with it. */
export function renderRun(text: string, styles: Styles): string {
  if (text === "" || styles.length === 0) return text;
  const ends = new Set(styles.map((on) => OFF.get(on)));
  return `\u001b[${styles.join(";")}m${text}\u001b[${[...ends].join(";")}m`;
}
