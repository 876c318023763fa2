import { clean, firstLines, startOf } from "../../format/bounded-text.ts";
import { isPatch } from "../../format/edits.ts";
import { counted } from "../../format/safe.ts";
import type { Look } from "./look.ts";
import { cutTo } from "./rows.ts";

/** Lines that are shown of what is folded. */
const FOLDED_LINES = 6;
/** Lines that are shown of what is not. */
const MOST_LINES = 5000;

/** Of each line of a folded text, more than any pane is wide. */
const LINE_START = 4000;

/** What a tool or a command put out, from the session: its first lines, or all that can be shown. A diff is coloured. */
export function outputLines(text: string, look: Look): string[] {
  return textLines(text, look, isPatch(text.slice(0, LINE_START)) ? signed : plain);
}

/** The lines of a diff, from the session. */
export function diffLines(text: string, look: Look): string[] {
  return textLines(text, look, hasSignsFirst(text) ? signed : numbered);
}

/** A diff from just above its first change on: of a folded one, else only what stayed would be seen. */
export function fromFirstChange(diff: string): string {
  const change = (hasSignsFirst(diff) ? /^[-+](?!--|\+\+)/m : NUMBERED).exec(diff)?.index ?? 0;
  return diff.slice(diff.lastIndexOf("\n", change - 2) + 1);
}

/** Whether lines begin with their signs, and not with their numbers as some agents write them. */
function hasSignsFirst(diff: string): boolean {
  return /^[-+]/m.test(diff);
}

const NUMBERED = /^ *\d+ ([-+])/m;

/** The first lines of a text. One line alone is not left out: to tell of it takes a line too. */
function folded(text: string): ReturnType<typeof firstLines> {
  const { lines, more } = firstLines(text, FOLDED_LINES + 1);
  return more === 0 ? { lines, more } : { lines: lines.slice(0, FOLDED_LINES), more: more + 1 };
}

type Styling = (line: string, look: Look) => string;

function textLines(text: string, look: Look, styling: Styling): string[] {
  const { theme, unfolded, width } = look;
  const whole = text.trimEnd();
  const { start, more } = unfolded ? startOf(whole) : { start: whole, more: "" };
  const first = unfolded ? firstLines(start, MOST_LINES) : folded(start);
  const lines = first.lines.map((line) => {
    if (unfolded) return styling(clean(line), look);
    return styling(cutTo(clean(line.slice(0, LINE_START)), width), look);
  });
  const hidden = more !== "" && first.more > 0 ? firstLines(whole, MOST_LINES).more : first.more;
  if (hidden > 0) lines.push(theme.style("dim", `… ${counted(hidden, "more line")}`));
  else if (more !== "") lines.push(theme.style("dim", more));
  return lines;
}

const plain: Styling = (line) => line;

/** A line of a diff, by the sign it begins with. */
const signed: Styling = (line, { theme }) => {
  if (/^(?:\+\+\+|---) /.test(line)) return theme.style("bold", line);
  if (line.startsWith("+")) return theme.style("green", line);
  if (line.startsWith("-")) return theme.style("red", line);
  if (line.startsWith("@@")) return theme.style("cyan", line);
  return line.trim() === "…" ? theme.style("dim", line) : line;
};

const numbered: Styling = (line, look) => {
  const sign = NUMBERED.exec(line)?.[1];
  return sign === undefined ? line : look.theme.style(sign === "+" ? "green" : "red", line);
};
