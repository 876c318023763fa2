import type { TouchAction } from "../src/store/sqlite/schema.ts";
import {
  MAX_CODE_CHARACTERS,
  parseLiteral,
  STRING_OR_NAME_PATTERN,
  StringVariables,
} from "./string-variables.ts";
import { looksLikePath, resolvePath, type TouchedFile } from "./touched-file.ts";

/** Functions of Node, Bun and Deno, and their action on the file in their first argument. */
const FUNCTIONS: [names: string, action: TouchAction][] = [
  ["readFile readFileSync readTextFile readTextFileSync createReadStream", "read"],
  ["writeFile writeFileSync writeTextFile writeTextFileSync createWriteStream", "write"],
  ["appendFile appendFileSync", "edit"],
  ["unlink unlinkSync rm rmSync", "delete"],
  ["copyFile copyFileSync cp cpSync", "read"],
  ["rename renameSync", "delete"],
];
const ACTIONS = new Map(
  FUNCTIONS.flatMap(([names, action]) => names.split(" ").map((name) => [name, action])),
);
/** Functions with the resulting file as their second argument. */
const HAS_TARGET = /^(?:copyFile|cp|rename)/;
const CALL = new RegExp(
  `\\b(${[...ACTIONS.keys()].join("|")})\\(\\s*${STRING_OR_NAME_PATTERN}(?:\\s*,\\s*${STRING_OR_NAME_PATTERN})?`,
  "g",
);
/** `Bun.file("a.txt")`, `Bun.write("a.txt", x)`, and the helpers `read` and `write` of oh-my-pi's `eval`. */
const HELPER = new RegExp(
  `(Bun\\.|(?<![\\w.$]))(read|file|write)\\(\\s*${STRING_OR_NAME_PATTERN}\\s*(?=[,)])`,
  "g",
);

/** The files that JavaScript code names as string literals. Computed paths are left out, as in `extractPythonTouches`. */
export function extractJavascriptTouches(code: string, cwd: string, hasHelpers = false): TouchedFile[] {
  if (code.length > MAX_CODE_CHARACTERS) return [];
  const files: TouchedFile[] = [];
  const strings = new StringVariables(code);
  const touch = (
    literal: string | undefined,
    name: string | undefined,
    at: number,
    action: TouchAction,
  ): void => {
    const text = parseLiteral(literal ?? strings.valueAt(name, at));
    const path = text !== undefined && looksLikePath(text) ? resolvePath(text, cwd) : null;
    if (path !== null) files.push({ path, action });
  };
  for (const { 1: called = "", 2: first, 3: firstName, 4: second, 5: secondName, index } of code.matchAll(
    CALL,
  )) {
    touch(first, firstName, index, ACTIONS.get(called) as TouchAction);
    if (HAS_TARGET.test(called)) touch(second, secondName, index, "write");
  }
  for (const { 1: bun = "", 2: called, 3: literal, 4: name, index } of code.matchAll(HELPER)) {
    if (bun === "" && (!hasHelpers || called === "file")) continue;
    touch(literal, name, index, called === "write" ? "write" : "read");
  }
  return files;
}
