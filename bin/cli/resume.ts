import {
  assertCanBeOpened,
  folderGone,
  getResumeCommand,
  runAgent,
  suggestMove,
  withMappedFolder,
} from "../actions/resume.ts";
import { parseReference } from "../agents/citations.ts";
import { withoutConfig } from "../config/apply-config.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";
import { writeJson } from "./json.ts";
import { EXIT, printNotice, withIndex } from "./run.ts";
import { toSessionJson } from "./session-json.ts";

/** `pidex resume`: prints the command that resumes a session, or runs it. */
export async function run(io: Io, [wanted = ""]: string[], flags: Flags<"resume">): Promise<number> {
  const info = await withIndex(io, flags, (index) => index.find(parseReference(wanted).session));
  const session = await withMappedFolder(info);
  const command = getResumeCommand(session, flags.agent);
  const suggestion = suggestMove(session);
  if (suggestion !== undefined) {
    if (flags.run) assertCanBeOpened(command);
    if (flags.run) throw folderGone(session.cwd, `${suggestion}. Otherwise create the folder again.`);
    printNotice(io, `the session's folder no longer exists: ${session.cwd}. ${suggestion}`);
  }
  if (flags.run)
    return runAgent(command, withoutConfig(process.env), (path) => printNotice(io, `restored ${path}`));
  const { line, argv, restores } = command;
  if (flags.json || flags.ndjson) {
    await writeJson(io, { command: line, cwd: session.cwd, argv, restores, session: toSessionJson(info) });
  } else await io.out(`${line}\n`);
  return EXIT.done;
}
