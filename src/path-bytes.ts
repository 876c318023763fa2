/**
 * Paths as text. On Linux a path is bytes, which need not be UTF-8. Decoded as UTF-8, `d\xff` and `d\xfe` would both
 * become `d` and U+FFFD: neither could be opened, and they would look the same.
 *
 * A byte that is not part of a character is escaped as one of U+10FE80 to U+10FEFF: private-use code points, which
 * SQLite and JSON preserve. If a name itself contains such a character, its bytes are escaped in the same way, so names
 * and texts map to each other one to one.
 */
import { isUtf8 } from "node:buffer";
import { realpathSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { systemCode } from "./errors.ts";

/** The code point of an escaped byte is this plus the byte. */
const ESCAPE = 0x10fe00;

const ESCAPED = /[\u{10fe80}-\u{10feff}]/u;
const EACH_ESCAPED = /([\u{10fe80}-\u{10feff}])/u;

/** Converts the bytes of a path to text. */
export function decodePath(name: Uint8Array): string {
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

/** Whether a name that Node decoded as UTF-8 may differ from the bytes of the name. */
export function mayBeMisdecoded(name: string): boolean {
  return name.includes("\ufffd") || ESCAPED.test(name);
}

/** Converts text to a path for `fs`: the text itself, or bytes if they are not UTF-8. */
export function encodePath(path: string): string | Buffer {
  if (!ESCAPED.test(path)) return path;
  // The capturing group keeps the escaped bytes, at odd positions.
  const parts = path.split(EACH_ESCAPED);
  return Buffer.concat(
    parts.map((part, n) =>
      n % 2 === 0 ? Buffer.from(part) : Buffer.of((part.codePointAt(0) as number) - ESCAPE),
    ),
  );
}

/** The path with all links resolved. @throws the error of `fs` */
export function resolveLinks(path: string): string {
  // Without "buffer", bytes that are not UTF-8 would be lost.
  return decodePath(realpathSync.native(encodePath(path), "buffer"));
}

/** The path with links resolved in the part of it that exists; undefined if that cannot be read. */
export function resolveExistingLinks(path: string): string | undefined {
  for (let above = path; ; above = dirname(above)) {
    try {
      return join(resolveLinks(above), relative(above, path));
    } catch (error) {
      if (systemCode(error) !== "ENOENT" || dirname(above) === above) return undefined;
    }
  }
}

/** Whether a path is below a folder, compared as text. */
export function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Whether a path is a folder or below it, compared as text. */
export function isAtOrBelow(path: string, folder: string): boolean {
  return path === folder || isBelow(path, folder);
}

/** The length in bytes of a UTF-8 character, from its first byte. */
function characterLength(first: number): number {
  if (first < 0x80) return 1;
  if (first >= 0xf0) return 4;
  return first >= 0xe0 ? 3 : 2;
}
