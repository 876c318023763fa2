/** Tells what a user wrote from what programs print and from code, pasted before or after it. */

const FENCE = /^[ \t]*(?:`{3}|~{3})/;

export function hasFence(text: string): boolean {
  return text.split("\n").some((line) => FENCE.test(line));
}

/** Removes the fences of code, and keeps the code. */
export function removeFenceLines(text: string): string {
  return text
    .split("\n")
    .filter((line) => !FENCE.test(line))
    .join("\n");
}

/** Removes fenced code. A fence that is not closed ends with the text. */
export function removeFences(text: string): string {
  let isInside = false;
  return text
    .split("\n")
    .map((line) => {
      const isFence = FENCE.test(line);
      if (isFence) isInside = !isInside;
      return isFence || isInside ? "" : line;
    })
    .join("\n");
}

/** Lines that programs print, and lines of code. */
const PRINTED = [
  /^\s*at \S+.*[:(]/, // a stack trace
  /^\s*File "|^Traceback \(|^Caused by:|^goroutine \d+ |^exit status \d|^Node\.js v\d/,
  /^(?: {4,}|\t)\S/,
  /^\W{0,2}\d{1,4}[-/:.]\d\d[-/:.]\d\d/, // a time
  /^\s*\[?(?:INFO|DEBUG|WARN|WARNING|ERROR|TRACE|FATAL)\b[\]:\s]/,
  /^#\d+ |^\s*[$>%] \S|^\s*[✓✗✔✖×❯│┌└├╭╰]|^\s*\d+ ?\|/,
  /^(?:diff --git |index [\da-f]{7}|@@ |\+\+\+ |--- |[-+][^\s-])/,
  /\b0x[\da-f]{4,}|\.\w{1,5}:\d+(?::\d+)?\b/i, // an address, a line of a file
  /^(?:\w+\.)*\w*(?:Error|Exception|error|panic|fatal|warning)(?:\[\w+\])?: /,
  /[{};]\s*$|^\s*<\/?[a-z][^\n]*>\s*$/i,
  /^(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|WITH)\b.*[*=(]/,
  /^(?:import|export|const|let|var|def|class|function|return|#include|package|use)\b.*[=({'"<]/,
];

function isPrinted(line: string): boolean {
  return !/\p{L}/u.test(line) || PRINTED.some((pattern) => pattern.test(line));
}

/** Characters of a line that are looked at. */
const MAX_LINE = 500;

/** The paragraphs before and after what was pasted into a text; all of them if nothing was. Each is its lines. */
export function findWrittenParagraphs(text: string): {
  before: string[][];
  after: string[][];
  hasPaste: boolean;
} {
  const paragraphs = text
    .split(/\n[ \t]*\n/)
    .map((paragraph) => paragraph.split("\n").filter((line) => line.trim() !== ""))
    .filter((lines) => lines.length > 0);
  const isPasted = paragraphs.map(
    (lines) => lines.filter((line) => isPrinted(line.slice(0, MAX_LINE))).length * 2 >= lines.length,
  );
  const first = isPasted.indexOf(true);
  if (first < 0) return { before: paragraphs, after: [], hasPaste: false };
  return {
    before: paragraphs.slice(0, first),
    after: paragraphs.slice(isPasted.lastIndexOf(true) + 1),
    hasPaste: true,
  };
}

const ERROR =
  /(?:^|[\s:])((?:[\w$]+\.)*\w*(?:Error|Exception|error|panic|fatal)(?:\[\w+\]|\s[A-Z]+\d+)?: ?[^\n]*\S)/m;
const DECLARATION =
  /\b(?:function\*?|class|interface|enum|struct|trait|def|fn|func|type|const|TABLE|FROM|INTO|UPDATE)\s+(?:\([^)\n]{0,80}\)\s*)?([\p{L}_$][\w$.]*)/u;

/** The line of a pasted text that says what went wrong, from the name of the error on. */
export function findErrorLine(text: string): string | undefined {
  return ERROR.exec(text)?.[1]?.trim();
}

/** The first name that code declares, or the table of a query. */
export function findDeclaredName(text: string): string | undefined {
  return DECLARATION.exec(text)?.[1];
}
