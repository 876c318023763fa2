/**
 * ASCII words, which are nearly all of the indexed text: where they end, which are identifiers with several parts, and
 * which are data rather than words.
 */

export const OTHER = 0;
const BASE64_SIGN = 1;
/** Kinds from this one are letters and digits. */
export const WORD = 2;
const LOWER = WORD;
export const UPPER = 3;
const DIGIT = 4;

/** The kind of each ASCII character. */
export const ASCII_KINDS = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code);
  if (/[a-z]/.test(character)) ASCII_KINDS[code] = LOWER;
  else if (/[A-Z]/.test(character)) ASCII_KINDS[code] = UPPER;
  else if (/[0-9]/.test(character)) ASCII_KINDS[code] = DIGIT;
  else if (/[+/=]/.test(character)) ASCII_KINDS[code] = BASE64_SIGN;
}

function kindAt(text: string, at: number): number {
  const code = text.charCodeAt(at); // NaN after the end, which is not below 128
  return code < 128 ? (ASCII_KINDS[code] as number) : OTHER;
}

/** Whether the character is an ASCII letter or digit. */
export function isAlphanumeric(text: string, at: number): boolean {
  return kindAt(text, at) >= WORD;
}

/** A longer run of base64 characters is data, including its slashes; paths are shorter or contain a dot. */
const MAX_BASE64 = 256;

/** Where the data that starts at `at` ends. `end` is `at` if no data starts there, nor at any position before `noneBefore`. */
export function findDataEnd(text: string, at: number): { end: number; noneBefore: number } {
  // Backwards: usually one comparison per 256 characters is enough.
  let last = Math.min(at + MAX_BASE64, text.length);
  while (last > at && kindAt(text, last) !== OTHER) last--;
  if (last > at) return { end: at, noneBefore: last };
  let end = at + MAX_BASE64 + 1;
  while (kindAt(text, end) !== OTHER) end++;
  return { end, noneBefore: end };
}

/**
 * Where the part of an ASCII identifier that starts at `from` ends: `parse|Session`, `HTTP|Server`, `v2|Ray`.
 */
export function findPartEnd(text: string, from: number, end: number): number {
  let before = ASCII_KINDS[text.charCodeAt(from)];
  for (let at = from + 1; at < end; at++) {
    const kind = ASCII_KINDS[text.charCodeAt(at)];
    if (kind === UPPER) {
      if (before !== UPPER) return at;
      if (at + 1 < end && ASCII_KINDS[text.charCodeAt(at + 1)] === LOWER) return at;
    }
    before = kind;
  }
  return end;
}

export const PLUS = 0x2b;
export const SHARP = 0x23;
const UNDERSCORE = 0x5f;

/**
 * Where the signs after a name end: `C++`, `g++`, `F#`. Returns `end` if none belong to the name, as in `a++b`, `C+++`,
 * `a#b` or `x#1`. `C++20` is C++ too. As a side effect `i++` is a word, which costs little.
 */
export function findNameSuffixEnd(text: string, start: number, end: number): number {
  const code = text.charCodeAt(end);
  if (code !== SHARP && (code !== PLUS || text.charCodeAt(end + 1) !== PLUS)) return end;
  if (kindAt(text, start) === DIGIT) return end;
  const signs = end + (code === PLUS ? 2 : 1);
  const next = text.charCodeAt(signs);
  if (next === PLUS || next === SHARP || next === UNDERSCORE) return end;
  const kind = kindAt(text, signs);
  const goesOn = kind === LOWER || kind === UPPER || (kind === DIGIT && code === SHARP);
  return goesOn ? end : signs;
}

export const DOT = 0x2e;

/** The longest name, in characters. */
const MAX_NAME = 256;
/** The longest part of a name, and the shortest average length of parts: random letters change case more often. */
const MAX_NAME_PART = 24;
const MIN_NAME_PART = 3.5;

/** Whether a long run of letters and digits looks like a name, of a test or a type, rather than a key. */
export function isLongName(text: string, start: number, end: number): boolean {
  if (end - start > MAX_NAME) return false;
  let parts = 0;
  let digits = 0;
  for (let from = start; from < end; parts++) {
    const to = findPartEnd(text, from, end);
    if (to - from > MAX_NAME_PART) return false;
    for (let at = from; at < to; at++) if (ASCII_KINDS[text.charCodeAt(at)] === DIGIT) digits++;
    from = to;
  }
  return (end - start) / parts >= MIN_NAME_PART && digits * 10 <= end - start;
}

/** With fewer letters before it, a number is not separated: `v2`, `rc1`. */
const MIN_NUMBERED = 3;

/** Where a part of a name ends without its trailing number: `Request|2`. Returns `end` if it has none. */
export function trimTrailingDigits(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && ASCII_KINDS[text.charCodeAt(at - 1)] === DIGIT) at--;
  const before = kindAt(text, at - 1);
  return at - start >= MIN_NUMBERED && (before === LOWER || before === UPPER) ? at : end;
}

/** The number of a version with a letter prefix, `20.11.1` of `v20.11.1`; the word from `start` to `end` is `v20`. */
export function findVersion(
  text: string,
  start: number,
  end: number,
): { start: number; end: number } | undefined {
  let number = end;
  while (number > start && ASCII_KINDS[text.charCodeAt(number - 1)] === DIGIT) number--;
  if (number === start || number === end) return undefined;
  let last = end;
  while (text.charCodeAt(last) === DOT && kindAt(text, last + 1) === DIGIT) {
    last++;
    while (kindAt(text, last) === DIGIT) last++;
  }
  return last > end ? { start: number, end: last } : undefined;
}
