import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { sep } from "node:path";
import { PidexError, type SessionInfo } from "../../index.ts";
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
  const line = `${info.cwd ? `cd ${quote(info.cwd)} && ` : ""}${command.map(quote).join(" ")}`;
  if (flags.json || flags.ndjson) writeJson(io, { command: line, cwd: info.cwd, argv: command, session: info });
  else io.out(`${line}\n`);
  return EXIT.done;
}

/** The agent in whose folders a session lies. */
function agentOf({ path }: SessionInfo): string {
  return path.includes(`${sep}.atomic${sep}`) ? "atomic" : "pi";
}

async function runAgent({ cwd }: SessionInfo, [agent = "", ...args]: string[]): Promise<number> {
  if (cwd && !existsSync(cwd)) {
    throw new PidexError("FOLDER_GONE", `the session's folder is gone: ${cwd}`, "Make it again, or resume by hand elsewhere.");
  }
  const child = spawn(agent, args, { cwd: cwd || undefined, stdio: "inherit" });
  return new Promise((resolve, reject) => {
    child.on("error", (cause) => {
      const hint = "Install it, or name the agent to run with --agent.";
      reject(new PidexError("AGENT_MISSING", `${agent} could not be run: ${cause.message}`, hint, { cause }));
    });
    child.on("exit", (code) => resolve(code ?? EXIT.failed));
  });
}

/** An argument as a POSIX shell reads it back; control characters in a path stay what they are, but quoted. */
function quote(argument: string): string {
  if (/^[\w@%+=:,./~-]+$/.test(argument) && !argument.startsWith("~")) return argument;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not reach the terminal raw
  if (/[\x00-\x1f\x7f-\x9f]/.test(argument)) return ansiQuote(argument);
  return `'${argument.replaceAll("'", `'\\''`)}'`;
}

/** `$'…'`, which bash, zsh and fish's posix-like kin read, so that control characters never go out raw. */
function ansiQuote(argument: string): string {
  const bytes = Buffer.from(argument, "utf8");
  const escaped = Array.from(bytes, (byte) =>
    byte < 0x20 || byte >= 0x7f || byte === 0x27 || byte === 0x5c
      ? `\\x${byte.toString(16).padStart(2, "0")}`
      : String.fromCharCode(byte),
  );
  return `$'${escaped.join("")}'`;
}
