/** JSON of values with any nesting depth. */

/** `JSON.stringify`, with an iterative fallback for parsed JSON that is too deep for it. */
export function stringifyDeep(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return byLoop(value);
  }
}

/** JSON punctuation to output unchanged. */
class Token {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const END_ARRAY = new Token("]");
const END_OBJECT = new Token("}");
const COMMA = new Token(",");

function byLoop(whole: unknown): string {
  const written: string[] = [];
  const ahead: unknown[] = [whole];
  while (ahead.length > 0) {
    const value = ahead.pop();
    if (value instanceof Token) written.push(value.text);
    else if (Array.isArray(value)) {
      written.push("[");
      ahead.push(END_ARRAY);
      for (let n = value.length - 1; n >= 0; n--) ahead.push(value[n], ...(n > 0 ? [COMMA] : []));
    } else if (typeof value === "object" && value !== null && !(value instanceof Date)) {
      const fields = Object.entries(value).filter(([, inner]) => inner !== undefined);
      written.push("{");
      ahead.push(END_OBJECT);
      for (let n = fields.length - 1; n >= 0; n--) {
        const [name, inner] = fields[n] as [string, unknown];
        ahead.push(inner, new Token(`${n > 0 ? "," : ""}${JSON.stringify(name)}:`));
      }
    } else written.push(JSON.stringify(value) ?? "null");
  }
  return written.join("");
}
