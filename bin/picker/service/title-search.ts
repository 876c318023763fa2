/** Finds sessions by their titles, as fuzzy finders do: docs/decisions/0028-fuzzy-titles.md. */
import fuzzysort, { type SnapshotKey } from "fuzzysort";
import { getSessionTitle } from "../../format/titles.ts";
import type { ShownSession } from "../model/view.ts";

/** A session with a title that matches. */
export interface TitleMatch {
  session: ShownSession;
  /** Positions of the matched characters in the title, in UTF-16 code units. */
  positions: number[];
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
/** Titles with all words that are scored, first in the list. */
const MAX_SCORED = 500;

interface Titles {
  of: readonly ShownSession[];
  snapshot: SnapshotKey<ShownSession>;
  /** As they are matched, in lower case without diacritics. */
  folded: readonly string[];
  /** Positions in the list. */
  places: ReadonlyMap<ShownSession, number>;
}

export class TitleSearch {
  /** Prepared once per list. */
  #prepared: Titles | undefined;

  /** The best matches first; of similar ones, those that are first in the list. */
  find(sessions: readonly ShownSession[], text: string): TitleMatch[] {
    const { snapshot, places } = this.#prepare(sessions);
    return toMatches(fuzzysort.go(text, snapshot, { limit: MAX_MATCHES, threshold: MIN_SCORE }), places);
  }

  /** The strong matches of `find` that contain all words. Takes a tenth of the time, because few titles are scored. */
  findWords(sessions: readonly ShownSession[], text: string): TitleMatch[] {
    const { folded, places } = this.#prepare(sessions);
    const words = fold(text).split(/\s+/);
    const candidates: ShownSession[] = [];
    for (const [n, session] of sessions.entries()) {
      if (!words.every((word) => folded[n]?.includes(word))) continue;
      candidates.push(session);
      if (candidates.length === MAX_SCORED) break;
    }
    const options = { key: toMatchedText, limit: MAX_MATCHES, threshold: STRONG_SCORE };
    return toMatches(fuzzysort.go(text, candidates, options), places);
  }

  #prepare(sessions: readonly ShownSession[]): Titles {
    if (this.#prepared?.of !== sessions) {
      this.#prepared = {
        of: sessions,
        snapshot: fuzzysort.snapshot(sessions, { key: toMatchedText }),
        folded: sessions.map((each) => fold(toMatchedText(each))),
        places: new Map(sessions.map((session, place) => [session, place])),
      };
    }
    return this.#prepared;
  }
}

function toMatches(
  found: Iterable<{ obj: ShownSession; score: number; indexes: ArrayLike<number> & Iterable<number> }>,
  places: Titles["places"],
): TitleMatch[] {
  const rank = (score: number) => Math.floor(score / SCORE_STEP);
  const placeOf = ({ obj }: { obj: ShownSession }) => places.get(obj) ?? 0;
  return [...found]
    .sort((a, b) => rank(b.score) - rank(a.score) || placeOf(a) - placeOf(b))
    .map(({ obj, score, indexes }) => ({
      session: obj,
      positions: [...new Set(indexes)].sort((a, b) => a - b),
      isStrong: score >= STRONG_SCORE,
    }));
}

function toMatchedText(session: ShownSession): string {
  return getSessionTitle(session).slice(0, MAX_LENGTH);
}

function fold(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}
