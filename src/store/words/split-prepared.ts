import { isAlphanumeric } from "./ascii.ts";
import { getCharacterKind, SIGN } from "./fold.ts";

/** Calls `onWord` for each word of a prepared text, in lower case: the words that FTS5 stores for it, in their order. */
export function splitPrepared(prepared: string, onWord: (word: string) => void): void {
  const text = prepared.toLowerCase(); // keeps the length: only ASCII capitals are left
  const { length } = text;
  for (let at = 0; at < length; at++) {
    if (!isWordAt(text, at)) continue;
    const start = at;
    while (at < length && isWordAt(text, at)) at++;
    onWord(text.slice(start, at));
  }
}

/** Whether the character belongs to a word. */
function isWordAt(text: string, at: number): boolean {
  return text.charCodeAt(at) < 128 ? isAlphanumeric(text, at) : getCharacterKind(text, at) !== SIGN;
}
