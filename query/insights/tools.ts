/** Which tools change files, run commands, or wait for somebody: by name, ignoring case. */

const CHANGING = new Set(["edit", "write", "multiedit", "apply_patch"]);
const SHELLS = new Set(["bash", "powershell"]);
const WAITING = new Set(["ask", "question", "confirm", "approve", "agent", "subagent", "task"]);

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
  return toWords(tool).some((word) => WAITING.has(word));
}

/** The words of a name in snake, kebab or camel case, in lower case. */
function toWords(name: string): string[] {
  return name
    .replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, "_")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
}
