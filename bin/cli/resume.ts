import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { constants } from "node:os";
import { sep } from "node:path";
import { PidexError, type SessionInfo, shellWord } from "../../index.ts";
import type { Io } from "./io.ts";
import { writeJson } from "./json.ts";
import { type CommonOptions, EXIT, withIndex } from "./run.ts";

interface Flags extends CommonOptions {
  run?: boolean;
  agent?: string;
}

/** `pidex resume`: prints the command that goes on with a session, or runs it. */
export async function run(io: Io, [session = ""]: string[], flags: Flags): Promise<number> {
  const info = await withIndex(io, flags, (index) => index.find(session));
  const agent = flags.agent ?? agentOf(info);
  const command = [agent, "--session", info.path];
  if (flags.run) return runAgent(info, command);
  const go = info.cwd === "" ? "" : `cd ${info.cwd.startsWith("-") ? "-- " : ""}${shellWord(info.cwd)} && `;
  const line = `${go}${command.map(shellWord).join(" ")}`;
  if (flags.json || flags.ndjson) {
    await writeJson(io, { command: line, cwd: info.cwd, argv: command, session: info });
  } else await io.out(`${line}\n`);
  return EXIT.done;
}

/** The agent in whose folders a session lies. */
function agentOf({ path }: SessionInfo): string {
  return path.includes(`${sep}.atomic${sep}`) ? "atomic" : "pi";
}

/** @returns what the agent exits with */
async function runAgent({ cwd }: SessionInfo, [agent = "", ...args]: string[]): Promise<number> {
  if (cwd && !statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) {
    const hint = "Make it again, or resume by hand elsewhere: pidex resume without --run prints how.";
    throw new PidexError("FOLDER_GONE", `the session's folder is gone: ${cwd}`, hint);
  }
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
  return new PidexError("AGENT_MISSING", message, "Install it, or name the agent to run with --agent.", {
    cause,
  });
}
