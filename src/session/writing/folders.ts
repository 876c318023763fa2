/** Where pi keeps the sessions of a working directory. */
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { PidexError } from "../../errors.ts";
import { expandPath, projectFolder } from "../locations.ts";

/** pi's own folder. The variable is read at each call, as pi does. */
export function agentDir(): string {
  return expandPath(process.env.PI_CODING_AGENT_DIR || "~/.pi/agent");
}

/** The folder of a working directory's sessions; it need not exist. */
export function defaultSessionDirPath(cwd: string, agent = agentDir()): string {
  return join(expandPath(agent), "sessions", projectFolder(cwd));
}

/**
 * The folder of a working directory's sessions, made if it is not there.
 *
 * @throws the error of `fs.mkdirSync`
 */
export function getDefaultSessionDir(cwd: string, agent = agentDir()): string {
  const folder = defaultSessionDirPath(cwd, agent);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Whether two paths name one place; the file system is not looked at. */
export function isSamePath(one: string, other: string): boolean {
  const key = (path: string) => (process.platform === "win32" ? resolve(path).toLowerCase() : resolve(path));
  return key(one) === key(other);
}

/** Whether the working directory that a session's header names, where it names one, is this. */
export function isCwdOf(named: unknown, wanted: string): boolean {
  if (typeof named !== "string" || named === "") return false;
  try {
    return isSamePath(expandPath(named), wanted);
  } catch (error) {
    if (error instanceof PidexError) return false; // what is no path is no directory of anybody's
    throw error;
  }
}

/** A session's file name: the time of its begin, and its id. */
export function sessionFileName(timestamp: string, id: string): string {
  return `${timestamp.replace(/[:.]/g, "-")}_${id}.jsonl`;
}
