import { MAX_CODE } from "./code-strings.ts";
import { pythonTouches } from "./python-touches.ts";
import { shellTouches } from "./shell-touches.ts";
import type { TouchedFile } from "./touched-file.ts";

/** A cell of IPython that a shell runs as a whole. */
const SHELL_CELL = /^\s*%%(?:bash|sh|script\s+(?:ba)?sh)\b[^\n]*\n/;
/** A line of IPython that a shell runs: `!ls src`, `files = !ls src`. */
const SHELL_LINE = /^[ \t]*(?:\w+[ \t]*=[ \t]*)?!(?!=)(.+)$/gm;

/** The files that a cell of IPython plainly names, in its Python and in the shell commands that it runs. */
export function ipythonTouches(code: string, cwd: string, hasHelpers = false): TouchedFile[] {
  if (code.length > MAX_CODE) return [];
  const cell = SHELL_CELL.exec(code);
  if (cell) return shellTouches(code.slice(cell[0].length), cwd);
  const commands = Array.from(code.matchAll(SHELL_LINE), ([, command]) =>
    shellTouches(command as string, cwd),
  );
  return [...pythonTouches(code, cwd, hasHelpers), ...commands.flat()];
}
