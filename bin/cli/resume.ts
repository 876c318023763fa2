import { getResumeCommand, runAgent, withMappedFolder } from "../actions/resume.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";
import { writeJson } from "./json.ts";
import { EXIT, withIndex } from "./run.ts";

/** `pidex resume`: prints the command that resumes a session, or runs it. */
export async function run(io: Io, [wanted = ""]: string[], flags: Flags<"resume">): Promise<number> {
  const info = await withIndex(io, flags, (index) => index.find(wanted));
  const session = await withMappedFolder(info);
  const command = getResumeCommand(session, flags.agent);
  if (flags.run) return runAgent(command);
  const { line, argv } = command;
  if (flags.json || flags.ndjson) {
    await writeJson(io, { command: line, cwd: session.cwd, argv, session: info });
  } else await io.out(`${line}\n`);
  return EXIT.done;
}
