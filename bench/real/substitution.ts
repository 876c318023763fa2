import { createHash } from "node:crypto";

/**
 * Full UUIDs, runs of hex digits, and words of at least four letters, also inside identifiers and paths. Shorter and capitalized
 * words, and scripts other than Latin, stay the same in all copies.
 */
const TOKEN =
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<![0-9A-Za-z])[0-9a-f]{7,}(?![0-9A-Za-z])|[A-Za-z][a-z]{3,}/g;
const VOWELS = "aeiou";
const CONSONANTS = "bcdfghjklmnpqrstvwxyz";
/** Vocabularies grow with about this power of the length of a text (Heaps' law). */
const GROWTH_EXPONENT = 0.6;

/** The words that stay the same in all copies. */
export type CommonWords = ReadonlySet<string>;

/** Replaces ids and a share of the words in one copy of a user's sessions, the same ones everywhere in the copy. */
export class Substitution {
  readonly #copy: number;
  readonly #common: CommonWords;
  readonly #share: number;
  readonly #known = new Map<string, string>();

  /** @param copy from 0, which keeps its words but gets other ids */
  constructor(copy: number, common: CommonWords) {
    this.#copy = copy;
    this.#common = common;
    // As many new words as the vocabulary gains when a text of `copy` parts gets one more.
    this.#share = copy === 0 ? 0 : (copy + 1) ** GROWTH_EXPONENT - copy ** GROWTH_EXPONENT;
  }

  apply(text: string): string {
    return text.replace(TOKEN, (token) => {
      let replaced = this.#known.get(token);
      if (replaced === undefined) {
        replaced = this.#replace(token);
        this.#known.set(token, replaced);
      }
      return replaced;
    });
  }

  #replace(token: string): string {
    // Words of the letters a to f are rarely ids.
    if (/^[0-9a-f-]+$/.test(token) && /\d/.test(token)) return this.#replaceHex(token);
    const word = token.toLowerCase();
    const digest = this.#digest(word);
    // "jsonl" is part of the names of session files.
    const isKept =
      word === "jsonl" || this.#common.has(word) || digest.readUInt32BE(0) / 2 ** 32 >= this.#share;
    return isKept ? token : replaceLetters(token, digest);
  }

  #replaceHex(token: string): string {
    const digits = this.#digest(token).toString("hex");
    // Keeps the hyphens and the version of a UUID.
    return [...token]
      .map((digit, n) => (digit === "-" || n === 14 ? digit : digits[n % digits.length]))
      .join("");
  }

  #digest(token: string): Buffer {
    return createHash("sha256").update(`${this.#copy} ${token}`).digest();
  }
}

/** A word of the same length and case, with vowels where the other has some, so that it looks like a word. */
function replaceLetters(word: string, digest: Buffer): string {
  return [...word]
    .map((letter, n) => {
      const lower = letter.toLowerCase();
      const letters = VOWELS.includes(lower) ? VOWELS : CONSONANTS;
      const other = letters[(digest[4 + (n % 28)] as number) % letters.length] as string;
      return letter === lower ? other : other.toUpperCase();
    })
    .join("");
}
