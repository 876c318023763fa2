import { ASCII_KINDS, WORD } from "./ascii.ts";
import { getCharacterKind, SIGN } from "./fold.ts";

/** Shorter words are not corrected; longer runs of letters are rarely words. */
export const MIN_PLAIN_WORD = 3;
export const MAX_PLAIN_WORD = 32;

/** Greek and Cyrillic letters, which prepared text has in lower case. Its Latin letters are ASCII. */
const FIRST_LETTER = 0x370;
const LAST_LETTER = 0x52f;
const DIGIT = 4;

/**
 * Calls `onWord` for each occurrence of a word that can be corrected: only Latin, or only Greek and Cyrillic letters, in
 * lower case. `fillVocabulary` selects the same words.
 */
export function forEachPlainWord(prepared: string, onWord: (word: string) => void): void {
  const { length } = prepared;
  for (let at = 0; at < length; at++) {
    if (!isWordAt(prepared, at)) continue;
    const start = at;
    let latin = 0;
    let other = 0;
    for (; at < length && isWordAt(prepared, at); at++) {
      const code = prepared.charCodeAt(at);
      if (code < 128 && ASCII_KINDS[code] !== DIGIT) latin++;
      else if (code >= FIRST_LETTER && code <= LAST_LETTER) other++;
    }
    const size = at - start;
    const isPlain = latin === size || other === size;
    if (isPlain && size >= MIN_PLAIN_WORD && size <= MAX_PLAIN_WORD) {
      onWord(prepared.slice(start, at).toLowerCase());
    }
  }
}

/** Whether FTS5 treats the character as part of a word. */
function isWordAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code < 128 ? (ASCII_KINDS[code] as number) >= WORD : getCharacterKind(text, at) !== SIGN;
}
