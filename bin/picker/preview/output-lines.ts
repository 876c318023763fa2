import { firstLines, toTerminalText, truncateText } from "../../format/bounded-text.ts";
import {
  type DiffLineKind,
  diffLineKinds,
  findFirstChange,
  signedLineKind,
} from "../../format/diff-lines.ts";
import { isPatch } from "../../format/edits.ts";
import { formatCount } from "../../format/safe.ts";
import type { Format, Theme } from "../../format/theme.ts";
import { cutToColumns } from "./rows.ts";

/** How entries are rendered. */
export interface RenderOptions {
  theme: Theme;
  /** Width in columns. */
  width: number;
  /** Whether thinking, arguments and output are expanded. */
  isExpanded: boolean;
  /** Whether only the conversation is shown: prompts, answers, and one line for each call. Ignored if expanded. */
  isSummary?: boolean;
  /** The session's folder: paths of calls are relative to it. */
  folder?: string;
}

/** Maximum number of lines of a folded text. */
const FOLDED_LINES = 6;
/** Maximum number of lines of an unfolded text. */
const MAX_LINES = 5000;

/** Length to which lines of a folded text are cut, in UTF-16 code units: longer than any pane is wide. */
const MAX_LINE_LENGTH = 4000;

/** Renders the output of a tool or command: its first lines, or up to the maximum if unfolded. Diffs are colored. */
export function renderOutput(text: string, look: RenderOptions): string[] {
  return textLines(text, look, isPatch(text.slice(0, MAX_LINE_LENGTH)) ? signedLineKind : undefined);
}

/** Renders a diff. */
export function renderDiff(text: string, look: RenderOptions): string[] {
  return textLines(text, look, diffLineKinds(text));
}

/** A diff from just above its first change: otherwise, folded diffs would show only unchanged lines. */
export function trimToFirstChange(diff: string): string {
  return diff.slice(diff.lastIndexOf("\n", findFirstChange(diff) - 2) + 1);
}

/** The first lines of a text. A single omitted line is included: a note about it would take a line too. */
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

function textLines(text: string, look: RenderOptions, toKind?: (line: string) => DiffLineKind): string[] {
  const { theme, isExpanded, width } = look;
  const whole = text.trimEnd();
  const styled = (line: string): string => {
    const format = toKind && STYLES[toKind(line)];
    return format === undefined ? line : theme.style(format, line);
  };
  const { start, more } = isExpanded ? truncateText(whole) : { start: whole, more: "" };
  const first = isExpanded ? firstLines(start, MAX_LINES) : folded(start);
  const lines = first.lines.map((line) => {
    if (isExpanded) return styled(toTerminalText(line));
    return styled(cutToColumns(toTerminalText(line.slice(0, MAX_LINE_LENGTH)), width));
  });
  const hidden = more !== "" && first.more > 0 ? firstLines(whole, MAX_LINES).more : first.more;
  if (hidden > 0) lines.push(theme.style("dim", `… ${formatCount(hidden, "more line")}`));
  else if (more !== "") lines.push(theme.style("dim", more));
  return lines;
}
