/**
 * How text becomes the words of the full-text index. What is indexed and what is asked both go through
 * `prepareText`, so that they meet; FTS5's `unicode61` tokenizer then only splits at what is no letter or digit,
 * folds case and drops accents.
 */

/** A run of letters and digits this long is data (a key, minified code), not a word. */
const MAX_WORD = 80;
/** A run of base64's alphabet this long is data too, slashes and all; a path is shorter, or has a dot in it. */
const MAX_BASE64 = 256;

const OTHER = 0;
const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
const BASE64_SIGN = 4;

/** The kind of each ASCII character. */
const KINDS = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code);
  if (/[a-z]/.test(character)) KINDS[code] = LOWER;
  else if (/[A-Z]/.test(character)) KINDS[code] = UPPER;
  else if (/[0-9]/.test(character)) KINDS[code] = DIGIT;
  else if (/[+/=]/.test(character)) KINDS[code] = BASE64_SIGN;
}

/**
 * Text as the index takes it: `camelCase` identifiers whole and then by part; runs of Chinese, Japanese and
 * Korean as overlapping pairs, so that a word of two or more characters is found exactly and one character by
 * prefix; no data that is longer than a word can be. One pass, since every byte that is indexed goes through.
 *
 * @example prepareText("parseSessionEntries 数据库")
 * // "parseSessionEntries parse Session Entries  数据 据库 库 "
 */
export function prepareText(text: string): string {
  const { length } = text;
  let prepared = "";
  let copied = 0; // everything before this is in `prepared`
  let runEnd = 0; // end of the current run of base64's alphabet
  let at = 0;
  while (at < length) {
    const code = text.charCodeAt(at);
    if (code >= 128) {
      const end = cjkEnd(text, at, code);
      if (end > at) {
        prepared += text.slice(copied, at) + pairs(text.slice(at, end));
        copied = end;
        at = end;
      } else at++;
      continue;
    }
    const kind = KINDS[code] as number;
    if (kind === OTHER) {
      at++;
      continue;
    }
    if (at >= runEnd) {
      runEnd = base64End(text, at);
      if (runEnd - at > MAX_BASE64) {
        prepared += text.slice(copied, at);
        copied = runEnd;
        at = runEnd;
        continue;
      }
    }
    if (kind === BASE64_SIGN) {
      at++;
      continue;
    }
    const end = wordEnd(text, at);
    if (end - at > MAX_WORD) {
      prepared += text.slice(copied, at);
      copied = end;
    } else if (hasParts(text, at, end) && !goesOn(text, end)) {
      prepared += text.slice(copied, end) + parts(text, at, end);
      copied = end;
    }
    at = end;
  }
  return copied === 0 ? text : prepared + text.slice(copied);
}

function kindAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < 128 ? (KINDS[code] as number) : OTHER;
}

function wordEnd(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length) {
    const kind = kindAt(text, at);
    if (kind === OTHER || kind === BASE64_SIGN) break;
    at++;
  }
  return at;
}

function base64End(text: string, from: number): number {
  let at = from;
  while (at < text.length && kindAt(text, at) !== OTHER) at++;
  return at;
}

/** Whether a part of an identifier starts at `at`: `parse|Session`, `HTTP|Server`, `v2|Ray`. */
function startsPart(text: string, at: number, end: number): boolean {
  if (kindAt(text, at) !== UPPER) return false;
  if (kindAt(text, at - 1) !== UPPER) return true;
  return at + 1 < end && kindAt(text, at + 1) === LOWER;
}

/** Whether a word goes on after its ASCII part, as in `addCafé`: cut there, it would not be found whole. */
function goesOn(text: string, end: number): boolean {
  const point = text.codePointAt(end) ?? 0;
  return point >= 128 && !isCjk(point) && /[\p{L}\p{M}\p{N}]/u.test(String.fromCodePoint(point));
}

function hasParts(text: string, start: number, end: number): boolean {
  for (let at = start + 1; at < end; at++) if (startsPart(text, at, end)) return true;
  return false;
}

function parts(text: string, start: number, end: number): string {
  let split = "";
  let from = start;
  for (let at = start + 1; at < end; at++) {
    if (!startsPart(text, at, end)) continue;
    split += ` ${text.slice(from, at)}`;
    from = at;
  }
  return `${split} ${text.slice(from, end)}`;
}

/** Scripts written without spaces between words, and the two marks that repeat or lengthen in them. */
const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u30fc\u3005]/u;
/** What the tokenizer keeps: a mark alone is no word. */
const INDEXED = /[\p{L}\p{N}\p{Co}]/u;
/** A run of CJK, or a word of anything else. */
const QUERY_WORD = new RegExp(`${CJK.source}+|(?:(?!${CJK.source})[\\p{L}\\p{M}\\p{N}\\p{Co}])+`, "gu");
/** Below this no character is CJK: Hangul Jamo come first. */
const FIRST_CJK = 0x1100;

/** Where the CJK run that starts at `at` ends; `at` itself when none does. */
function cjkEnd(text: string, at: number, code: number): number {
  if (code < FIRST_CJK) return at;
  let end = at;
  while (end < text.length) {
    const point = text.codePointAt(end) as number;
    if (point < FIRST_CJK || !isCjk(point)) break;
    end += point > 0xffff ? 2 : 1;
  }
  return end;
}

function isCjk(point: number): boolean {
  // Nearly all of it is in two blocks; the rest is worth a regular expression.
  if ((point >= 0x4e00 && point <= 0x9fff) || (point >= 0x3041 && point <= 0x3096)) return true;
  return CJK.test(String.fromCodePoint(point));
}

function pairs(run: string): string {
  const characters = Array.from(run);
  // The last character stands alone too: else nothing would start with it.
  return ` ${characters.map((character, n) => character + (characters[n + 1] ?? "")).join(" ")} `;
}

/** A word of a query as the index has it: the words it became, in a row, the last perhaps only a beginning. */
export interface QueryPhrase {
  words: string;
  prefix: boolean;
}

/**
 * What a query asks for. All but its last word is prepared as the index is, so that the words stand in the row
 * they stand in there; the last word is asked for by what the index begins it with: an identifier whole, a run of CJK
 * by its pairs, a single CJK character by what begins with it. Undefined when there is no word in it.
 *
 * @example prepareQuery("src/readLines.ts") // { words: "src/readLines read Lines.ts", prefix: false }
 */
export function prepareQuery(text: string): QueryPhrase | undefined {
  const last = [...text.matchAll(QUERY_WORD)].findLast(([word]) => INDEXED.test(word));
  if (!last) return undefined;
  const [word] = last;
  const before = prepareText(text.slice(0, last.index));
  const after = text.slice(last.index + word.length);
  if (!CJK.test(word)) return { words: before + word + after, prefix: false };
  const single = Array.from(word).length === 1;
  return { words: `${before} ${queryPairs(word)}${after}`, prefix: single && after === "" };
}

function queryPairs(run: string): string {
  const characters = Array.from(run);
  if (characters.length < 2) return run;
  return characters
    .slice(0, -1)
    .map((character, n) => character + characters[n + 1])
    .join(" ");
}

/** The longest part of a text that is indexed: of anything longer, its head and its tail. */
export interface Cap {
  head: number;
  tail: number;
}

/** Cuts the middle out of a text that is longer than its cap allows. */
export function capText(text: string, { head, tail }: Cap): string {
  if (text.length <= head + tail) return text;
  return `${text.slice(0, head)}\n${text.slice(text.length - tail)}`;
}
