/** Stemmers and stop words of languages in Cyrillic and Greek. */
import { stemmer as greek } from "@orama/stemmers/greek";
import { stemmer as russian } from "@orama/stemmers/russian";
import { stemmer as ukrainian } from "@orama/stemmers/ukrainian";
import { stopwords as greekStopWords } from "@orama/stopwords/greek";
import { stopwords as russianStopWords } from "@orama/stopwords/russian";
import { stopwords as ukrainianStopWords } from "@orama/stopwords/ukrainian";

export const LANGUAGES = [
  { stemmer: russian, stopWords: russianStopWords },
  { stemmer: ukrainian, stopWords: ukrainianStopWords },
  { stemmer: greek, stopWords: greekStopWords },
];
