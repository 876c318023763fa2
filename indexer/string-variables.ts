/** Longer code is not read: it is usually data. In characters. */
export const MAX_CODE_CHARACTERS = 64 << 10;

/** Matches a quoted string literal of Python or JavaScript without expressions. Contains one capturing group. */
export const STRING_PATTERN = `[rRbB]?("(?:[^"\\\\\\n]|\\\\.)*"|'(?:[^'\\\\\\n]|\\\\.)*'|\`[^\`\\\\\\n$]*\`)`;
/** Matches a string literal or a name. Contains a capturing group for each. */
export const STRING_OR_NAME_PATTERN = `(?:${STRING_PATTERN}|(\\w+))`;

/** `p = "a.txt"`, `const p = "a.txt";`, `p = Path("a.txt")`, up to the end of the line or statement. */
const ASSIGNED = new RegExp(
  `(?:^|[;\\n])[ \\t]*(?:const |let |var )?(\\w+)[ \\t]*=(?!=)[ \\t]*(?:(?:pathlib\\.)?(?:Path)?\\(?${STRING_PATTERN}\\)?[ \\t]*(?=[;\\n#]|$))?`,
  "g",
);

/** The names in code that string literals are assigned to. */
export class StringVariables {
  /** Assignments by name, in the order of the code. */
  readonly #assigned = new Map<string, { valueAt: number; literal: string | undefined }[]>();

  constructor(code: string) {
    for (const { 1: name = "", 2: literal, index } of code.matchAll(ASSIGNED)) {
      const all = this.#assigned.get(name);
      if (all) all.push({ valueAt: index, literal });
      else this.#assigned.set(name, [{ valueAt: index, literal }]);
    }
  }

  /** The literal last assigned to a name before an offset; undefined if the last value was anything else. */
  valueAt(name: string | undefined, offset: number): string | undefined {
    const all = (name !== undefined && this.#assigned.get(name)) || [];
    // Binary search: generated code assigns to a name thousands of times.
    let [low, high] = [0, all.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((all[middle] as { valueAt: number }).valueAt <= offset) low = middle + 1;
      else high = middle;
    }
    return all[low - 1]?.literal;
  }
}

/** The text of a string literal; undefined if it has escapes, which are rare in paths. */
export function parseLiteral(literal: string | undefined): string | undefined {
  return literal === undefined || literal.includes("\\") ? undefined : literal.slice(1, -1);
}
