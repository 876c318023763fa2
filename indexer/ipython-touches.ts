import { extractPythonTouches, MAX_CODE_CHARACTERS } from "./code-touches.ts";
import { extractShellTouches } from "./shell-touches.ts";
import type { TouchedFile } from "./touched-file.ts";

/** An IPython cell that a shell runs completely. */
const SHELL_CELL = /^\s*%%(?:bash|sh|script\s+(?:ba)?sh)\b[^\n]*\n/;
/** An IPython line that a shell runs: `!ls src`, `files = !ls src`. */
const SHELL_LINE = /^[ \t]*(?:\w+[ \t]*=[ \t]*)?!(?!=)(.+)$/gm;

/** The files that an IPython cell literally names, in its Python code and in its shell commands. */
export function extractIpythonTouches(code: string, cwd: string, hasHelpers = false): TouchedFile[] {
  if (code.length > MAX_CODE_CHARACTERS) return [];
  const cell = SHELL_CELL.exec(code);
  if (cell) return extractShellTouches(code.slice(cell[0].length), cwd);
  const commands = Array.from(code.matchAll(SHELL_LINE), ([, command]) =>
    extractShellTouches(command as string, cwd),
  );
  return [...extractPythonTouches(code, cwd, hasHelpers), ...commands.flat()];
}
