/** Finds the line of a failed call's output that says what failed, and masks what differs between occurrences. */
import { TERMINAL_SEQUENCES } from "../../src/session/terminal-sequences.ts";

/** Lines that say that a command failed, but not why. */
const NO_REASON =
  /^\(no output\)$|^Command aborted$|^(?:Command|Process) exited with code \d+$|^\[?exit code:? \d+\]?$/i;

const SAYS_ERROR =
  /error|exception|fail(?:ed|ure)|fatal|panic|cannot|can't|could not|unable|unknown|invalid|not found|no such|denied|refused|timed out|must /i;

const HAS_WORD = /\p{L}{2}/u;

/** UTF-16 units of a text that are searched for the line: errors are at the start or the end. */
const SEARCHED = 20_000;

/** Longer lines, in UTF-16 units, are data or minified code. */
const MAX_LINE_LENGTH = 500;

/** UTF-16 units that a normalized line keeps. */
const MAX_LENGTH = 160;

/** What is masked, in this order. */
const MASKS: readonly (readonly [RegExp, string])[] = [
  [/\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>)\]]+/gi, "<url>"],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "<id>"],
  [/(?:[A-Za-z]:)?[\p{L}\p{N}_.@~+-]*(?:[\\/][\p{L}\p{N}_.@~+-]+)+[\\/]?/gu, "<path>"],
  [/\b0x[0-9a-f]+\b|\b(?=[a-f]*[0-9])[0-9a-f]{7,}\b/gi, "<hex>"],
  [/[0-9]+(?:[.,:][0-9]+)*/g, "<n>"],
];

/** The line that says what failed, without the parts that differ between occurrences; undefined if there is none. */
export function normalizeError(output: string): string | undefined {
  const text =
    output.length <= 2 * SEARCHED ? output : `${output.slice(0, SEARCHED)}\n${output.slice(-SEARCHED)}`;
  const lines = text
    .replace(TERMINAL_SEQUENCES, "")
    .split("\n")
    .map((line) => line.trim().replace(/\s+/g, " "))
    .filter((line) => line.length <= MAX_LINE_LENGTH && HAS_WORD.test(line) && !NO_REASON.test(line));
  const line = lines.find((each) => SAYS_ERROR.test(each)) ?? lines[0];
  if (line === undefined) return undefined;
  let masked = line;
  for (const [pattern, mask] of MASKS) masked = masked.replace(pattern, mask);
  return masked.slice(0, MAX_LENGTH).trimEnd();
}
