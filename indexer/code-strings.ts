/** Code longer than this is data in disguise. */
export const MAX_CODE = 64 << 10;

/** A string literal of Python or JavaScript that holds no expression, with its quotes. A group: its number counts. */
export const STRING = `[rRbB]?("(?:[^"\\\\\\n]|\\\\.)*"|'(?:[^'\\\\\\n]|\\\\.)*'|\`[^\`\\\\\\n$]*\`)`;
/** The same, or a name. */
export const STRING_OR_NAME = `(?:${STRING}|(\\w+))`;

/** `p = "a.txt"`, `const p = "a.txt";`, `p = Path("a.txt")`, up to the end of the line or statement. */
const ASSIGNED = new RegExp(
  `(?:^|[;\\n])[ \\t]*(?:const |let |var )?(\\w+)[ \\t]*=(?!=)[ \\t]*(?:(?:pathlib\\.)?(?:Path)?\\(?${STRING}\\)?[ \\t]*(?=[;\\n#]|$))?`,
  "g",
);

/** What names stand for in code: those that a string was assigned to. */
export class CodeStrings {
  /** By name, in the order of the code. */
  readonly #assigned = new Map<string, { at: number; literal: string | undefined }[]>();

  constructor(code: string) {
    for (const { 1: name = "", 2: literal, index } of code.matchAll(ASSIGNED)) {
      const all = this.#assigned.get(name);
      if (all) all.push({ at: index, literal });
      else this.#assigned.set(name, [{ at: index, literal }]);
    }
  }

  /** The literal that a name stands for at a place; undefined where it was last assigned something else. */
  at(name: string | undefined, place: number): string | undefined {
    const all = (name !== undefined && this.#assigned.get(name)) || [];
    // A search by halves: generated code assigns to a name thousands of times.
    let [low, high] = [0, all.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((all[middle] as { at: number }).at <= place) low = middle + 1;
      else high = middle;
    }
    return all[low - 1]?.literal;
  }
}

/** What a literal holds; undefined for one with escapes, which are seldom those of a path. */
export function literalText(literal: string | undefined): string | undefined {
  return literal === undefined || literal.includes("\\") ? undefined : literal.slice(1, -1);
}
