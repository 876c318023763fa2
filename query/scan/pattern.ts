import type { RE2JS } from "re2js";
import { PidexError } from "../../src/errors.ts";
import type { TextRange } from "../../src/store/words/tokens.ts";
import type { ScanPattern } from "../options.ts";
import { extractRequiredLiterals, hasUpperCase, removeAssertions, toPlainText } from "./regex-literals.ts";

/** A compiled pattern. */
export interface TextPattern {
  caseSensitive: boolean;
  /** Literals of which every match contains at least one, ignoring case; undefined if unknown. */
  requiredLiterals: readonly string[] | undefined;
  /**
   * Returns the non-empty, non-overlapping matches in a text, in order: at most `MAX_COUNTED_MATCHES`, and for a regular
   * expression those found within `COUNTING_MS`.
   */
  find(text: string): TextRange[];
}

/** Maximum number of matches counted per text. */
export const MAX_COUNTED_MATCHES = 1_000;

/**
 * Time limit for finding further matches of a regular expression in a text, in milliseconds. One match takes linear time, but
 * all of them may take quadratic time: `a.*z|a` reads to the end for each `a`.
 */
const COUNTING_MS = 250;

/** The longest pattern, in UTF-16 units. */
const MAX_PATTERN = 1_000;

/**
 * Maximum size of a regular expression, in RE2 instructions. Locating a match takes at worst the text's length times this: ten
 * seconds per megabyte. Testing whether there is one does not.
 */
const MAX_PROGRAM = 500;

/**
 * Compiles a pattern.
 *
 * @throws PidexError `BAD_QUERY` for a pattern that is empty, too large, matches the empty text, or is not valid in RE2
 */
export async function compilePattern(pattern: ScanPattern): Promise<TextPattern> {
  if (pattern.substring !== undefined) return substringPattern(pattern.substring, pattern.caseSensitive);
  return regexPattern(pattern.regex, pattern.caseSensitive);
}

function substringPattern(substring: string, caseOption: boolean | undefined): TextPattern {
  checkSize(substring);
  const caseSensitive = caseOption ?? /\p{Lu}/u.test(substring);
  const find = caseSensitive ? finder(substring) : foldingFinder(substring);
  return { caseSensitive, requiredLiterals: [substring], find };
}

function finder(substring: string): TextPattern["find"] {
  return (text) => {
    const ranges: TextRange[] = [];
    for (let at = text.indexOf(substring); at !== -1 && ranges.length < MAX_COUNTED_MATCHES; ) {
      ranges.push({ start: at, end: at + substring.length });
      at = text.indexOf(substring, at + substring.length);
    }
    return ranges;
  };
}

function foldingFinder(substring: string): TextPattern["find"] {
  // A literal cannot backtrack, so this needs no RE2.
  const literal = new RegExp(substring.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu");
  return (text) => {
    const ranges: TextRange[] = [];
    literal.lastIndex = 0;
    for (let match = literal.exec(text); match; match = literal.exec(text)) {
      ranges.push({ start: match.index, end: literal.lastIndex });
      if (ranges.length === MAX_COUNTED_MATCHES) break;
    }
    return ranges;
  };
}

async function regexPattern(regex: string, caseOption: boolean | undefined): Promise<TextPattern> {
  checkSize(regex);
  const plainText = toPlainText(regex);
  // RE2 takes three times as long to find a text as it is.
  if (plainText !== undefined) return substringPattern(plainText, caseOption);
  const { RE2JS } = await import("re2js"); // large and rarely needed
  const compile = (source: string, flags: number): RE2JS => {
    try {
      return RE2JS.compile(source, flags);
    } catch (error) {
      throw toPatternError(regex, error);
    }
  };
  let compiled = compile(regex, RE2JS.MULTILINE);
  const caseSensitive = caseOption ?? hasUpperCase(regex);
  if (!caseSensitive) compiled = compile(regex, RE2JS.MULTILINE | RE2JS.CASE_INSENSITIVE);
  if (compiled.programSize() > MAX_PROGRAM) {
    throw badPattern(
      "the regular expression is too large",
      "Use fewer repetitions, or search for a part of it.",
    );
  }
  if (compile(removeAssertions(regex), 0).testExact("")) {
    throw badPattern(
      "the regular expression matches the empty text, so it would match everywhere",
      "Require at least one character: `a+` instead of `a*`, `.+` instead of `.*`.",
    );
  }
  return {
    caseSensitive,
    requiredLiterals: extractRequiredLiterals(regex),
    find: (text) => regexRanges(compiled, text),
  };
}

function regexRanges(regex: RE2JS, text: string): TextRange[] {
  if (!regex.test(text)) return []; // ten times faster than locating matches
  const ranges: TextRange[] = [];
  const matcher = regex.matcher(text);
  for (let until = 0; ranges.length < MAX_COUNTED_MATCHES && matcher.find(); ) {
    ranges.push({ start: matcher.start(), end: matcher.end() });
    if (until === 0) until = performance.now() + COUNTING_MS;
    else if (performance.now() > until) break;
  }
  return ranges;
}

function checkSize(pattern: string): void {
  if (pattern === "") throw badPattern("the pattern is empty", "Enter at least one character.");
  if (pattern.length > MAX_PATTERN) {
    const message = `the pattern has ${pattern.length.toLocaleString("en")} characters, more than ${MAX_PATTERN.toLocaleString("en")}`;
    throw badPattern(message, "Search for a part of it.");
  }
}

const SYNTAX_HINT =
  "Patterns use RE2 syntax (github.com/google/re2/wiki/Syntax); put \\ before a character to match it literally.";

/** Common syntax that RE2 lacks, by the beginning of the rejected part. */
const NOT_IN_RE2: [RegExp, string, string][] = [
  [/^\(\?<?[=!]/, "look-ahead and look-behind are not supported", "Match the surrounding text as well."],
  [/^\\(?:[1-9]|k)/, "backreferences are not supported", "Write out what the group may match."],
  [/^\\u/, "\\u is not supported", "Write the character itself, or \\x{…} with its code in hex."],
  [
    /^\(\?>|^[*+?}]\+/,
    "atomic groups and possessive quantifiers are not supported",
    "Remove them: RE2 takes linear time.",
  ],
];

/** Converts an error of RE2 to a message with the position and a hint. */
function toPatternError(regex: string, error: unknown): PidexError {
  if (!(error instanceof Error)) throw error;
  const { error: problem = error.message, input } = error as { error?: string; input?: string | null };
  const refused = input && regex.includes(input) ? input : undefined;
  const place =
    refused === undefined ? "" : ` at character ${[...regex.slice(0, regex.indexOf(refused))].length + 1}`;
  const known = NOT_IN_RE2.find(([start]) => refused !== undefined && start.test(refused));
  const [, message, hint] = known ?? [undefined, `invalid regular expression: ${problem}`, SYNTAX_HINT];
  const shown = refused === undefined ? "" : ` (${refused.slice(0, 20)})`;
  return badPattern(`${message}${place}${shown}`, hint, error);
}

function badPattern(message: string, hint: string, cause?: unknown): PidexError {
  return new PidexError("BAD_QUERY", message, hint, { cause });
}
