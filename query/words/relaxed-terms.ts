import { findPartEnd } from "../../src/store/words/ascii.ts";
import { getCharacterKind, UNSPACED } from "../../src/store/words/fold.ts";
import { IndexedText, type Token } from "../../src/store/words/tokens.ts";
import { extractTexts, type QueryNode } from "../query-tree.ts";

/** A word of a query, or a pair of Chinese or Japanese characters, that closest matches may lack. */
export interface RelaxedTerm {
  /** As indexed. */
  word: string;
  /** As written. */
  text: string;
  /** Whether words that begin with it match too. Other forms then match only if no such word exists. */
  prefix: boolean;
  /** The parts of an identifier as a phrase: `parse session` for `parseSession`. */
  parts?: string;
  /** Weight from 0 to 1, independent of its rarity. */
  weight: number;
  /** Whether to search for other forms and spellings. */
  hasForms: boolean;
}

/** The terms of one written word, or the operands of an OR. Missing if none of its terms is found. */
export interface RelaxedGroup {
  /** As written. */
  text: string;
  terms: RelaxedTerm[];
  /** Whether one term is sufficient: the operands of an OR. */
  isOr: boolean;
}

/** Minimum length of a prefix; shorter ones match too many words. */
const MIN_PREFIX = 3;
/** Weight of numbers in pasted text, which are mostly line numbers, times and ports. */
const PASTED_NUMBER_WEIGHT = 0.25;
/** Weight of a path's folders, lower than that of its file name. */
const FOLDER_WEIGHT = 0.4;
/** Weight of hiragana, which is mostly grammar. */
const KANA_WEIGHT = 0.3;
const MIXED_KANA_WEIGHT = 0.7;

/** Converts relaxable nodes of a query to groups of terms. */
export function toRelaxedGroups(nodes: readonly QueryNode[], isPaste: boolean): RelaxedGroup[] {
  return nodes.flatMap((node): RelaxedGroup[] => {
    const texts = extractTexts(node, "without excluded");
    const terms = texts.flatMap(({ text, prefix }) => looseTerms(text, prefix, isPaste));
    if (terms.length === 0) return [];
    return [{ text: texts.map(({ text }) => text).join(" OR "), terms, isOr: node.kind === "or" }];
  });
}

const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi;

/** The terms of a text without spaces. */
function looseTerms(text: string, prefix: boolean, isPaste: boolean): RelaxedTerm[] {
  const plain = isPaste ? text.replace(UUID, (id) => " ".repeat(id.length)) : text;
  const tokens = new IndexedText(plain, "none").tokens();
  const nameStart = pathNameStart(plain);
  const terms: RelaxedTerm[] = [];
  if (prefix && tokens.length === 1 && (tokens[0]?.word.length ?? 0) < MIN_PREFIX) return terms;
  for (const [n, token] of tokens.entries()) {
    const isDense = text.charCodeAt(token.start) >= 128 && getCharacterKind(text, token.start) === UNSPACED;
    if (isDense) {
      const isRunEnd = token.start < (tokens[n - 1]?.end ?? 0) && token.end === tokens[n - 1]?.end;
      if (!isRunEnd) terms.push(denseTerm(text, token));
      continue;
    }
    if (isPaste && isHex(token.word)) continue;
    const written = text.slice(token.start, token.end);
    const isLast = n === tokens.length - 1;
    const parts = identifierParts(written);
    const isNumber = /^\p{N}+$/u.test(token.word);
    terms.push({
      word: token.word,
      text: written,
      prefix: prefix && isLast,
      ...(parts && { parts }),
      weight:
        (isNumber && isPaste ? PASTED_NUMBER_WEIGHT : 1) * (token.start < nameStart ? FOLDER_WEIGHT : 1),
      hasForms: !isNumber,
    });
  }
  return terms;
}

/** A pair of characters. A single character matches as a prefix. */
function denseTerm(text: string, { word, start, end }: Token): RelaxedTerm {
  const written = text.slice(start, end);
  const kana = [...written].filter((character) => /\p{Script=Hiragana}/u.test(character)).length;
  const weight = kana === 0 ? 1 : kana === [...written].length ? KANA_WEIGHT : MIXED_KANA_WEIGHT;
  return { word, text: written, prefix: [...word].length === 1, weight, hasForms: false };
}

/** Offset of the last name of a path; 0 if the text is not a path. */
function pathNameStart(text: string): number {
  const trimmed = text.replace(/[/\\]+$/, "");
  return trimmed.search(/[^/\\]*$/);
}

/** Whether a word is a hash, an address or part of an id: `0x…`, or six or more hexadecimal digits with letters and digits. */
function isHex(word: string): boolean {
  return /^0x[0-9a-f]+$/.test(word) || (/^[0-9a-f]{6,}$/.test(word) && /\d/.test(word) && /[a-f]/.test(word));
}

/** The parts of an identifier as one phrase; undefined for other words. */
function identifierParts(written: string): string | undefined {
  if (!/^[\x21-\x7e]+$/.test(written)) return undefined;
  const parts: string[] = [];
  for (let from = 0; from < written.length; ) {
    const to = findPartEnd(written, from, written.length);
    parts.push(written.slice(from, to).toLowerCase());
    from = to;
  }
  return parts.length > 1 ? parts.join(" ") : undefined;
}
