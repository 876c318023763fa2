/** Finds the position where bytes stop being valid JSON, which `JSON.parse` often doesn't report. */

const BLANKS = /[ \t\n\r]*/y;
/** A part of a string: plain characters and escape sequences. Not all of it, for which regular expressions have no stack. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON doesn't allow them
const STRING_PART = /(?:[^"\\\x00-\x1f]+|\\(?:["\\/bfnrt]|u[\da-fA-F]{4})){1,500}/y;
const BROKEN_ESCAPE = /(?:\\(?:u[\da-fA-F]{0,3})?)?/y;
/** A number, or the valid start of one. It is complete if it ends with a digit. */
const NUMBER = /-?(?:(?:0|[1-9]\d*)(?:\.(?:\d+(?:[eE][+-]?\d*)?)?|[eE][+-]?\d*)?)?/y;
const LITERALS: Readonly<Record<string, string>> = { t: "true", f: "false", n: "null" };
const CLOSING: Readonly<Record<string, string>> = { "{": "}", "[": "]" };

/** What the grammar allows next. */
type Expects = "value" | "value or end" | "name" | "name or end" | "colon" | "comma or end" | "nothing";

/**
 * Returns the offset of the first invalid byte, the length if the JSON is incomplete, or undefined if it is valid. Not recursive,
 * because lines may be nested as deep as they are long. Doesn't check the encoding of text.
 */
export function findJsonError(bytes: Uint8Array): number | undefined {
  const json = Buffer.from(bytes).toString("latin1"); // a character for each byte
  const open: string[] = [];
  let expects: Expects = "value";
  let at = skip(BLANKS, json, 0);
  for (; at < json.length; at = skip(BLANKS, json, at)) {
    const sign = json.charAt(at);
    if (expects.endsWith("or end") && sign === CLOSING[open.at(-1) ?? ""]) {
      open.pop();
      expects = open.length > 0 ? "comma or end" : "nothing";
      at++;
    } else if (expects === "colon" && sign === ":") {
      expects = "value";
      at++;
    } else if (expects === "comma or end" && sign === ",") {
      expects = open.at(-1) === "{" ? "name" : "value";
      at++;
    } else if (expects.startsWith("value") && (sign === "{" || sign === "[")) {
      open.push(sign);
      expects = sign === "{" ? "name or end" : "value or end";
      at++;
    } else if (expects.startsWith("value") || (expects.startsWith("name") && sign === '"')) {
      const { end, isBroken } = skipScalar(json, at);
      if (isBroken) return end;
      expects = expects.startsWith("name") ? "colon" : open.length > 0 ? "comma or end" : "nothing";
      at = end;
    } else return at;
  }
  return expects === "nothing" ? undefined : at;
}

/** The end of what a pattern matches at an offset. */
function skip(pattern: RegExp, json: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(json) ? pattern.lastIndex : at;
}

/** The end of the string, number or word at an offset; if it is broken, the first invalid byte. */
function skipScalar(json: string, from: number): { end: number; isBroken: boolean } {
  const sign = json.charAt(from);
  if (sign === '"') {
    let end = from + 1;
    let next = skip(STRING_PART, json, end);
    while (next > end) [end, next] = [next, skip(STRING_PART, json, next)];
    const isBroken = json[end] !== '"';
    return { end: isBroken ? skip(BROKEN_ESCAPE, json, end) : end + 1, isBroken };
  }
  const literal = LITERALS[sign];
  if (literal === undefined) {
    const end = skip(NUMBER, json, from);
    return { end, isBroken: !/\d$/.test(json.slice(from, end)) };
  }
  let length = 1;
  while (length < literal.length && json[from + length] === literal[length]) length++;
  return { end: from + length, isBroken: length < literal.length };
}
