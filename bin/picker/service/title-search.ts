/** Finds sessions by their titles, as fuzzy finders do: docs/decisions/0028-fuzzy-titles.md. */
import fuzzysort from "fuzzysort";
import { getSessionTitle } from "../../format/titles.ts";
import type { ShownSession } from "../model/view.ts";

/** A session with a title that matches. */
export interface TitleMatch {
  session: ShownSession;
  /** Positions of the matched characters in the title, in UTF-16 code units. */
  positions: number[];
  /** Titles with the same rank match similarly well; the highest is best. */
  rank: number;
  /** Whether words, or beginnings of words, match; otherwise only the order of the letters does. */
  isStrong: boolean;
}

/** Scores are between 0 and 1. From the first on, words or beginnings of words match; below the second, most matches are accidental. */
const STRONG_SCORE = 0.6;
const MIN_SCORE = 0.25;
/** Differences in score below this are smaller than the difference between a new and an old session. */
const SCORE_STEP = 0.1;
const MAX_MATCHES = 200;
/** Characters of a title that are matched, about as many as a row shows. In a long first message, the letters of any word occur in order. */
const MAX_LENGTH = 100;
/** Titles with all words, and other titles with all letters, that are scored: of each the first of the list. */
const MAX_SCORED = 200;
/** fuzzysort keeps 2 KB for every title it scores, until its cache is cleared. */
const MAX_CACHED = 1000;

interface Titles {
  of: readonly ShownSession[];
  /** As they are matched, in lower case without diacritics. */
  folded: readonly string[];
}

export class TitleSearch {
  /** Prepared once per list. */
  #prepared: Titles | undefined;
  #cachedCount = 0;

  /** The best matches first; of similar ones, those that are first in the list. */
  find(sessions: readonly ShownSession[], text: string): TitleMatch[] {
    return this.#score(this.#select(sessions, text, { byLetters: true }), text, MIN_SCORE);
  }

  /** The strong matches of `find` that contain all words. Takes a tenth of the time, because few titles are scored. */
  findWords(sessions: readonly ShownSession[], text: string): TitleMatch[] {
    return this.#score(this.#select(sessions, text, { byLetters: false }), text, STRONG_SCORE);
  }

  /** Sessions with titles that may match, in the order of the list. */
  #select(
    sessions: readonly ShownSession[],
    text: string,
    { byLetters }: { byLetters: boolean },
  ): ShownSession[] {
    const words = fold(text).split(/\s+/);
    const candidates: ShownSession[] = [];
    let withWords = 0;
    let withLetters = 0;
    const { folded } = this.#prepare(sessions);
    for (let n = 0; n < folded.length; n++) {
      const title = folded[n] as string;
      if (withWords < MAX_SCORED && hasWords(title, words)) withWords++;
      else if (byLetters && withLetters < MAX_SCORED && hasLetters(title, words)) withLetters++;
      else continue;
      candidates.push(sessions[n] as ShownSession);
    }
    return candidates;
  }

  #score(candidates: readonly ShownSession[], text: string, threshold: number): TitleMatch[] {
    if (this.#cachedCount > MAX_CACHED) {
      fuzzysort.cleanup();
      this.#cachedCount = 0;
    }
    this.#cachedCount += candidates.length;
    const places = new Map(candidates.map((session, place) => [session, place]));
    return toMatches(
      fuzzysort.go(text, candidates, { key: toMatchedText, limit: MAX_MATCHES, threshold }),
      places,
    );
  }

  #prepare(sessions: readonly ShownSession[]): Titles {
    if (this.#prepared?.of !== sessions)
      this.#prepared = { of: sessions, folded: sessions.map((each) => fold(toMatchedText(each))) };
    return this.#prepared;
  }
}

function hasWords(title: string, words: readonly string[]): boolean {
  for (const word of words) if (!title.includes(word)) return false;
  return true;
}

/** Whether the letters of each word are in the title, in their order. */
function hasLetters(title: string, words: readonly string[]): boolean {
  for (const word of words) {
    let at = -1;
    for (const letter of word) {
      at = title.indexOf(letter, at + 1);
      if (at < 0) return false;
    }
  }
  return true;
}

function toMatches(
  found: Iterable<{ obj: ShownSession; score: number; indexes: ArrayLike<number> & Iterable<number> }>,
  places: ReadonlyMap<ShownSession, number>,
): TitleMatch[] {
  const placeOf = ({ session }: TitleMatch) => places.get(session) ?? 0;
  return [...found]
    .map(({ obj, score, indexes }) => ({
      session: obj,
      positions: [...new Set(indexes)].sort((a, b) => a - b),
      rank: Math.floor(score / SCORE_STEP),
      isStrong: score >= STRONG_SCORE,
    }))
    .sort((a, b) => b.rank - a.rank || placeOf(a) - placeOf(b));
}

function toMatchedText(session: ShownSession): string {
  return getSessionTitle(session).slice(0, MAX_LENGTH);
}

function fold(text: string): string {
  if (IS_ASCII.test(text)) return text.toLowerCase();
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
const IS_ASCII = /^[\x00-\x7f]*$/;
