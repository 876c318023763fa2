/** What all commands that write sessions have in common. */
import type { Index, SessionInfo } from "../../library/index.ts";
import { secondsSinceWritten } from "../actions/at-work.ts";
import { counted } from "../format/safe.ts";
import type { Io } from "./io.ts";
import { type CommonOptions, notice } from "./run.ts";

export interface WritingFlags extends CommonOptions {
  dryRun?: boolean;
}

/** The sessions that are meant, each once. All are found before the first is touched. */
export async function findAll(index: Index, sessions: readonly string[]): Promise<SessionInfo[]> {
  const found = new Map<string, SessionInfo>();
  for (const session of sessions) {
    const info = await index.find(session);
    found.set(info.path, info);
  }
  return [...found.values()];
}

/** Brings the index up to what was written. Where that fails, what was written stays written. */
export async function syncAgain(io: Io, index: Index, { sync }: CommonOptions): Promise<void> {
  if (sync === false) return;
  try {
    await index.sync();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    notice(io, `it is done, but the index does not know it yet: ${reason}`);
  }
}

/** Says that an agent which has the session open will go on in the file it knows. */
export function tellIfAtWork(io: Io, session: SessionInfo): void {
  const seconds = secondsSinceWritten(session);
  if (seconds === undefined) return;
  const ago = counted(seconds, "second");
  notice(
    io,
    `${session.path} was written ${ago} ago: an agent that has it open goes on in the file it knows`,
  );
}
