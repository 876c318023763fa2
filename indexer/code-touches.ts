import { findLastSorted } from "../src/find-last-sorted.ts";
import type { TouchAction } from "../src/store/schema.ts";
import { looksLikePath, resolvePath, type TouchedFile } from "./touched-file.ts";

/** Longer code is not read: it is usually data. In characters. */
export const MAX_CODE_CHARACTERS = 64 << 10;

/** Matches a quoted string literal of Python or JavaScript without expressions. Contains one capturing group. */
const STRING = `[rRbB]?("(?:[^"\\\\\\n]|\\\\.)*"|'(?:[^'\\\\\\n]|\\\\.)*'|\`[^\`\\\\\\n$]*\`)`;
/** Matches a string literal or a name as a whole argument. Contains a capturing group for each. */
const ARGUMENT = `\\s*(?:mode\\s*=\\s*)?(?:${STRING}|(\\w+))\\s*(?=[,)])`;

/** `Path("a.txt").write_text(…)`, `path.write_text(…)`. */
const METHOD_OF_PATH = new RegExp(
  `(?:\\bPath\\(\\s*${STRING}\\s*\\)|\\b(\\w+))\\s*\\.((?:read|write)_(?:text|bytes)|open|unlink)\\(`,
  "g",
);
/** `p = "a.txt"`, `const p = "a.txt";`, `p = Path("a.txt")`, up to the end of the line or statement. */
const ASSIGNMENT = new RegExp(
  `(?:^|[;\\n])[ \\t]*(?:const |let |var )?(\\w+)[ \\t]*=(?!=)[ \\t]*(?:(?:pathlib\\.)?(?:Path)?\\(?${STRING}\\)?[ \\t]*(?=[;\\n#]|$))?`,
  "g",
);

/** Functions of Node, Bun and Deno. */
const NODE_FUNCTIONS: Record<string, TouchAction> = {
  readFile: "read",
  readTextFile: "read",
  createReadStream: "read",
  writeFile: "write",
  writeTextFile: "write",
  createWriteStream: "write",
  appendFile: "edit",
  unlink: "delete",
  rm: "delete",
  copyFile: "read",
  cp: "read",
  rename: "delete",
};
/** Functions of Python's `os` and `shutil`. */
const OS_FUNCTIONS: Record<string, TouchAction> = {
  remove: "delete",
  unlink: "delete",
  rmtree: "delete",
  rename: "delete",
  replace: "delete",
  move: "delete",
  copy: "read",
  copy2: "read",
  copyfile: "read",
};
/** Functions with the resulting file as their second argument. */
const HAS_TARGET = /^(?:rename|replace|move|copy|cp)/;

/** A language, as far as calls like `open("a.txt", "w")` and `fs.rename(from, "b.txt")` are concerned. */
interface Language {
  /** Matches a call, with its name and first two arguments. */
  call: RegExp;
  /** The action on the file in the first argument. `before` is the code before the name, `mode` the second argument. */
  findAction: (name: string, before: string, mode: string) => TouchAction | undefined;
}

/** Matches calls of functions with some names. */
function callOf(...names: string[]): RegExp {
  return new RegExp(`\\b(${names.join("|")})\\((?=${ARGUMENT}(?:,${ARGUMENT})?)`, "g");
}

const PYTHON: Language = {
  call: callOf(
    "open",
    "read",
    "write",
    "(?:read|to|write)_(?:csv|json|parquet|excel|feather|pickle)",
    ...Object.keys(OS_FUNCTIONS),
  ),
  findAction(name, before, mode) {
    if (name === "open") return modeAction(mode);
    if (name.includes("_")) return name.startsWith("read") ? "read" : "write"; // of pandas and polars
    return /\b(?:os|shutil)\.$/.test(before) ? OS_FUNCTIONS[name] : undefined;
  },
};

const JAVASCRIPT: Language = {
  call: callOf("read", "file", "write", `(?:${Object.keys(NODE_FUNCTIONS).join("|")})(?:Sync)?`),
  findAction(name, before) {
    if (/\bBun\.$/.test(before) && /^(?:read|file|write)$/.test(name))
      return name === "write" ? "write" : "read";
    return NODE_FUNCTIONS[name.replace(/Sync$/, "")];
  },
};

function modeAction(mode: string): TouchAction {
  if (!/^[rwxabt+]+$/.test(mode)) return "read";
  return /[wx]/.test(mode) ? "write" : /[a+]/.test(mode) ? "edit" : "read";
}

/**
 * The files that Python code names in `open`, `pathlib.Path` and the like, as string literals or as variables assigned one.
 * Computed paths are left out: no result is a guess.
 *
 * @param hasHelpers whether the code can call `read("a.txt")` and `write("a.txt", text)`, as in oh-my-pi's `eval`
 */
export function extractPythonTouches(code: string, cwd: string, hasHelpers = false): TouchedFile[] {
  return extractCodeTouches(code, cwd, hasHelpers, PYTHON);
}

/** The same for JavaScript. */
export function extractJavascriptTouches(code: string, cwd: string, hasHelpers = false): TouchedFile[] {
  return extractCodeTouches(code, cwd, hasHelpers, JAVASCRIPT);
}

function extractCodeTouches(
  code: string,
  cwd: string,
  hasHelpers: boolean,
  language: Language,
): TouchedFile[] {
  if (code.length > MAX_CODE_CHARACTERS) return [];
  const files: TouchedFile[] = [];
  const findLiteral = prepareAssignments(code);
  const touch = (literal: string | undefined, action: TouchAction): void => {
    // Literals with escapes are rarely paths.
    const text = literal === undefined || literal.includes("\\") ? "" : literal.slice(1, -1);
    const path = looksLikePath(text) ? resolvePath(text, cwd) : null;
    if (path !== null) files.push({ path, action });
  };
  for (const { 1: name = "", 2: first, 3: firstName, 4: second, 5: secondName, index } of code.matchAll(
    language.call,
  )) {
    const before = code.slice(Math.max(0, index - 8), index);
    const isHelper = hasHelpers && /^(?:read|write)$/.test(name) && !/[\w$.]$/.test(before);
    const action = isHelper
      ? (name as "read" | "write")
      : language.findAction(name, before, second?.slice(1, -1) ?? "r");
    if (!action) continue;
    touch(first ?? findLiteral(firstName, index), action);
    if (HAS_TARGET.test(name)) touch(second ?? findLiteral(secondName, index), "write");
  }
  for (const { 1: literal, 2: name, 3: method = "", index } of language === PYTHON
    ? code.matchAll(METHOD_OF_PATH)
    : []) {
    const action = method === "unlink" ? "delete" : method.startsWith("write") ? "write" : "read";
    touch(literal ?? findLiteral(name, index), action);
  }
  return files;
}

/**
 * Reads which names in code are assigned string literals.
 *
 * @returns a function for the literal last assigned to a name before an offset; undefined if the last value was anything else
 */
function prepareAssignments(code: string): (name: string | undefined, offset: number) => string | undefined {
  const assigned = Map.groupBy(code.matchAll(ASSIGNMENT), ([, name]) => name);
  return (name, offset) => {
    const all = (name !== undefined && assigned.get(name)) || [];
    return findLastSorted(all, ({ index }) => index <= offset)?.[2]; // generated code assigns to a name thousands of times
  };
}
