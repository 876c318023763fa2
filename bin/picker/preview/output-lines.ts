import { clean, firstLines, startOf } from "../../format/bounded-text.ts";
import { type DiffLineKind, diffLineKinds, firstChange, signedLineKind } from "../../format/diff-lines.ts";
import { isPatch } from "../../format/edits.ts";
import { counted } from "../../format/safe.ts";
import type { Format } from "../../format/theme.ts";
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
  return textLines(text, look, isPatch(text.slice(0, LINE_START)) ? signedLineKind : undefined);
}

/** The lines of a diff, from the session. */
export function diffLines(text: string, look: Look): string[] {
  return textLines(text, look, diffLineKinds(text));
}

/** A diff from just above its first change on: of a folded one, else only what stayed would be seen. */
export function fromFirstChange(diff: string): string {
  return diff.slice(diff.lastIndexOf("\n", firstChange(diff) - 2) + 1);
}

/** The first lines of a text. One line alone is not left out: to tell of it takes a line too. */
function folded(text: string): ReturnType<typeof firstLines> {
  const { lines, more } = firstLines(text, FOLDED_LINES + 1);
  return more === 0 ? { lines, more } : { lines: lines.slice(0, FOLDED_LINES), more: more + 1 };
}

const STYLES: Partial<Record<DiffLineKind, Format>> = {
  added: "green",
  removed: "red",
  file: "bold",
  hunk: "cyan",
  gap: "dim",
};

function textLines(text: string, look: Look, kindOf?: (line: string) => DiffLineKind): string[] {
  const { theme, unfolded, width } = look;
  const whole = text.trimEnd();
  const styled = (line: string): string => {
    const format = kindOf && STYLES[kindOf(line)];
    return format === undefined ? line : theme.style(format, line);
  };
  const { start, more } = unfolded ? startOf(whole) : { start: whole, more: "" };
  const first = unfolded ? firstLines(start, MOST_LINES) : folded(start);
  const lines = first.lines.map((line) => {
    if (unfolded) return styled(clean(line));
    return styled(cutTo(clean(line.slice(0, LINE_START)), width));
  });
  const hidden = more !== "" && first.more > 0 ? firstLines(whole, MOST_LINES).more : first.more;
  if (hidden > 0) lines.push(theme.style("dim", `… ${counted(hidden, "more line")}`));
  else if (more !== "") lines.push(theme.style("dim", more));
  return lines;
}
