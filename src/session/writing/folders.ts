/** The folders in which pi keeps sessions. */
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { PidexError } from "../../errors.ts";
import { expandPath, toProjectFolderName } from "../locations.ts";

/** pi's folder. The environment variable is read at each call, as in pi. */
export function getAgentDir(): string {
  return expandPath(process.env.PI_CODING_AGENT_DIR || "~/.pi/agent");
}

/** The session folder of a working directory, which may not exist. */
export function defaultSessionDirPath(cwd: string, agent = getAgentDir()): string {
  return join(expandPath(agent), "sessions", toProjectFolderName(cwd));
}

/**
 * The session folder of a working directory. Creates it if it does not exist.
 *
 * @throws the error of `fs.mkdirSync`
 */
export function getDefaultSessionDir(cwd: string, agent = getAgentDir()): string {
  const folder = defaultSessionDirPath(cwd, agent);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Whether two paths are equal once resolved. Does not access the file system. */
export function isSamePath(one: string, other: string): boolean {
  const key = (path: string) => (process.platform === "win32" ? resolve(path).toLowerCase() : resolve(path));
  return key(one) === key(other);
}

/** Whether the `cwd` of a session header, which may be any value, is the directory `cwd`. */
export function isSameCwd(headerCwd: unknown, cwd: string): boolean {
  if (typeof headerCwd !== "string" || headerCwd === "") return false;
  try {
    return isSamePath(expandPath(headerCwd), cwd);
  } catch (error) {
    if (error instanceof PidexError) return false; // not a path
    throw error;
  }
}

/** A session's file name: its start time and its id. */
export function toSessionFileName(timestamp: string, id: string): string {
  return `${timestamp.replace(/[:.]/g, "-")}_${id}.jsonl`;
}
