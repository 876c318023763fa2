/**
 * Estimates the tokens of a text without a vocabulary. Models differ by a fifth and more, so the estimate is on the high side. It
 * counts the units that tokenizers split text into first: words, parts of camelCase words, groups of three digits, punctuation
 * and whitespace.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(count(text, 0, Number.POSITIVE_INFINITY).tokens);
}

/** Returns how many characters from `from` on fit into `tokens`. Never splits a surrogate pair. */
export function countFittingCharacters(text: string, from: number, tokens: number): number {
  const { at } = count(text, from, tokens);
  const isInPair = at < text.length && at > from && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
  return (isInPair ? at - 1 : at) - from;
}

/** Longest word, in characters, that is likely to be in a vocabulary. */
const MAX_WORD = 12;
/** Longest identifier, in characters. Longer ones are keys or data, with hardly more than one character per token. */
const MAX_NAME = 20;
const TOKENS_PER_DATA_CHARACTER = 0.8;
/** Letters of a word per token. */
const LETTERS_PER_TOKEN = 6;

const OTHER = 0;
const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
const SPACE = 4;
const LINE = 5;
const TAB = 6;
const PUNCTUATION = 7;

/** Counts tokens from `from` on; stops before the count exceeds `limit`. */
function count(text: string, from: number, limit: number): { tokens: number; at: number } {
  let tokens = 0;
  let before = OTHER;
  /** Length of the current run of one kind. */
  let run = 0;
  /** Length of the current run of letters and digits. */
  let name = 0;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const kind = getKind(code);
    const continues = kind === before || (kind === LOWER && before === UPPER && run === 1);
    run = continues ? run + 1 : 1;
    name = kind >= LOWER && kind <= DIGIT ? name + 1 : 0;
    const more =
      name > MAX_NAME
        ? TOKENS_PER_DATA_CHARACTER
        : kind === OTHER
          ? countOtherTokens(code)
          : countAddedTokens(kind, run, before);
    if (tokens + more > limit) return { tokens, at };
    tokens += more;
    before = kind;
  }
  return { tokens, at: text.length };
}

function getKind(code: number): number {
  if (code >= 97 && code <= 122) return LOWER;
  if (code === 32) return SPACE;
  if (code >= 65 && code <= 90) return UPPER;
  if (code >= 48 && code <= 57) return DIGIT;
  if (code === 10 || code === 13) return LINE;
  if (code === 9) return TAB;
  return code < 128 ? PUNCTUATION : OTHER;
}

/** Tokens that the nth character of a run adds. */
function countAddedTokens(kind: number, run: number, before: number): number {
  switch (kind) {
    case LOWER:
    case UPPER:
      if (run > MAX_WORD) return 0.5;
      return run % LETTERS_PER_TOKEN === 1 ? 1 : 0;
    case DIGIT:
      // A space before a number is a token of its own.
      return (run % 3 === 1 ? 1 : 0) + (run === 1 && before === SPACE ? 1 : 0);
    case SPACE:
      return run === 2 ? 1 : 0; // a single space belongs to the following word
    case LINE:
      return run === 1 && before !== PUNCTUATION ? 1 : 0;
    case TAB:
      return run === 1 ? 1 : 0;
    default:
      return run === 1 ? 1 : 0.5;
  }
}

/** Tokens of a non-ASCII character, by its script. */
function countOtherTokens(code: number): number {
  if (code >= 0xd800 && code <= 0xdfff) return 1.5; // half of an emoji
  if (code >= 0x370 && code <= 0x6ff) return 0.5; // Greek, Cyrillic, Hebrew, Arabic
  if (code >= 0xf00 && code <= 0x1fff) return 2; // Tibetan, Ethiopic and others rare in vocabularies
  return 1;
}
