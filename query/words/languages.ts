import { getOrInsert } from "../../src/get-or-insert.ts";
import { memoize } from "../../src/memoize.ts";
import { prepareQuery } from "../../src/store/words/prepare-text.ts";

/** Stemmer and stop words of a language, as packages provide them. */
interface LanguageData {
  stemmer: (word: string) => string;
  stopWords: readonly string[];
}

/** The same for indexed words: lowercase, without accents. */
interface Language {
  stem: (word: string) => string;
  stopWords: ReadonlySet<string>;
}

const latin = memoize(async () => (await import("./latin-languages.ts")).LANGUAGES.map(toLanguage));
const otherScripts = memoize(async () => (await import("./other-languages.ts")).LANGUAGES.map(toLanguage));

function toLanguage({ stemmer, stopWords }: LanguageData): Language {
  return { stem: stemmer, stopWords: new Set(stopWords.flatMap((word) => prepareQuery(word)?.words ?? [])) };
}

/** Stemming and stop words for the languages that a query may be in. */
export interface Languages {
  /** Whether a word carries no meaning by itself: `the`, `und`, `что`. */
  isStopWord: (word: string) => boolean;
  /** Whether two words have the same stem: "likely" in a language of the query, "perhaps" in another language of its script. */
  haveSameStem: (a: string, b: string) => "likely" | "perhaps" | "no";
  /** The shortest stem of a word in any of the languages. */
  shortestStem: (word: string) => string;
}

/** Minimum length of a stem; shorter ones belong to too many words. */
const MIN_STEM = 3;
/** Minimum number of stop words, not counting English ones, for a query to count as being in a language. */
const MIN_STOP_WORDS = 2;

/**
 * Detects the languages of a query: always English, because code is English; languages of another script; and any other with
 * enough stop words. Stems are tried in all languages, because a single word does not identify its language.
 */
export async function detectLanguages(words: readonly string[]): Promise<Languages> {
  const isOtherScript = words.some((word) => /[\u0370-\u052f]/.test(word));
  const [inLatin, inOthers] = await Promise.all([latin(), isOtherScript ? otherScripts() : []]);
  const [english] = inLatin as [Language];
  const hasStopWords = ({ stopWords }: Language) =>
    words.filter((word) => stopWords.has(word) && !english.stopWords.has(word)).length >= MIN_STOP_WORDS;
  const likely = new Set([english, ...inOthers, ...inLatin.filter(hasStopWords)]);
  const all = [...inLatin, ...inOthers];
  const stemsOf = new Map<string, string[]>();
  const stems = (word: string) => getOrInsert(stemsOf, word, () => all.map(({ stem }) => stem(word)));
  return {
    isStopWord: (word) => [...likely].some(({ stopWords }) => stopWords.has(word)),
    haveSameStem: (a, b) => {
      const ofA = stems(a);
      const same = all.filter(({ stem }, n) => {
        const stemOfA = ofA[n] as string;
        // Stemming takes tens of microseconds. But for its last letter (`flaky`, `flaki`) a stem begins the word.
        if (stemOfA.length < MIN_STEM || !b.startsWith(stemOfA.slice(0, -1))) return false;
        return stem(b) === stemOfA;
      });
      return same.some((each) => likely.has(each)) ? "likely" : same.length > 0 ? "perhaps" : "no";
    },
    shortestStem: (word) => stems(word).reduce((a, b) => (b.length < a.length ? b : a), word),
  };
}
