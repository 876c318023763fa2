/**
 * Paths as text. On Linux a path is bytes, which need not be UTF-8. Read as UTF-8, `d\xff` and `d\xfe` would both be
 * `d` and U+FFFD, so that neither can be opened, nor told from the other.
 *
 * A byte that is not part of a character stands as one of U+10FE80 to U+10FEFF: code points for private use, which
 * SQLite and JSON keep. A name that holds such a character itself has its bytes escaped in the same way, so that every
 * name has one text, and every text leads back to its name.
 */
import { isUtf8 } from "node:buffer";
import { realpathSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { systemCode } from "./errors.ts";

/** Added to a byte it is the character that stands for it. */
const ESCAPE = 0x10fe00;

const ESCAPED = /[\u{10fe80}-\u{10feff}]/u;
const EACH_ESCAPED = /([\u{10fe80}-\u{10feff}])/u;

/** The text of a name, from its bytes. */
export function pathText(name: Uint8Array): string {
  const bytes = Buffer.from(name.buffer, name.byteOffset, name.byteLength);
  const whole = bytes.toString();
  if (isUtf8(bytes) && !ESCAPED.test(whole)) return whole;
  let text = "";
  for (let at = 0; at < bytes.length; ) {
    const length = characterLength(bytes[at] as number);
    const character = bytes.subarray(at, at + length);
    const isOne = character.length === length && isUtf8(character) && !ESCAPED.test(character.toString());
    text += isOne ? character.toString() : String.fromCodePoint(ESCAPE + (bytes[at] as number));
    at += isOne ? length : 1;
  }
  return text;
}

/** Whether the text of a name, read as UTF-8, may stand for other bytes than it seems. */
export function isDoubtful(name: string): boolean {
  return name.includes("\ufffd") || ESCAPED.test(name);
}

/** A path as `fs` takes it: the text, or its bytes where they are not UTF-8. */
export function fsPath(path: string): string | Buffer {
  if (!ESCAPED.test(path)) return path;
  // Split at each escaped byte, which comes in between.
  const parts = path.split(EACH_ESCAPED);
  return Buffer.concat(
    parts.map((part, n) =>
      n % 2 === 0 ? Buffer.from(part) : Buffer.of((part.codePointAt(0) as number) - ESCAPE),
    ),
  );
}

/** The path that links lead to. @throws the error of `fs` */
export function realPath(path: string): string {
  // Not `realpathSync` itself, which makes text of bytes.
  return pathText(realpathSync.native(fsPath(path), "buffer"));
}

/** A path without links, as far down as there is something; undefined where it cannot be looked at. */
export function realPathSoFar(path: string): string | undefined {
  for (let above = path; ; above = dirname(above)) {
    try {
      return join(realPath(above), relative(above, path));
    } catch (error) {
      if (systemCode(error) !== "ENOENT" || dirname(above) === above) return undefined;
    }
  }
}

/** Whether a path is below a folder, by their names. */
export function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Whether a path is a folder's own, or below it. */
export function isAtOrBelow(path: string, folder: string): boolean {
  return path === folder || isBelow(path, folder);
}

/** How many bytes a character has that begins with this one. */
function characterLength(first: number): number {
  if (first < 0x80) return 1;
  if (first >= 0xf0) return 4;
  return first >= 0xe0 ? 3 : 2;
}
