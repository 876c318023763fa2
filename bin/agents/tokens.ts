/**
 * About how many tokens a text is, without a vocabulary: models differ by a fifth and more, so it is rather a little too many. It
 * counts what vocabularies split text into before they look anything up: words, humps of them, digits by three, signs, white space.
 */
export function tokensIn(text: string): number {
  return Math.ceil(count(text, 0, Number.POSITIVE_INFINITY).tokens);
}

/** How many characters of a text, from one on, so many tokens are at the most: half of a pair is never one of them. */
export function charactersFor(text: string, from: number, tokens: number): number {
  const { at } = count(text, from, tokens);
  const isInPair = at < text.length && at > from && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
  return (isInPair ? at - 1 : at) - from;
}

/** So long a word may be one that a vocabulary knows. */
const LONGEST_WORD = 12;
/** So long may be what somebody named; what is longer is a key, or data, of which a token is hardly more than a letter. */
const LONGEST_NAME = 20;
const OF_DATA = 0.8;
/** Letters of a word that are a token. */
const LETTERS = 6;

const OTHER = 0;
const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
const SPACE = 4;
const LINE = 5;
const TAB = 6;
const SIGN = 7;

/** Counts from a character on, until there are more than so many tokens. */
function count(text: string, from: number, most: number): { tokens: number; at: number } {
  let tokens = 0;
  let before = OTHER;
  /** Characters of the run so far. */
  let run = 0;
  /** Letters and digits without anything between. */
  let name = 0;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const kind = kindOf(code);
    const goesOn = kind === before || (kind === LOWER && before === UPPER && run === 1);
    run = goesOn ? run + 1 : 1;
    name = kind >= LOWER && kind <= DIGIT ? name + 1 : 0;
    const more =
      name > LONGEST_NAME ? OF_DATA : kind === OTHER ? tokensOfOther(code) : tokensOf(kind, run, before);
    if (tokens + more > most) return { tokens, at };
    tokens += more;
    before = kind;
  }
  return { tokens, at: text.length };
}

function kindOf(code: number): number {
  if (code >= 97 && code <= 122) return LOWER;
  if (code === 32) return SPACE;
  if (code >= 65 && code <= 90) return UPPER;
  if (code >= 48 && code <= 57) return DIGIT;
  if (code === 10 || code === 13) return LINE;
  if (code === 9) return TAB;
  return code < 128 ? SIGN : OTHER;
}

/** What the nth character of a run adds. */
function tokensOf(kind: number, run: number, before: number): number {
  switch (kind) {
    case LOWER:
    case UPPER:
      if (run > LONGEST_WORD) return 0.5;
      return run % LETTERS === 1 ? 1 : 0;
    case DIGIT:
      // A space before a number is a token of its own.
      return (run % 3 === 1 ? 1 : 0) + (run === 1 && before === SPACE ? 1 : 0);
    case SPACE:
      return run === 2 ? 1 : 0; // one alone is part of the word behind it
    case LINE:
      return run === 1 && before !== SIGN ? 1 : 0;
    case TAB:
      return run === 1 ? 1 : 0;
    default:
      return run === 1 ? 1 : 0.5;
  }
}

/** Of a character that ASCII has not, by the writing that it is of. */
function tokensOfOther(code: number): number {
  if (code >= 0xd800 && code <= 0xdfff) return 1.5; // half of an emoji
  if (code >= 0x370 && code <= 0x6ff) return 0.5; // Greek, Cyrillic, Hebrew, Arabic
  if (code >= 0xf00 && code <= 0x1fff) return 2; // Tibetan, Ethiopic and others that vocabularies hardly know
  return 1;
}
