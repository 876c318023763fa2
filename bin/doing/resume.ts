/** Going on with a session, in the agent it is from. */
import { spawn } from "node:child_process";
import { accessSync, constants as modes, statSync } from "node:fs";
import { constants } from "node:os";
import { delimiter, join, sep } from "node:path";
import { PidexError, type SessionInfo, shellWord } from "../../index.ts";

/** What to run, and where. */
export interface ResumeCommand {
  argv: [agent: string, ...rest: string[]];
  /** The session's working directory; empty when it is not known. */
  cwd: string;
  /** The same as a line for a shell, from any folder. */
  line: string;
}

/** The command that goes on with a session; `agent` is the one in whose folders it lies unless named. */
export function resumeCommand(
  session: Pick<SessionInfo, "path" | "cwd">,
  agent: string = agentOf(session),
): ResumeCommand {
  const { path, cwd } = session;
  const argv: ResumeCommand["argv"] = [agent, "--session", path];
  const go = cwd === "" ? "" : `cd ${cwd.startsWith("-") ? "-- " : ""}${shellWord(cwd)} && `;
  return { argv, cwd, line: `${go}${argv.map(shellWord).join(" ")}` };
}

/** The agent in whose folders a session lies. */
function agentOf({ path }: Pick<SessionInfo, "path">): string {
  return path.includes(`${sep}.atomic${sep}`) ? "atomic" : "pi";
}

/** @throws PidexError `FOLDER_GONE` when the session's folder is not there */
export function assertFolder({ cwd }: ResumeCommand): void {
  if (cwd === "" || isFolder(cwd)) return;
  const hint = "Make it again, or resume by hand elsewhere: pidex resume without --run prints how.";
  throw new PidexError("FOLDER_GONE", `the session's folder is gone: ${cwd}`, hint);
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // none is there, or can be: of a name with NUL or too long a one not even that can be asked
  }
}

/** @throws PidexError `AGENT_MISSING` when the agent is surely not on the `PATH`, so that it can be said before a screen is left */
export function assertAgent({ argv: [agent] }: ResumeCommand, path = process.env.PATH ?? ""): void {
  if (process.platform === "win32" || agent.includes(sep)) return; // what Windows runs depends on endings: seen when it is run
  const isThere = (folder: string) => {
    try {
      accessSync(join(folder, agent), modes.X_OK);
      return true;
    } catch {
      return false; // not here
    }
  };
  if (!path.split(delimiter).some(isThere)) throw agentMissing(`there is no ${agent} on your PATH`);
}

/**
 * Runs the agent in the session's folder, with the terminal to itself.
 *
 * @returns what the agent exits with
 * @throws PidexError `FOLDER_GONE`, `AGENT_MISSING`
 */
export async function runAgent(command: ResumeCommand): Promise<number> {
  assertFolder(command);
  const { argv, cwd } = command;
  const [agent, ...args] = argv;
  const ignore = () => {}; // Ctrl+C is the agent's as long as it runs
  process.on("SIGINT", ignore);
  try {
    const child = spawn(agent, args, { cwd: cwd || undefined, stdio: "inherit" });
    return await new Promise((resolve, reject) => {
      child.on("error", (cause) => reject(cannotRun(agent, cause)));
      child.on("exit", (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
    });
  } finally {
    process.removeListener("SIGINT", ignore);
  }
}

function cannotRun(agent: string, cause: Error): PidexError {
  const isMissing = "code" in cause && cause.code === "ENOENT";
  const message = isMissing
    ? `there is no ${agent} on your PATH`
    : `${agent} could not be run: ${cause.message}`;
  return agentMissing(message, cause);
}

function agentMissing(message: string, cause?: Error): PidexError {
  return new PidexError("AGENT_MISSING", message, "Install it, or name the agent to run with --agent.", {
    cause,
  });
}
