/** Resumes a session in its agent. */
import { spawn } from "node:child_process";
import { accessSync, constants as modes, statSync } from "node:fs";
import { constants } from "node:os";
import { delimiter, isAbsolute, join, sep } from "node:path";
import { encodePath, PidexError, type SessionInfo, SessionManager } from "../../library/index.ts";
import { detectAgent, detectProfile, isCompressed, quoteForShell } from "../../library/internal.ts";
import { isProgramName, isShellReserved } from "./program-name.ts";

/** The command that resumes a session. */
export interface ResumeCommand {
  argv: [agent: string, ...rest: string[]];
  /** The session's working directory; "" if unknown. */
  cwd: string;
  /** The session file to restore first, if it is compressed: agents know only plain files. */
  restores?: string;
  /** A shell command that works from any folder. */
  line: string;
}

/** How to set the new folder of a session, if its working directory no longer exists; undefined if it does or is unknown. */
export function suggestMove({
  cwd,
  ...session
}: Pick<SessionInfo, "cwd" | "path"> & { id?: string }): string | undefined {
  if (cwd === "" || isFolder(cwd)) return undefined;
  const { id = "", path } = session;
  return `If the project moved: pidex move ${quoteForShell(id === "" ? path : id)} NEW_FOLDER`;
}

/**
 * The command that resumes a session. `agent` defaults to the owner of the session folder, or pi if that name can't be run
 * as a program.
 *
 * @throws PidexError `BAD_OPTION` if a shell would not run `agent` as a program
 */
export function getResumeCommand(session: Pick<SessionInfo, "path" | "cwd">, agent?: string): ResumeCommand {
  const { path, cwd } = session;
  if (agent !== undefined) assertProgram(agent);
  const argv = argumentsOf(agent ?? ownAgent(path), path);
  // `cd` needs ./ before a relative folder: `-` and `+1` mean earlier folders, other dashes options, and CDPATH may apply.
  const folder = isAbsolute(cwd) ? cwd : `./${cwd}`;
  // The `/.` keeps a newline at the end of the name inside the word.
  const go = cwd === "" ? "" : `cd ${quoteForShell(folder.endsWith("\n") ? `${folder}/.` : folder)} && `;
  const restores = isCompressed(path);
  const before = restores ? `pidex restore ${quoteForShell(path)} && ` : "";
  const line = `${before}${go}${argv.map(quoteForShell).join(" ")}`;
  return { argv, cwd, ...(restores && { restores: path }), line };
}

/**
 * The session with the folder that its working directory has on this machine. If the directory does not exist here, that is the one of
 * the maps that `pidex pull --map` stores, if it exists.
 */
export async function withMappedFolder<T extends Pick<SessionInfo, "cwd">>(session: T): Promise<T> {
  if (session.cwd === "" || isFolder(session.cwd)) return session;
  const { mapFolder, readHubSettings } = await import("../../library/hub/settings.ts");
  const mapped = mapFolder(readHubSettings().folders, session.cwd);
  return mapped !== undefined && isFolder(mapped) ? { ...session, cwd: mapped } : session;
}

function ownAgent(path: string): string {
  const agent = detectAgent(path) ?? "pi";
  return isProgramName(agent) ? agent : "pi";
}

function assertProgram(agent: string): void {
  if (agent !== "" && !/^-|\p{Cc}/u.test(agent) && !isShellReserved(agent)) return;
  const hint = "Pass the name of a program on your PATH, or a path such as ./NAME.";
  throw new PidexError("BAD_OPTION", `${JSON.stringify(agent)} is not a program name`, hint);
}

/** The arguments that make each agent resume a session. Unknown agents are assumed to be forks of pi. */
function argumentsOf(agent: string, path: string): ResumeCommand["argv"] {
  switch (agent) {
    case "omp": {
      const profile = detectProfile(path);
      // A profile that begins with a dash would be an option.
      return profile === undefined || profile.startsWith("-")
        ? ["omp", "--resume", path]
        : ["omp", "--profile", profile, "--resume", path];
    }
    case "prime-agent":
      return ["prime-agent", "--resume", path];
    case "gsd":
      return ["gsd", "sessions"]; // shows the sessions of this folder; gsd takes no session argument
    case "openclaw":
      return ["pi", "--fork", path]; // OpenClaw continues sessions only in their chat, not in a terminal
    default:
      return [agent, "--session", path];
  }
}

/** @throws PidexError `FILE_UNREADABLE` if no agent can open the session's file */
export function assertCanBeOpened({ argv }: ResumeCommand): void {
  const [agent, path = ""] = [argv[0], argv.at(-1)];
  if (typeof encodePath(path) !== "string") {
    const hint = "Rename the file or folder, then resume the session.";
    throw new PidexError("FILE_UNREADABLE", `${agent} cannot open ${path}: the path is not UTF-8`, hint);
  }
}

/** @throws PidexError `FOLDER_GONE` if the session's folder doesn't exist */
export function assertFolderExists({ cwd }: ResumeCommand): void {
  if (cwd === "" || isFolder(cwd)) return;
  const hint =
    "If the project moved, set its new folder with pidex move SESSION FOLDER; otherwise create the folder again.";
  throw folderGone(cwd, hint);
}

/** The error for a session with a working directory that no longer exists. */
export function folderGone(cwd: string, hint: string): PidexError {
  return new PidexError("FOLDER_GONE", `the session's folder no longer exists: ${cwd}`, hint);
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // missing, or the name is invalid: too long, or with NUL
  }
}

/** @throws PidexError `AGENT_MISSING` if the agent is certainly not on the `PATH`, which the picker reports before it closes */
export function assertAgentInstalled({ argv: [agent] }: ResumeCommand, path = process.env.PATH ?? ""): void {
  if (process.platform === "win32" || agent.includes(sep)) return; // on Windows it depends on file extensions, so running it decides
  const hasAgent = (folder: string) => {
    try {
      accessSync(join(folder, agent), modes.X_OK);
      return true;
    } catch {
      return false; // not here
    }
  };
  if (!path.split(delimiter).some(hasAgent)) throw agentMissing(`${agent} is not on your PATH`);
}

/**
 * Runs the agent in the session's folder, attached to the terminal. Restores the session file first, if it is compressed.
 *
 * @param env its environment
 * @param onRestored called with the path of the session file, if it was restored
 * @returns the exit code of the agent
 * @throws PidexError `FOLDER_GONE`, `AGENT_MISSING`; as `SessionManager.decompress`
 */
export async function runAgent(
  command: ResumeCommand,
  env: NodeJS.ProcessEnv = process.env,
  onRestored: (path: string) => void = () => {},
): Promise<number> {
  assertCanBeOpened(command);
  assertFolderExists(command);
  const { argv, cwd, restores } = command;
  if (restores !== undefined) {
    assertAgentInstalled(command, env.PATH);
    SessionManager.decompress(restores);
    onRestored(restores);
  }
  const [agent, ...args] = argv;
  const ignore = () => {}; // Ctrl+C is for the agent while it runs
  process.on("SIGINT", ignore);
  try {
    const child = spawn(agent, args, { cwd: cwd || undefined, env, stdio: "inherit" });
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
  const message = isMissing ? `${agent} is not on your PATH` : `cannot run ${agent}: ${cause.message}`;
  return agentMissing(message, cause);
}

function agentMissing(message: string, cause?: Error): PidexError {
  return new PidexError(
    "AGENT_MISSING",
    message,
    "Install it, or name another agent: pidex resume SESSION --agent COMMAND.",
    {
      cause,
    },
  );
}
