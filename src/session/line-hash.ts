/** A short hash of a line of a session file: it tells whether a cited line is still the same. */
import { createHash } from "node:crypto";

/** Consonants: five of them form no words, and are fewer tokens than hex digits for models that read and repeat them. */
const LETTERS = "bcdfghjklmnpqrstvwxz";
/** With 20 letters, one of 3.2 million changed lines has the hash that it had before. */
const LENGTH = 5;

/** What `hashLine` returns, as a regular expression. */
export const LINE_HASH_PATTERN = `[${LETTERS}]{${LENGTH}}`;

/** The hash of a line, five lowercase letters. @param bytes the line without its newline */
export function hashLine(bytes: Uint8Array): string {
  let number = createHash("sha256").update(bytes).digest().readUInt32BE();
  let hash = "";
  for (let at = 0; at < LENGTH; at++) {
    hash += LETTERS[number % LETTERS.length];
    number = Math.floor(number / LETTERS.length);
  }
  return hash;
}
