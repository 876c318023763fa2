import { ASCII_KINDS, WORD } from "./ascii.ts";

/** Shorter words are not corrected, and longer runs of letters are seldom words. */
export const MIN_PLAIN_WORD = 3;
export const MAX_PLAIN_WORD = 32;

/** Letters of Greek and Cyrillic, which prepared text has in small letters; those of Latin scripts are ASCII there. */
const FIRST_LETTER = 0x370;
const LAST_LETTER = 0x52f;
const DIGIT = 4;

/**
 * Calls back with each word of a prepared text that spelling can be about: letters of Latin, Greek or Cyrillic and nothing
 * else, in small letters. Words come as often as the text has them.
 */
export function eachPlainWord(prepared: string, onWord: (word: string) => void): void {
  const { length } = prepared;
  for (let at = 0; at < length; at++) {
    if (!isWordAt(prepared, at)) continue;
    const start = at;
    let isPlain = true;
    for (; at < length; at++) {
      const code = prepared.charCodeAt(at);
      if (code < 128) {
        const kind = ASCII_KINDS[code] as number;
        if (kind < WORD) break;
        if (kind === DIGIT) isPlain = false;
      } else if (code < FIRST_LETTER || code > LAST_LETTER) {
        isPlain = false; // what FTS5 does with it does not matter
      }
    }
    const size = at - start;
    if (isPlain && size >= MIN_PLAIN_WORD && size <= MAX_PLAIN_WORD)
      onWord(prepared.slice(start, at).toLowerCase());
  }
}

function isWordAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 128 || (ASCII_KINDS[code] as number) >= WORD;
}
