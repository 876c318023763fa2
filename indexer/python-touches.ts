import type { TouchAction } from "../src/database/schema.ts";
import { shellTouches } from "./shell-touches.ts";
import { absolutePath, looksLikePath, type TouchedFile } from "./touched-file.ts";

/** Code longer than this is data in disguise. */
const MAX_CODE = 64 << 10;

/** A cell of IPython that a shell runs as a whole. */
const SHELL_CELL = /^\s*%%(?:bash|sh|script\s+(?:ba)?sh)\b[^\n]*\n/;
/** A line of IPython that a shell runs: `!ls src`, `files = !ls src`. */
const SHELL_LINE = /^[ \t]*(?:\w+[ \t]*=[ \t]*)?!(?!=)(.+)$/gm;

const STRING = `[rRbB]?("(?:[^"\\\\\\n]|\\\\.)*"|'(?:[^'\\\\\\n]|\\\\.)*')`;
/** `open("a.txt", "w")`. */
const OPEN = new RegExp(
  `\\bopen\\(\\s*${STRING}\\s*(?=[,)])(?:,\\s*(?:mode\\s*=\\s*)?["']([rwxabt+]+)["'])?`,
  "g",
);
/** `Path("a.txt").write_text(…)`. */
const PATH = new RegExp(`\\bPath\\(\\s*${STRING}\\s*\\)\\s*\\.(\\w+)\\(`, "g");

const METHODS: Record<string, TouchAction> = {
  read_text: "read",
  read_bytes: "read",
  open: "read",
  write_text: "write",
  write_bytes: "write",
  unlink: "delete",
};

/**
 * The files that Python code plainly names: in `open` and `pathlib.Path`, as whole strings, and in the shell commands that
 * IPython runs. It is sure rather than complete: what is worked out as the code runs is left out.
 */
export function pythonTouches(code: string, cwd: string): TouchedFile[] {
  if (code.length > MAX_CODE) return [];
  const cell = SHELL_CELL.exec(code);
  if (cell) return shellTouches(code.slice(cell[0].length), cwd);
  const files: TouchedFile[] = [];
  const touch = (literal: string, action: TouchAction | undefined): void => {
    const text = literal.slice(1, -1);
    if (!action || text.includes("\\") || !looksLikePath(text)) return;
    const path = absolutePath(text, cwd);
    if (path !== null) files.push({ path, action });
  };
  for (const [, literal, mode = "r"] of code.matchAll(OPEN)) touch(literal as string, actionOf(mode));
  for (const [, literal, method] of code.matchAll(PATH)) touch(literal as string, METHODS[method as string]);
  for (const [, command] of code.matchAll(SHELL_LINE)) files.push(...shellTouches(command as string, cwd));
  return files;
}

function actionOf(mode: string): TouchAction {
  if (/[wx]/.test(mode)) return "write";
  return /[a+]/.test(mode) ? "edit" : "read";
}
