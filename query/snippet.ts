import type { Snippet } from "./answers.ts";
import type { Term } from "./match.ts";

/** How much text a snippet shows, in UTF-16 units, about. */
const WIDTH = 160;

/** The longest text a snippet is looked for in; the index itself holds less of any part. */
const MAX_SEARCHED = 1 << 20;

/**
 * The piece of a text that shows best why it matched, on one line, and where the words are in it. Undefined
 * when none of the terms is there.
 */
export function snippet(text: string, terms: readonly Term[]): Snippet | undefined {
  const searched = text.slice(0, characterBorder(text, MAX_SEARCHED));
  const found = findTerms(searched, terms);
  const [first] = found;
  if (!first) return undefined;
  return cutOut(searched, bestWindow(found), found);
}

/** The beginning of a text, for a hit whose words were in a part that is not shown. */
export function opening(text: string): Snippet {
  return cutOut(text.slice(0, MAX_SEARCHED), { start: 0, end: 0 }, []);
}

/** Finds looked at in one text: enough to choose a place. */
const MAX_FOUND = 1000;

interface Range {
  start: number;
  end: number;
}

/** Where terms stand in a text, in order, without overlaps. */
function findTerms(text: string, terms: readonly Term[]): Range[] {
  const folded = fold(text);
  const ranges: Range[] = [];
  for (const term of terms) {
    const words = fold(term.text)
      .replace(/[\u0300-\u036f]/g, "")
      .match(WORD);
    if (!words) continue;
    // The words of a term in a row, whatever signs stand between them, or none inside an identifier.
    const pattern = new RegExp(words.map(withAccents).join("[^\\p{L}\\p{N}]{0,100}?"), "gu");
    for (const { index, 0: found } of folded.matchAll(pattern)) {
      const range = { start: index, end: index + found.length };
      if (isWhole(text, range, term)) ranges.push(range);
      if (ranges.length > MAX_FOUND) break;
    }
  }
  ranges.sort((a, b) => a.start - b.start || b.end - a.end);
  const apart: Range[] = [];
  for (const range of ranges) if (range.start >= (apart.at(-1)?.end ?? 0)) apart.push(range);
  return apart;
}

/** A word as a pattern: in the text, accents may stand as characters of their own behind any letter. */
function withAccents(word: string): string {
  return Array.from(word, (character) => `${character}[\u0300-\u036f]*`).join("");
}

const WORD = /[\p{L}\p{N}]+/gu;
const CJK = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u30fc\u3005]/u;

/** Whether a find starts and ends where a word or a part of an identifier does: `test`, but not in `latest`. */
function isWhole(text: string, { start, end }: Range, { prefix }: Term): boolean {
  return isBorder(text, start) && (prefix || isBorder(text, end));
}

function isBorder(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 9), at).match(/(.)[\u0300-\u036f]*$/su)?.[1] ?? "";
  const after = String.fromCodePoint(text.codePointAt(at) ?? 0x20);
  const joined = /[\p{L}\p{N}]/u.test(before) && /[\p{L}\p{N}]/u.test(after);
  return !joined || CJK.test(before) || CJK.test(after) || startsPart(before, after, text[at + 1]);
}

/** `parse|Session`, `HTTP|Server`, as the index splits identifiers. */
function startsPart(before: string, after: string, next = ""): boolean {
  return /\p{Lu}/u.test(after) && (!/\p{Lu}/u.test(before) || /\p{Ll}/u.test(next));
}

/**
 * Lower case, without accents, and of the same length: a character that would change its length stays as it
 * is, so that ranges found here are ranges of the text.
 */
function fold(text: string): string {
  const lower = text.toLowerCase();
  const sameLength = lower.length === text.length ? lower : Array.from(text, foldCharacter).join("");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the border of ASCII is meant
  return sameLength.replace(/[^\x00-\x7f]/gu, stripAccent);
}

function foldCharacter(character: string): string {
  const lower = character.toLowerCase();
  return lower.length === character.length ? lower : character;
}

/** As the index does: only letters of ASCII lose their accents, so that が is not か nor й и. */
function stripAccent(character: string): string {
  if (character === "ς") return "σ";
  const [plain = ""] = character.normalize("NFD");
  return plain.length === character.length && plain <= "\x7f" ? plain : character;
}

/** The stretch of at most `WIDTH` that holds the most finds; the first of equals. */
function bestWindow(found: readonly Range[]): Range {
  let best = { start: 0, end: 0 };
  let most = 0;
  let from = 0;
  found.forEach((last, to) => {
    while ((found[from] as Range).start < last.end - WIDTH && from < to) from++;
    const count = to - from + 1;
    if (count <= most) return;
    most = count;
    best = { start: (found[from] as Range).start, end: last.end };
  });
  return best;
}

function cutOut(text: string, window: Range, found: readonly Range[]): Snippet {
  const room = Math.max(0, WIDTH - (window.end - window.start));
  const start = wordBorder(text, Math.max(0, window.start - Math.floor(room / 2)), window.start);
  const end = Math.min(text.length, Math.max(window.end, start + WIDTH));
  return onOneLine(text, characterBorder(text, start), characterBorder(text, end), found);
}

/** The start of a word at or after `from`, but not after `limit`. */
function wordBorder(text: string, from: number, limit: number): number {
  if (from === 0) return 0;
  const space = text.slice(from, limit).search(/\s\S/);
  return space === -1 || space > 30 ? from : from + space + 1;
}

/** Not between the two halves of a surrogate pair. */
function characterBorder(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return at > 0 && code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}

/** The text between two borders with each run of white space as one space, and the ranges moved along. */
function onOneLine(text: string, start: number, end: number, found: readonly Range[]): Snippet {
  let line = start > 0 ? "…" : "";
  const moved = new Map<number, number>();
  const marks = new Set(found.flatMap((range) => [range.start, range.end]));
  let space = false;
  for (let at = start; at <= end; at++) {
    const white = at < end && /\s/.test(text[at] as string);
    if (!white && space && at < end) {
      if (line !== "" && line !== "…") line += " ";
      space = false;
    }
    if (marks.has(at)) moved.set(at, line.length);
    if (white) space = true;
    else if (at < end) line += text[at];
  }
  const ranges = found.flatMap((range): [number, number][] => {
    const from = moved.get(range.start);
    const to = moved.get(range.end);
    return from === undefined || to === undefined || to <= from ? [] : [[from, to]];
  });
  return { text: end < text.length ? `${line}…` : line, ranges };
}
