/** The line of an output that says what went wrong. */
import { toOneLine } from "../../format/safe.ts";
import { cutEnd, detach } from "./statements.ts";

/** Characters of an output that are searched, at its start and at its end. */
const SEARCHED = 20_000;
const MAX_LENGTH = 180;

/** From the most telling kind of line to the least. */
const PATTERNS = [
  /\b(?:[A-Z]\w*(?:Error|Exception)|panicked|Traceback|SIG[A-Z]{3,})\b.*\S{3}/,
  /\berror(?:\[\w+\]| [A-Z]+\d+|:|!)\s*\S|✖|✗|\bFAIL\b|^fatal: |^E {2,}\S/i,
  /\b(?:cannot|can't|could not|couldn't|not found|no such|undefined|unexpected|denied|refused|invalid|expected|timed? ?out|unknown|missing)\b/i,
  /\b(?:error|failed|failure)\b/i,
];
const NOISE =
  /^(?:\s*at |\s*\^|> |npm (?:error|ERR!) |\(no output\)|Command exited|Process exited|Found \d+ error)/;

/** @returns "" if the output has no such line, as that of a search without matches */
export function findErrorLine(output: string): string {
  const searched =
    output.length <= 2 * SEARCHED ? output : `${output.slice(0, SEARCHED)}\n${output.slice(-SEARCHED)}`;
  const lines = searched
    .split("\n")
    .filter((line) => line.trim() !== "" && line.length < 2000 && !NOISE.test(line));
  for (const pattern of PATTERNS) {
    const found = lines.find((line) => pattern.test(line));
    if (found !== undefined) return detach(cutEnd(toOneLine(found), MAX_LENGTH));
  }
  return detach(cutEnd(toOneLine(lines.at(-1) ?? ""), MAX_LENGTH));
}
