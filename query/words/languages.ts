import { prepareQuery } from "../../src/database/words.ts";

/**
 * Stems and stop words by language. Loaded when a query is relaxed: most are not.
 *
 * Words come as the index has them: in small letters, without accents.
 */
interface Language {
  stem: (word: string) => string;
  stopWords: ReadonlySet<string>;
}

const LATIN = ["english", "german", "french", "spanish", "italian", "portuguese", "dutch"] as const;
const CYRILLIC = ["russian", "ukrainian"] as const;
const GREEK = ["greek"] as const;
type LanguageName = (typeof LATIN)[number] | (typeof CYRILLIC)[number] | (typeof GREEK)[number];

const LOAD: Record<
  LanguageName,
  () => Promise<[{ stemmer: (word: string) => string }, { stopwords: string[] }]>
> = {
  english: () => both(import("@orama/stemmers/english"), import("@orama/stopwords/english")),
  german: () => both(import("@orama/stemmers/german"), import("@orama/stopwords/german")),
  french: () => both(import("@orama/stemmers/french"), import("@orama/stopwords/french")),
  spanish: () => both(import("@orama/stemmers/spanish"), import("@orama/stopwords/spanish")),
  italian: () => both(import("@orama/stemmers/italian"), import("@orama/stopwords/italian")),
  portuguese: () => both(import("@orama/stemmers/portuguese"), import("@orama/stopwords/portuguese")),
  dutch: () => both(import("@orama/stemmers/dutch"), import("@orama/stopwords/dutch")),
  russian: () => both(import("@orama/stemmers/russian"), import("@orama/stopwords/russian")),
  ukrainian: () => both(import("@orama/stemmers/ukrainian"), import("@orama/stopwords/ukrainian")),
  greek: () => both(import("@orama/stemmers/greek"), import("@orama/stopwords/greek")),
};

function both<A, B>(a: Promise<A>, b: Promise<B>): Promise<[A, B]> {
  return Promise.all([a, b]);
}

const loaded = new Map<LanguageName, Promise<Language>>();

function language(name: LanguageName): Promise<Language> {
  const known = loaded.get(name);
  if (known) return known;
  const loading = LOAD[name]().then(([{ stemmer }, { stopwords }]) => ({
    stem: (word: string) => stemmer(word),
    stopWords: new Set(stopwords.flatMap((word) => prepareQuery(word)?.words ?? [])),
  }));
  loaded.set(name, loading);
  return loading;
}

/** The languages that the words of one query may be in. */
export interface Languages {
  /** Whether a word says nothing by itself: `the`, `und`, `что`. */
  isStopWord: (word: string) => boolean;
  /**
   * Whether two words have the same stem: "likely" in a language that the query is in, "perhaps" in another one of its
   * script.
   */
  haveSameStem: (a: string, b: string) => "likely" | "perhaps" | "no";
  /** The shortest stem of a word in any of the languages. */
  shortestStem: (word: string) => string;
}

/**
 * Tells which languages words may be in: English always, as code is, and any other of which the query has stop words.
 * All languages of a script are tried for stems, since a single word does not tell its language.
 */
export async function languagesOf(words: readonly string[]): Promise<Languages> {
  const names: LanguageName[] = [
    ...LATIN,
    ...(words.some((word) => /\p{Script=Cyrillic}/u.test(word)) ? CYRILLIC : []),
    ...(words.some((word) => /\p{Script=Greek}/u.test(word)) ? GREEK : []),
  ];
  const all = await Promise.all(names.map(async (name) => ({ name, ...(await language(name)) })));
  const english = all[0] as (typeof all)[number];
  const isLatin = (name: LanguageName) => (LATIN as readonly string[]).includes(name);
  const likely = all.filter(({ name, stopWords }) => {
    if (name === "english" || !isLatin(name)) return true;
    return words.filter((word) => stopWords.has(word) && !english.stopWords.has(word)).length >= 2;
  });
  const stems = new Map<string, string[]>();
  const stemsOf = (word: string): string[] => {
    const known = stems.get(word);
    if (known) return known;
    const found = all.map(({ stem }) => stem(word));
    stems.set(word, found);
    return found;
  };
  const likelyNames = new Set(likely.map(({ name }) => name));
  return {
    isStopWord: (word) => likely.some(({ stopWords }) => stopWords.has(word)),
    haveSameStem: (a, b) => {
      const [ofA, ofB] = [stemsOf(a), stemsOf(b)];
      let same: "perhaps" | "no" = "no";
      for (const [n, { name }] of all.entries()) {
        const stem = ofA[n] as string;
        if (stem !== ofB[n] || stem.length < MIN_STEM) continue;
        if (likelyNames.has(name)) return "likely";
        same = "perhaps";
      }
      return same;
    },
    shortestStem: (word) => stemsOf(word).reduce((a, b) => (b.length < a.length ? b : a), word),
  };
}

/** A shorter stem is that of too many words. */
const MIN_STEM = 3;
