/** Runs the user's editor on the terminal. */
import { spawn } from "node:child_process";
import { encodePath, PidexError } from "../../library/index.ts";

/** What shells return for a command that does not exist. */
const NOT_FOUND = 127;

/**
 * Runs `$VISUAL` or `$EDITOR`, which may contain options, and waits until it ends. The picker must have returned the terminal before.
 *
 * @returns the editor's command
 * @throws PidexError `AGENT_MISSING` if it cannot be run, `FILE_UNREADABLE` if it fails
 */
export async function runEditor(path: string, env: NodeJS.ProcessEnv): Promise<string> {
  const isWindows = process.platform === "win32";
  const editor = env.VISUAL || env.EDITOR || (isWindows ? "notepad" : "vi");
  if (typeof encodePath(path) !== "string") {
    const hint = "Rename the file or folder first.";
    throw new PidexError("FILE_UNREADABLE", `an editor cannot open ${path}: the path is not UTF-8`, hint);
  }
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  // As git does: a shell splits the command, and gets the path as an argument of its own.
  const argv = isWindows ? [] : ["-c", `${editor} "$@"`, "sh", path];
  const child = spawn(isWindows ? `${editor} "${path}"` : "sh", argv, {
    env,
    shell: isWindows,
    // Standard input and output may be redirected; these are the terminal.
    stdio: [process.stdin.fd, (process.stdout as { fd?: number }).fd ?? 1, "inherit"],
  });
  child.on("error", reject);
  child.on("exit", resolve);
  const code = await promise;
  if (code === 0) return editor;
  if (code === NOT_FOUND)
    throw new PidexError(
      "AGENT_MISSING",
      `cannot run ${editor}`,
      "Set $EDITOR to the command of your editor.",
    );
  throw new PidexError("FILE_UNREADABLE", `${editor} failed with exit code ${code}`, "Check $EDITOR.");
}
