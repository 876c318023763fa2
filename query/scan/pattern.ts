import type { RE2JS } from "re2js";
import { PidexError } from "../../src/errors.ts";
import type { Range } from "../../src/store/sqlite/tokens.ts";
import type { ScanPattern } from "../options.ts";
import { hasUpperCase, requiredLiterals, withoutAssertions } from "./regex-literals.ts";

/** A pattern that can be asked. */
export interface TextPattern {
  caseSensitive: boolean;
  /** Literals of which every match holds at least one, in some case; undefined when none can be told. */
  required: readonly string[] | undefined;
  /**
   * The matches in a text from the first on, without overlaps and without empty ones; at most `MAX_COUNTED`,
   * and of a regular expression as many as were found in `COUNTING_MS`.
   */
  find(text: string): Range[];
}

/** Matches of one text that are counted. */
export const MAX_COUNTED = 1_000;

/**
 * How long a regular expression goes on after its first match in a text, in milliseconds. One match takes time
 * in proportion to the text, but all of them may take its square: `a.*z|a` reads to the end for each `a`.
 */
const COUNTING_MS = 250;

/** The longest pattern, in UTF-16 units. */
const MAX_PATTERN = 1_000;

/**
 * The largest regular expression, in RE2's instructions. Where in a text a match stands takes, at worst, the
 * text's length times this: ten seconds for a megabyte. Whether there is one never does.
 */
const MAX_PROGRAM = 500;

/**
 * Makes a pattern that can be asked of one that was typed.
 *
 * @throws PidexError `BAD_QUERY` for a pattern that is empty, matches the empty text, is too large, or is no
 * regular expression that RE2 knows
 */
export async function compilePattern(pattern: ScanPattern): Promise<TextPattern> {
  if (pattern.substring !== undefined) return substringPattern(pattern.substring, pattern.caseSensitive);
  return regexPattern(pattern.regex, pattern.caseSensitive);
}

function substringPattern(substring: string, asked: boolean | undefined): TextPattern {
  refuseSize(substring);
  const caseSensitive = asked ?? /\p{Lu}/u.test(substring);
  const find = caseSensitive ? finder(substring) : foldingFinder(substring);
  return { caseSensitive, required: [substring], find };
}

function finder(substring: string): TextPattern["find"] {
  return (text) => {
    const ranges: Range[] = [];
    for (let at = text.indexOf(substring); at !== -1 && ranges.length < MAX_COUNTED; ) {
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
    const ranges: Range[] = [];
    literal.lastIndex = 0;
    for (let match = literal.exec(text); match; match = literal.exec(text)) {
      ranges.push({ start: match.index, end: literal.lastIndex });
      if (ranges.length === MAX_COUNTED) break;
    }
    return ranges;
  };
}

async function regexPattern(regex: string, asked: boolean | undefined): Promise<TextPattern> {
  refuseSize(regex);
  const { RE2JS } = await import("re2js"); // large, and wanted by few
  const compile = (source: string, flags: number): RE2JS => {
    try {
      return RE2JS.compile(source, flags);
    } catch (error) {
      throw unusable(regex, error);
    }
  };
  let compiled = compile(regex, RE2JS.MULTILINE);
  const caseSensitive = asked ?? hasUpperCase(regex);
  if (!caseSensitive) compiled = compile(regex, RE2JS.MULTILINE | RE2JS.CASE_INSENSITIVE);
  if (compiled.programSize() > MAX_PROGRAM) {
    throw badPattern("the regular expression is too large", "Repeat less, or look for a part of it.");
  }
  if (compile(withoutAssertions(regex), 0).testExact("")) {
    throw badPattern(
      "the regular expression matches the empty text, so it matches everywhere",
      "Ask for at least one character: `a+` for `a*`, `.+` for `.*`.",
    );
  }
  return { caseSensitive, required: requiredLiterals(regex), find: (text) => regexRanges(compiled, text) };
}

function regexRanges(regex: RE2JS, text: string): Range[] {
  if (!regex.test(text)) return []; // ten times as fast as looking for where
  const ranges: Range[] = [];
  const matcher = regex.matcher(text);
  for (let until = 0; ranges.length < MAX_COUNTED && matcher.find(); ) {
    ranges.push({ start: matcher.start(), end: matcher.end() });
    if (until === 0) until = performance.now() + COUNTING_MS;
    else if (performance.now() > until) break;
  }
  return ranges;
}

function refuseSize(pattern: string): void {
  if (pattern === "") throw badPattern("there is nothing to look for", "Give at least one character.");
  if (pattern.length > MAX_PATTERN) {
    const message = `the pattern is ${pattern.length.toLocaleString("en")} characters long`;
    throw badPattern(message, `Look for a part of it: ${MAX_PATTERN.toLocaleString("en")} are the most.`);
  }
}

const SYNTAX_HINT =
  "Patterns are RE2's (github.com/google/re2/wiki/Syntax); put a \\ before a sign that is meant as itself.";

/** What people write that RE2 has not, by how the part that it refused begins. */
const NOT_IN_RE2: [RegExp, string, string][] = [
  [/^\(\?<?[=!]/, "looking ahead or behind is not supported", "Match what stands there as well."],
  [/^\\(?:[1-9]|k)/, "backreferences are not supported", "Write out what the group may match."],
  [/^\\u/, "\\u is not supported", "Give the character itself, or \\x{…} with its number in hex."],
  [/^\(\?>|^[*+?}]\+/, "atomic and possessive matching is not supported", "Nothing is slow without it."],
];

/** What RE2 says of a pattern, with its place, in words that help. */
function unusable(regex: string, error: unknown): PidexError {
  if (!(error instanceof Error)) throw error;
  const { error: problem = error.message, input } = error as { error?: string; input?: string | null };
  const refused = input && regex.includes(input) ? input : undefined;
  const place =
    refused === undefined ? "" : ` at character ${[...regex.slice(0, regex.indexOf(refused))].length + 1}`;
  const known = NOT_IN_RE2.find(([start]) => refused !== undefined && start.test(refused));
  const [, message, hint] = known ?? [undefined, `the regular expression is wrong: ${problem}`, SYNTAX_HINT];
  const shown = refused === undefined ? "" : ` (${refused.slice(0, 20)})`;
  return badPattern(`${message}${place}${shown}`, hint, error);
}

function badPattern(message: string, hint: string, cause?: unknown): PidexError {
  return new PidexError("BAD_QUERY", message, hint, { cause });
}
