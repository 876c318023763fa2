/** Finds the position where bytes stop being valid JSON, which `JSON.parse` often doesn't report. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LITERALS: Readonly<Record<number, Uint8Array>> = {
  116: Buffer.from("true"),
  102: Buffer.from("false"),
  110: Buffer.from("null"),
};
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;

/** What the grammar allows next. */
type Expects = "value" | "value or end" | "name" | "name or end" | "colon" | "more or end" | "nothing";

/**
 * Returns the offset of the first invalid byte, the length if the JSON is incomplete, or undefined if it is valid. Not recursive,
 * because lines may be nested as deep as they are long. Doesn't check the encoding of text.
 */
export function findJsonError(bytes: Uint8Array): number | undefined {
  const open: number[] = [];
  let expects: Expects = "value";
  let at = 0;
  const afterValue = (): Expects => (open.length > 0 ? "more or end" : "nothing");
  while (at < bytes.length) {
    const byte = bytes[at] as number;
    if (isBlank(byte)) {
      at++;
      continue;
    }
    if (expects === "nothing") return at;
    if (expects === "colon") {
      if (byte !== COLON) return at;
      expects = "value";
      at++;
    } else if (expects === "more or end") {
      const inside = open.at(-1);
      if (byte === COMMA) expects = inside === OPEN_OBJECT ? "name" : "value";
      else if (byte === getClosing(inside)) {
        open.pop();
        expects = afterValue();
      } else return at;
      at++;
    } else if (expects.endsWith("or end") && byte === getClosing(open.at(-1))) {
      open.pop();
      expects = afterValue();
      at++;
    } else if (byte === QUOTE) {
      const end = skipText(bytes, at + 1);
      if (end.broken) return end.at;
      at = end.at;
      expects = expects.startsWith("name") ? "colon" : afterValue();
    } else if (expects.startsWith("name")) return at;
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      open.push(byte);
      expects = byte === OPEN_OBJECT ? "name or end" : "value or end";
      at++;
    } else {
      const end = LITERALS[byte] ? skipLiteral(bytes, at, LITERALS[byte]) : skipNumber(bytes, at);
      if (end.broken) return end.at;
      at = end.at;
      expects = afterValue();
    }
  }
  return expects === "nothing" ? undefined : bytes.length;
}

interface Skipped {
  at: number;
  broken: boolean;
}

const skipped = (at: number): Skipped => ({ at, broken: false });
const broken = (at: number): Skipped => ({ at, broken: true });

function skipText(bytes: Uint8Array, from: number): Skipped {
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) return skipped(at + 1);
    if (byte < 0x20) return broken(at);
    if (byte !== BACKSLASH) continue;
    at++;
    const escaped = bytes[at];
    if (escaped === undefined) break;
    if (escaped === 0x75) {
      for (let digit = 1; digit <= 4; digit++) {
        const hex = bytes[at + digit];
        if (hex === undefined || !/[0-9a-f]/i.test(String.fromCharCode(hex))) return broken(at + digit);
      }
      at += 4;
    } else if (!'"\\/bfnrt'.includes(String.fromCharCode(escaped))) return broken(at);
  }
  return broken(bytes.length);
}

function skipLiteral(bytes: Uint8Array, from: number, literal: Uint8Array): Skipped {
  for (let n = 0; n < literal.length; n++) if (bytes[from + n] !== literal[n]) return broken(from + n);
  return skipped(from + literal.length);
}

function skipNumber(bytes: Uint8Array, from: number): Skipped {
  const isDigit = (at: number) => (bytes[at] ?? 0) >= 0x30 && (bytes[at] ?? 0) <= 0x39;
  const digits = (at: number) => {
    let end = at;
    while (isDigit(end)) end++;
    return end;
  };
  let at = bytes[from] === 0x2d ? from + 1 : from;
  if (!isDigit(at)) return broken(at);
  at = bytes[at] === 0x30 ? at + 1 : digits(at);
  if (bytes[at] === 0x2e) {
    if (!isDigit(at + 1)) return broken(at + 1);
    at = digits(at + 1);
  }
  if (bytes[at] === 0x65 || bytes[at] === 0x45) {
    at += bytes[at + 1] === 0x2b || bytes[at + 1] === 0x2d ? 2 : 1;
    if (!isDigit(at)) return broken(at);
    at = digits(at);
  }
  return skipped(at);
}

function getClosing(open: number | undefined): number | undefined {
  return open === OPEN_OBJECT ? CLOSE_OBJECT : open === OPEN_LIST ? CLOSE_LIST : undefined;
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}
