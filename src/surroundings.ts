import { homedir } from "node:os";
import { PidexError } from "./errors.ts";

/**
 * The user's home folder.
 *
 * @throws PidexError `NO_HOME` where no variable names it, and the system has no record of the user
 */
export function homeFolder(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  if (environment.HOME) return environment.HOME;
  try {
    return homedir();
  } catch (cause) {
    const hint =
      "Set HOME to a folder of yours, or name all paths: --db and --root, or PIDEX_DB and PIDEX_ROOTS.";
    throw new PidexError("NO_HOME", "the system names no home folder", hint, { cause });
  }
}

/**
 * The process's working directory.
 *
 * @throws PidexError `FOLDER_GONE` where it was deleted
 */
export function workingFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    const hint = "Change to a folder that is there.";
    throw new PidexError("FOLDER_GONE", "the working directory was deleted", hint, { cause });
  }
}
