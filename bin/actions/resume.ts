/** Going on with a session, in the agent it is from. */
import { spawn } from "node:child_process";
import { accessSync, constants as modes, statSync } from "node:fs";
import { constants } from "node:os";
import { delimiter, isAbsolute, join, sep } from "node:path";
import { fsPath, PidexError, type SessionInfo } from "../../library/index.ts";
import { agentOf, profileOf, shellWord } from "../../library/internal.ts";
import { isProgramName, isShellsOwn } from "./program-name.ts";

/** What to run, and where. */
export interface ResumeCommand {
  argv: [agent: string, ...rest: string[]];
  /** The session's working directory; empty when it is not known. */
  cwd: string;
  /** The same as a line for a shell, from any folder. */
  line: string;
}

/**
 * The command that resumes a session. Without `agent` it is the agent in whose folder the session lies, or pi where that
 * folder's name can't be run as a program.
 *
 * @throws PidexError `BAD_OPTION` if a shell would not run `agent` as a program
 */
export function resumeCommand(session: Pick<SessionInfo, "path" | "cwd">, agent?: string): ResumeCommand {
  const { path, cwd } = session;
  if (agent !== undefined) assertProgram(agent);
  const argv = argumentsOf(agent ?? ownAgent(path), path);
  // A relative one begins with ./ for cd: a dash would be an option, `-` and `+1` folders before, others looked for in CDPATH.
  const folder = isAbsolute(cwd) ? cwd : `./${cwd}`;
  // The `/.` keeps a newline at the end of the name inside the word.
  const go = cwd === "" ? "" : `cd ${shellWord(folder.endsWith("\n") ? `${folder}/.` : folder)} && `;
  return { argv, cwd, line: `${go}${argv.map(shellWord).join(" ")}` };
}

function ownAgent(path: string): string {
  const agent = agentOf(path) ?? "pi";
  return isProgramName(agent) ? agent : "pi";
}

function assertProgram(agent: string): void {
  if (agent !== "" && !/^-|\p{Cc}/u.test(agent) && !isShellsOwn(agent)) return;
  const hint = "Give the name of a program on your PATH, or its path: ./NAME for one in this folder.";
  throw new PidexError("BAD_OPTION", `${JSON.stringify(agent)} is not the name of a program`, hint);
}

/** How each agent is told which session to go on with. Forks of pi that are not known are told as pi is. */
function argumentsOf(agent: string, path: string): ResumeCommand["argv"] {
  switch (agent) {
    case "omp": {
      const profile = profileOf(path);
      // One that begins with a dash would be an option.
      return profile === undefined || profile.startsWith("-")
        ? ["omp", "--resume", path]
        : ["omp", "--profile", profile, "--resume", path];
    }
    case "prime-agent":
      return ["prime-agent", "--resume", path];
    case "gsd":
      return ["gsd", "sessions"]; // which asks which one of those begun in this folder: it takes no name of one
    case "openclaw":
      return ["pi", "--fork", path]; // OpenClaw goes on with it in the chat that it is from, and in no terminal
    default:
      return [agent, "--session", path];
  }
}

/** @throws PidexError `FOLDER_GONE` when the session's folder is not there, `FILE_UNREADABLE` when no agent can open its file */
export function assertFolder({ argv, cwd }: ResumeCommand): void {
  const [agent, path = ""] = [argv[0], argv.at(-1)];
  if (typeof fsPath(path) !== "string") {
    const hint = "Rename the file or folder, then resume the session.";
    throw new PidexError("FILE_UNREADABLE", `${agent} cannot open ${path}: the path is not UTF-8`, hint);
  }
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
