/** Reads of a search as you type, where the last word is the beginning of one. */
import type { HitConditions } from "../../src/store/conditions.ts";
import type { Position, PositionRange } from "../../src/store/position.ts";
import type { CountedText, HitWindow, SearchReads } from "../../src/store/search-reads.ts";
import { type Phrase, type TextExpression, toPhrase } from "../../src/store/text-expression.ts";
import { prepareQuery } from "../../src/store/words/prepare-text.ts";
import type { SearchTerm } from "../compile-query.ts";

/** Maximum number of words that are searched in place of a prefix. */
const MAX_WORDS = 400;

/** The words of the vocabulary, which are of letters only. */
const PLAIN_WORD = /^(?:[a-z]{3,32}|[\u0370-\u052f]{3,32})$/;

/**
 * Returns reads that search for the words of the vocabulary in place of prefixes of them, if that is faster in this store. Results are
 * approximate: words with digits are missing. Undefined if no term is such a prefix.
 */
export async function toTypingReads(
  reads: SearchReads,
  terms: readonly SearchTerm[],
): Promise<SearchReads | undefined> {
  const expansions = new Map<string, readonly string[]>();
  for (const { text, prefix } of terms) {
    const phrase = prepareQuery(text);
    const last = phrase?.words.split(" ").at(-1);
    if (!phrase || !(prefix || phrase.prefix) || last === undefined || !PLAIN_WORD.test(last)) continue;
    const words = await reads.words.findForTyping(last, MAX_WORDS);
    if (words.length > 0) expansions.set(last, words);
  }
  return expansions.size > 0 ? new TypingReads(reads, expansions) : undefined;
}

class TypingReads implements SearchReads {
  readonly #reads: SearchReads;
  /** The words that begin with each prefix. */
  readonly #expansions: ReadonlyMap<string, readonly string[]>;

  constructor(reads: SearchReads, expansions: ReadonlyMap<string, readonly string[]>) {
    this.#reads = reads;
    this.#expansions = expansions;
  }

  get words(): SearchReads["words"] {
    return this.#reads.words;
  }

  readStatistics(counted: readonly CountedText[]) {
    return this.#reads.readStatistics(
      counted.map(({ text, limit }) => ({ text: this.#expand(text), limit })),
    );
  }

  countEntries(texts: readonly TextExpression[], limit: number, before: Position) {
    return this.#reads.countEntries(this.#expandAll(texts), limit, before);
  }

  findHits(conditions: HitConditions, window: HitWindow) {
    return this.#reads.findHits(this.#expandConditions(conditions), window);
  }

  findMatches(conditions: HitConditions, window: HitWindow) {
    return this.#reads.findMatches(this.#expandConditions(conditions), window);
  }

  getHits(positions: readonly Position[]) {
    return this.#reads.getHits(positions);
  }

  findFirstEntries(...[session, conditions, ...rest]: Parameters<SearchReads["findFirstEntries"]>) {
    return this.#reads.findFirstEntries(session, this.#expandConditions(conditions), ...rest);
  }

  findPossibleCopies(...params: Parameters<SearchReads["findPossibleCopies"]>) {
    return this.#reads.findPossibleCopies(...params);
  }

  findRange(conditions: Pick<HitConditions, "session" | "entry">, before: Position) {
    return this.#reads.findRange(conditions, before);
  }

  score(texts: readonly TextExpression[], within: PositionRange) {
    return this.#reads.score(this.#expandAll(texts), within);
  }

  /** Of phrases, only those that end in the word as it is typed. */
  async findPositions(text: TextExpression, within: PositionRange) {
    const whole = this.#toWholeWords(text);
    return whole ? this.#reads.findPositions(whole, within) : [];
  }

  readFacetValues(files: ReadonlySet<number>, positions: readonly Position[]) {
    return this.#reads.readFacetValues(files, positions);
  }

  #expandConditions(conditions: HitConditions): HitConditions {
    const { texts, scored } = conditions;
    return { ...conditions, texts: this.#expandAll(texts), scored: this.#expandAll(scored) };
  }

  #expandAll(texts: readonly TextExpression[]): TextExpression[] {
    return texts.map((text) => this.#expand(text));
  }

  #expand(text: TextExpression): TextExpression {
    switch (text.kind) {
      case "phrase": {
        const words = text.prefix ? this.#expansions.get(text.words) : undefined;
        return words ? { kind: "any", of: words.map((word) => toPhrase(word, false)) } : text;
      }
      case "all":
      case "any":
        return { kind: text.kind, of: this.#expandAll(text.of) };
      default:
        return text;
    }
  }

  #toWholeWords(text: TextExpression): TextExpression | undefined {
    if (text.kind === "phrase") return this.#toWholeWord(text);
    if (text.kind !== "near") return text;
    const phrases = text.phrases.flatMap((each) => this.#toWholeWord(each) ?? []);
    return phrases.length === text.phrases.length ? { ...text, phrases } : undefined;
  }

  #toWholeWord(phrase: Phrase): Phrase | undefined {
    if (!phrase.prefix) return phrase;
    const last = phrase.words.slice(phrase.words.lastIndexOf(" ") + 1);
    const words = this.#expansions.get(last);
    if (!words) return phrase;
    return words.includes(last) ? toPhrase(phrase.words, false) : undefined;
  }
}
