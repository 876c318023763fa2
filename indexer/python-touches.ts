import type { TouchAction } from "../src/store/sqlite/schema.ts";
import {
  MAX_CODE_CHARACTERS,
  parseLiteral,
  STRING_OR_NAME_PATTERN,
  STRING_PATTERN,
  StringVariables,
} from "./string-variables.ts";
import { looksLikePath, resolvePath, type TouchedFile } from "./touched-file.ts";

/** `open("a.txt", "w")`. */
const OPEN = new RegExp(
  `\\bopen\\(\\s*${STRING_OR_NAME_PATTERN}\\s*(?=[,)])(?:,\\s*(?:mode\\s*=\\s*)?["']([rwxabt+]+)["'])?`,
  "g",
);
/** `Path("a.txt").write_text(…)`, `path.write_text(…)`. */
const PATH = new RegExp(
  `(?:\\bPath\\(\\s*${STRING_PATTERN}\\s*\\)|\\b(\\w+))\\s*\\.((?:read|write)_(?:text|bytes)|open|unlink)\\(`,
  "g",
);
/** `pd.read_csv("a.csv")` and `frame.to_csv("b.csv")` of pandas and polars. */
const TABLE = new RegExp(
  `\\b(?:(read)_|(?:to|write)_)(?:csv|json|parquet|excel|feather|pickle)\\(\\s*${STRING_OR_NAME_PATTERN}\\s*(?=[,)])`,
  "g",
);
/** `os.remove("a.txt")`, `os.rename("a.txt", "b.txt")`, `shutil.copy("a.txt", "b.txt")`. */
const FILES = new RegExp(
  `\\b(?:os|shutil)\\.(\\w+)\\(\\s*${STRING_OR_NAME_PATTERN}(?:\\s*,\\s*${STRING_OR_NAME_PATTERN})?`,
  "g",
);
const FILE_ACTIONS: Record<string, TouchAction> = {
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
const HAS_TARGET = /^(?:rename|replace|move|copy)/;
/** `read("a.txt")` and `write("a.txt", text)`, helpers of oh-my-pi's `eval`. */
const HELPER = new RegExp(`(?<![\\w.])(read|write)\\(\\s*${STRING_OR_NAME_PATTERN}\\s*(?=[,)])`, "g");

const METHODS: Record<string, TouchAction> = {
  read_text: "read",
  read_bytes: "read",
  open: "read",
  write_text: "write",
  write_bytes: "write",
  unlink: "delete",
};

/**
 * The files that Python code names in `open`, `pathlib.Path` and the like, as string literals or as variables assigned one.
 * Computed paths are left out: no result is a guess.
 */
export function extractPythonTouches(code: string, cwd: string, hasHelpers = false): TouchedFile[] {
  if (code.length > MAX_CODE_CHARACTERS) return [];
  const files: TouchedFile[] = [];
  const strings = new StringVariables(code);
  const touch = (
    literal: string | undefined,
    name: string | undefined,
    at: number,
    action: TouchAction | undefined,
  ): void => {
    const text = parseLiteral(literal ?? strings.valueAt(name, at));
    if (!action || text === undefined || !looksLikePath(text)) return;
    const path = resolvePath(text, cwd);
    if (path !== null) files.push({ path, action });
  };
  for (const { 1: literal, 2: name, 3: mode = "r", index } of code.matchAll(OPEN)) {
    touch(literal, name, index, modeAction(mode));
  }
  for (const { 1: literal, 2: name, 3: method = "", index } of code.matchAll(PATH)) {
    touch(literal, name, index, METHODS[method]);
  }
  for (const { 1: isRead, 2: literal, 3: name, index } of code.matchAll(TABLE)) {
    touch(literal, name, index, isRead ? "read" : "write");
  }
  for (const { 1: called = "", 2: first, 3: firstName, 4: second, 5: secondName, index } of code.matchAll(
    FILES,
  )) {
    if (!Object.hasOwn(FILE_ACTIONS, called)) continue;
    touch(first, firstName, index, FILE_ACTIONS[called]);
    if (HAS_TARGET.test(called)) touch(second, secondName, index, "write");
  }
  for (const { 1: called, 2: literal, 3: name, index } of hasHelpers ? code.matchAll(HELPER) : []) {
    touch(literal, name, index, called === "read" ? "read" : "write");
  }
  return files;
}

function modeAction(mode: string): TouchAction {
  if (/[wx]/.test(mode)) return "write";
  return /[a+]/.test(mode) ? "edit" : "read";
}
