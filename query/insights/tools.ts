/** Which tools change files, run commands, or wait for somebody: by name, in lower case. */

const CHANGING = new Set(["edit", "write", "multiedit", "apply_patch"]);
const SHELLS = new Set(["bash", "powershell"]);
const WAITING = /ask|question|confirm|approv|agent|^task$/;

/** Whether a tool changes files. */
export function isChanging(tool: string): boolean {
  return CHANGING.has(tool.toLowerCase());
}

/** Whether a tool runs a command in a shell. */
export function isShell(tool: string): boolean {
  return SHELLS.has(tool.toLowerCase());
}

/** Whether a tool waits for the user or for a subagent, whose session has its own waiting times. */
export function isWaiting(tool: string): boolean {
  return WAITING.test(tool.toLowerCase());
}
