import { homedir } from "node:os";
import { isAbsolute } from "node:path";
import { PidexError, systemCode } from "./errors.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The user's home folder.
 *
 * @throws PidexError `NO_HOME` where there is none
 */
export function homeFolder(environment: Environment = process.env): string {
  const home = findHome(environment);
  if (home !== undefined) return home;
  const hint =
    "Set HOME to the full path of a folder of yours, or name all paths: --db and --root, or PIDEX_DB and PIDEX_ROOTS.";
  throw new PidexError("NO_HOME", "the system names no home folder", hint);
}

/** The same; undefined where no variable names it by a full path, and the system has no record of the user. */
export function findHome(environment: Environment = process.env): string | undefined {
  const home = environment.HOME || recordedHome();
  return isAbsolute(home) ? home : undefined;
}

function recordedHome(): string {
  try {
    return homedir();
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return ""; // nobody knows the user, as in some containers
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
