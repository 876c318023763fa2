import type { TouchAction } from "../src/store/sqlite/schema.ts";
import { CodeStrings, literalText, MAX_CODE, STRING, STRING_OR_NAME } from "./code-strings.ts";
import { absolutePath, looksLikePath, type TouchedFile } from "./touched-file.ts";

/** `open("a.txt", "w")`. */
const OPEN = new RegExp(
  `\\bopen\\(\\s*${STRING_OR_NAME}\\s*(?=[,)])(?:,\\s*(?:mode\\s*=\\s*)?["']([rwxabt+]+)["'])?`,
  "g",
);
/** `Path("a.txt").write_text(…)`, `path.write_text(…)`. */
const PATH = new RegExp(
  `(?:\\bPath\\(\\s*${STRING}\\s*\\)|\\b(\\w+))\\s*\\.((?:read|write)_(?:text|bytes)|open|unlink)\\(`,
  "g",
);
/** `pd.read_csv("a.csv")` and `frame.to_csv("b.csv")`, as pandas and polars have them. */
const TABLE = new RegExp(
  `\\b(?:(read)_|(?:to|write)_)(?:csv|json|parquet|excel|feather|pickle)\\(\\s*${STRING_OR_NAME}\\s*(?=[,)])`,
  "g",
);
/** `os.remove("a.txt")`, `os.rename("a.txt", "b.txt")`, `shutil.copy("a.txt", "b.txt")`. */
const FILES = new RegExp(
  `\\b(?:os|shutil)\\.(\\w+)\\(\\s*${STRING_OR_NAME}(?:\\s*,\\s*${STRING_OR_NAME})?`,
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
/** Those whose second argument is the file that comes of the first. */
const HAS_TARGET = /^(?:rename|replace|move|copy)/;
/** `read("a.txt")` and `write("a.txt", text)`, which oh-my-pi's `eval` has. */
const HELPER = new RegExp(`(?<![\\w.])(read|write)\\(\\s*${STRING_OR_NAME}\\s*(?=[,)])`, "g");

const METHODS: Record<string, TouchAction> = {
  read_text: "read",
  read_bytes: "read",
  open: "read",
  write_text: "write",
  write_bytes: "write",
  unlink: "delete",
};

/**
 * The files that Python code plainly names: in `open`, `pathlib.Path` and the like, as whole strings or by names that were
 * given one. It is sure rather than complete: what is worked out as the code runs is left out.
 */
export function pythonTouches(code: string, cwd: string, hasHelpers = false): TouchedFile[] {
  if (code.length > MAX_CODE) return [];
  const files: TouchedFile[] = [];
  const strings = new CodeStrings(code);
  const touch = (
    literal: string | undefined,
    name: string | undefined,
    at: number,
    action: TouchAction | undefined,
  ): void => {
    const text = literalText(literal ?? strings.at(name, at));
    if (!action || text === undefined || !looksLikePath(text)) return;
    const path = absolutePath(text, cwd);
    if (path !== null) files.push({ path, action });
  };
  for (const { 1: literal, 2: name, 3: mode = "r", index } of code.matchAll(OPEN)) {
    touch(literal, name, index, actionOf(mode));
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

function actionOf(mode: string): TouchAction {
  if (/[wx]/.test(mode)) return "write";
  return /[a+]/.test(mode) ? "edit" : "read";
}
