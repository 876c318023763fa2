import { MAX_CODE } from "./code-strings.ts";
import { pythonTouches } from "./python-touches.ts";
import { shellTouches } from "./shell-touches.ts";
import type { TouchedFile } from "./touched-file.ts";

/** An IPython cell that a shell runs completely. */
const SHELL_CELL = /^\s*%%(?:bash|sh|script\s+(?:ba)?sh)\b[^\n]*\n/;
/** An IPython line that a shell runs: `!ls src`, `files = !ls src`. */
const SHELL_LINE = /^[ \t]*(?:\w+[ \t]*=[ \t]*)?!(?!=)(.+)$/gm;

/** The files that an IPython cell literally names, in its Python code and in its shell commands. */
export function ipythonTouches(code: string, cwd: string, hasHelpers = false): TouchedFile[] {
  if (code.length > MAX_CODE) return [];
  const cell = SHELL_CELL.exec(code);
  if (cell) return shellTouches(code.slice(cell[0].length), cwd);
  const commands = Array.from(code.matchAll(SHELL_LINE), ([, command]) =>
    shellTouches(command as string, cwd),
  );
  return [...pythonTouches(code, cwd, hasHelpers), ...commands.flat()];
}
