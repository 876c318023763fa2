import { closeSync, fstatSync, openSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { INITIAL_READ_STATE, readSession } from "../src/session/read.ts";
import { extractEntryText } from "../src/session/text.ts";

/** Only scripts with spaces between words, and no digits: ripgrep finds such a word in the file's JSON as it is. */
const WORD =
  /(?<![\p{L}\p{N}_])[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Arabic}]{3,24}(?![\p{L}\p{N}_])/gu;
const HAN = /\p{Script=Han}{2,}/gu;
/** Enough for words in one of a hundred thousand entries of a root of any size. */
const SAMPLE_CHARACTERS = 12_000_000;
/** The start of each text: words of long output would fill the sample. */
const MAX_TEXT_CHARACTERS = 4000;

/** The words of a root, from a sample of its entries. */
export interface RootWords {
  /** Lowercase words, most frequent first: the share of entries that contain each. */
  words: ReadonlyMap<string, number>;
  /** Pairs of Chinese characters, most frequent first. */
  hanPairs: readonly string[];
  /** The word that most often follows another, after one space; undefined if none does. */
  follower(word: string): string | undefined;
}

/** Samples the words of the session files below a folder, the same ones on each run. */
export function sampleWords(root: string, characters = SAMPLE_CHARACTERS): RootWords {
  const texts = sampleTexts(root, characters);
  const words = countTexts(texts, (text) => text.match(WORD) ?? []);
  const pairs = countTexts(texts, (text) => (text.match(HAN) ?? []).flatMap(toPairs));
  return {
    words: new Map(words.map(([word, count]) => [word, count / texts.length])),
    hanPairs: pairs.map(([pair]) => pair),
    follower: (word) => findFollower(texts, word),
  };
}

/** Session files below a folder, by path. */
export function listSessionFiles(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .sort();
}

/** Lowercase texts of entries from all files: as many from each, because the first ones may be all of one time and project. */
function sampleTexts(root: string, characters: number): string[] {
  const files = listSessionFiles(root);
  const texts: string[] = [];
  let left = characters;
  files.forEach((file, n) => {
    let share = left / (files.length - n);
    for (const text of readTexts(join(root, file))) {
      texts.push(text);
      share -= text.length;
      left -= text.length;
      if (share <= 0) break;
    }
  });
  return texts;
}

function* readTexts(path: string): Generator<string> {
  const descriptor = openSync(path, "r");
  try {
    for (const { entry } of readSession(descriptor, { ...INITIAL_READ_STATE }, fstatSync(descriptor).size)) {
      if (!entry) continue;
      const { said, called, output } = extractEntryText(entry);
      const text = [said, called, output].join("\n").slice(0, MAX_TEXT_CHARACTERS).trim().toLowerCase();
      if (text) yield text;
    }
  } finally {
    closeSync(descriptor);
  }
}

/** The number of texts with each word, most frequent first, and in the order of the alphabet where it is the same. */
function countTexts(texts: readonly string[], split: (text: string) => string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const word of new Set(split(text))) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
}

function toPairs(text: string): string[] {
  const characters = [...text];
  return characters.slice(1).map((character, n) => `${characters[n]}${character}`);
}

function findFollower(texts: readonly string[], word: string): string | undefined {
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}_])${word} (${WORD.source})`, "gu");
  const followers = countTexts(texts, (text) =>
    [...text.matchAll(pattern)].map(([, next]) => next as string),
  );
  return followers[0]?.[0];
}
