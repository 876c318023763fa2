import { type TextExpression, toPhrase } from "../../src/store/text-expression.ts";
import { MAX_PLAIN_WORD } from "../../src/store/words/plain-words.ts";
import type { Languages } from "./languages.ts";
import type { RelaxedTerm } from "./relaxed-terms.ts";
import { findCorrections } from "./spelling.ts";
import { MAX_COUNTED_ENTRIES, type Vocabulary } from "./vocabulary.ts";

/** A form of a term and how well it matches. */
export interface Variant {
  expression: TextExpression;
  /** From 0 to 1; 1 is the word itself. */
  quality: number;
  /** The words it searches for, as indexed; snippets highlight them. */
  words: { text: string; prefix: boolean }[];
  /** Whether it corrects the spelling of the term. */
  isCorrection: boolean;
}

/** Maximum number of indexed words compared with one word. */
const MAX_COMPARED = 3_000;
const MAX_FORMS = 24;
/** Forms of a word share at least `MIN_SHARED` initial letters and differ by at most `MAX_LONGER` letters in length. */
const MIN_SHARED = 3;
const MAX_LONGER = 6;
/** Words are split into at most `MAX_PARTS` indexed words of at least `MIN_PART` letters. */
const MAX_PARTS = 4;
const MIN_PART = 3;
const MAX_SPLITS = 24;
const MIN_PREFIX = 4;

const QUALITY = {
  parts: 0.95,
  joined: 0.9,
  stem: 0.9,
  otherStem: 0.65,
  related: 0.5,
  beginning: 0.45,
  oneEdit: 0.8,
  twoEdits: 0.6,
} as const;

/** Returns the term itself and the indexed words that may match instead of it, best first. */
export async function findVariants(
  term: RelaxedTerm,
  neighbor: RelaxedTerm | undefined,
  vocabulary: Vocabulary,
  languages: Languages,
  isPaste: boolean,
): Promise<Variant[]> {
  const exact = variant(1, [{ text: term.word, prefix: term.prefix }]);
  if (!term.hasForms) return [exact];
  if (term.prefix && (await vocabulary.hasMatch(exact.expression))) return [exact];
  const docs = (await vocabulary.countEntries([term.word]))[0]?.docs ?? 0;
  const variants = [exact];
  if (term.parts) variants.push(variant(QUALITY.parts, [{ text: term.parts, prefix: false }]));
  if (docs >= MAX_COUNTED_ENTRIES) return variants;
  const joined = neighbor && (await vocabulary.filterKnown([term.word + neighbor.word]));
  if (joined?.[0]) variants.push(variant(QUALITY.joined, [{ text: joined[0], prefix: false }]));
  variants.push(...(await findForms(term.word, vocabulary, languages)));
  if (docs > 0) return variants;
  const parts = await splitWord(term.word, vocabulary);
  if (parts) variants.push(variant(QUALITY.joined, [{ text: parts, prefix: false }]));
  // Words stay in the vocabulary after their last entry is removed.
  for (const { expression, quality } of variants) {
    const isForm = quality >= QUALITY.stem && quality < QUALITY.parts;
    if (isForm && (await vocabulary.hasMatch(expression))) return variants;
  }
  for (const { word, edits } of await findCorrections(term.word, vocabulary, isPaste ? 1 : 2)) {
    const quality = edits === 1 ? QUALITY.oneEdit : QUALITY.twoEdits;
    variants.push({ ...variant(quality, [{ text: word, prefix: false }]), isCorrection: true });
  }
  return variants;
}

function variant(quality: number, words: Variant["words"]): Variant {
  const expression = { kind: "any", of: words.map(({ text, prefix }) => toPhrase(text, prefix)) } as const;
  return { expression, quality, words, isCorrection: false };
}

/** Words with the same stem, and words that share most of their letters: `flaky` and `flakiness`. */
async function findForms(word: string, vocabulary: Vocabulary, languages: Languages): Promise<Variant[]> {
  if (word.length < MIN_PREFIX) return [];
  const prefix = commonPrefix(word, languages.shortestStem(word));
  const shared = Math.max(MIN_SHARED, Math.min(prefix, word.length - 1), Math.floor(0.45 * word.length));
  const near = await vocabulary.findByPrefix(word.slice(0, shared), MAX_COMPARED, {
    min: word.length - MAX_LONGER,
    max: word.length + MAX_LONGER,
  });
  const stems: string[] = [];
  const otherStems: string[] = [];
  const related: string[] = [];
  for (const each of near) {
    if (each === word) continue;
    const same = languages.haveSameStem(word, each);
    if (same === "likely") stems.push(each);
    else if (same === "perhaps") otherStems.push(each);
    else if (areRelated(word, each)) related.push(each);
  }
  const variants = [
    [QUALITY.stem, stems],
    [QUALITY.otherStem, otherStems],
    [QUALITY.related, related],
  ] as const;
  return [
    ...variants.flatMap(([quality, words]) =>
      words.length > 0 ? [variant(quality, nearestInLength(words, word))] : [],
    ),
    variant(QUALITY.beginning, [{ text: word, prefix: true }]),
  ];
}

function nearestInLength(words: readonly string[], word: string): Variant["words"] {
  const difference = (each: string) => Math.abs(each.length - word.length);
  return words
    .toSorted((a, b) => difference(a) - difference(b))
    .slice(0, MAX_FORMS)
    .map((text) => ({ text, prefix: false }));
}

function commonPrefix(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

/** Whether two words share enough initial letters that one may be derived from the other. */
function areRelated(a: string, b: string): boolean {
  const shared = commonPrefix(a, b);
  return shared >= 5 && shared >= 0.7 * Math.max(a.length, b.length);
}

/** Splits a word into indexed words: `parsesession` into `parse session`. */
async function splitWord(word: string, vocabulary: Vocabulary): Promise<string | undefined> {
  if (word.length < 2 * MIN_PART || word.length > MAX_PLAIN_WORD || !/^[a-z]+$/.test(word)) return undefined;
  const pieces = new Set<string>();
  for (let from = 0; from < word.length; from++) {
    for (let to = from + MIN_PART; to <= word.length; to++) pieces.add(word.slice(from, to));
  }
  const known = new Set(await vocabulary.filterKnown(pieces));
  const found: string[][] = [];
  const take = (from: number, parts: string[]): void => {
    if (from === word.length && parts.length > 1) found.push(parts);
    if (from === word.length || parts.length === MAX_PARTS || found.length >= MAX_SPLITS) return;
    for (let to = word.length; to >= from + MIN_PART; to--) {
      const piece = word.slice(from, to);
      if (known.has(piece)) take(to, [...parts, piece]);
    }
  };
  take(0, []);
  // Of all splits, the one that occurs as a phrase: most are indexed words only by chance.
  const phrases = found.toSorted((a, b) => a.length - b.length).map((parts) => parts.join(" "));
  const counted = await vocabulary.countEntries(phrases);
  return counted.length > 0 ? phrases.find((each) => counted.some(({ word }) => word === each)) : undefined;
}
