/** Stemmers and stop words of languages in Latin script, in one module so that one file is loaded instead of fourteen. */
import { stemmer as dutch } from "@orama/stemmers/dutch";
import { stemmer as english } from "@orama/stemmers/english";
import { stemmer as french } from "@orama/stemmers/french";
import { stemmer as german } from "@orama/stemmers/german";
import { stemmer as italian } from "@orama/stemmers/italian";
import { stemmer as portuguese } from "@orama/stemmers/portuguese";
import { stemmer as spanish } from "@orama/stemmers/spanish";
import { stopwords as dutchStopWords } from "@orama/stopwords/dutch";
import { stopwords as englishStopWords } from "@orama/stopwords/english";
import { stopwords as frenchStopWords } from "@orama/stopwords/french";
import { stopwords as germanStopWords } from "@orama/stopwords/german";
import { stopwords as italianStopWords } from "@orama/stopwords/italian";
import { stopwords as portugueseStopWords } from "@orama/stopwords/portuguese";
import { stopwords as spanishStopWords } from "@orama/stopwords/spanish";

/** Missing in the package's list. */
const OTHER_ENGLISH_STOP_WORDS = ["a", "can"];

/** English first: code is English in every language. */
export const LANGUAGES = [
  { stemmer: english, stopWords: [...englishStopWords, ...OTHER_ENGLISH_STOP_WORDS] },
  { stemmer: german, stopWords: germanStopWords },
  { stemmer: french, stopWords: frenchStopWords },
  { stemmer: spanish, stopWords: spanishStopWords },
  { stemmer: italian, stopWords: italianStopWords },
  { stemmer: portuguese, stopWords: portugueseStopWords },
  { stemmer: dutch, stopWords: dutchStopWords },
];
