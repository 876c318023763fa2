/** Measures, cuts, pads and wraps text in terminal columns. */
import { createRequire } from "node:module";
import { divideWord } from "./divide-word.ts";
import { simpleStart } from "./simple-width.ts";

let stringWidth: ((text: string) => number) | undefined;

/** The width of a text in terminal columns. */
export function measureWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  const { end, columns } = simpleStart(text, Number.POSITIVE_INFINITY);
  if (end === text.length) return columns;
  // Loaded on demand: its tables take as long to load as the rest of a short command.
  stringWidth ??= createRequire(import.meta.url)("string-width").default as (text: string) => number;
  return stringWidth(text);
}

/** Printable ASCII, one column per character. */
const ASCII = /^[\x20-\x7e]*$/;

let segmenter: Intl.Segmenter | undefined;

/** The user-perceived characters of a text. */
function graphemes(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return segmenter.segment(text);
}

/** UTF-16 units. Longer graphemes are rare; this bounds the text that is segmented. */
const MAX_GRAPHEME_UNITS = 16;

/** The start of a text, cut to a number of terminal columns, with an ellipsis if it was cut. */
export function truncate(text: string, columns: number): string {
  if (columns < 1) return "";
  const simple = simpleStart(text, columns);
  if (simple.end === text.length) return text;
  if (simple.isOverflow) return `${text.slice(0, simple.ellipsisPosition)}…`;
  const kept: string[] = [];
  let used = 0;
  for (const { segment } of graphemes(text.slice(0, columns * MAX_GRAPHEME_UNITS))) {
    kept.push(segment);
    used += measureWidth(segment);
    if (used > columns) break;
  }
  const whole = kept.join("");
  if (used <= columns && whole.length === text.length) return text;
  while (used + 1 > columns) used -= measureWidth(kept.pop() ?? "");
  return `${kept.join("")}…`;
}

/** The end of a text, cut to a number of terminal columns, with an ellipsis if it was cut. */
export function truncateStart(text: string, columns: number): string {
  if (ASCII.test(text)) return text.length <= columns ? text : `…${text.slice(text.length - columns + 1)}`;
  const segments = [...graphemes(text.slice(-columns * MAX_GRAPHEME_UNITS))].map(({ segment }) => segment);
  let from = segments.length;
  let used = 0;
  while (from > 0) {
    used += measureWidth(segments[from - 1] as string);
    if (used > columns - 1) break;
    from--;
  }
  const kept = segments.slice(from).join("");
  return kept.length === text.length || measureWidth(text) <= columns ? text : `…${kept}`;
}

/** Text padded with spaces to a number of terminal columns. */
export function pad(text: string, columns: number, side: "left" | "right" = "right"): string {
  const blanks = " ".repeat(Math.max(0, columns - measureWidth(text)));
  return side === "right" ? text + blanks : blanks + text;
}

/**
 * Lines wrapped between words, and between Chinese and Japanese characters, to a number of terminal columns, indented as their line or the text of
 * its list item. Longer words are not divided, so that addresses and paths can be copied.
 */
export function wrapLines(text: string, columns: number): string {
  return text
    .split("\n")
    .map((line) => (measureWidth(line) <= columns ? line : wrapLine(line, columns)))
    .join("\n");
}

function wrapLine(line: string, columns: number): string {
  const [start = ""] = /^\s*(?:[-*+•]|\d+[.)])?\s*/.exec(line) ?? [];
  const hanging = start.length * 2 <= columns ? " ".repeat(start.length) : "";
  const lines: string[] = [];
  let current = start;
  let width = measureWidth(start);
  for (const [, gap = "", word = ""] of line.slice(start.length).matchAll(/(\s*)(\S+)/g)) {
    for (const [n, part] of divideWord(word).entries()) {
      const between = n === 0 ? gap : "";
      const added = measureWidth(between) + measureWidth(part);
      // The first word stays on the line of the marker.
      if (width + added > columns && current !== start) {
        lines.push(current);
        current = hanging + part;
        width = measureWidth(current);
      } else {
        current += between + part;
        width += added;
      }
    }
  }
  return [...lines, current].join("\n");
}

/** Text wrapped between words to a number of terminal columns; all lines but the first are indented. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && measureWidth(line) + 1 + measureWidth(word) > columns) {
      lines.push(truncate(line, columns));
      line = `  ${word}`;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, truncate(line, columns)];
}
