/** Shared by the commands that write sessions. */

import type { Index, SessionInfo } from "../../library/index.ts";
import { toMessage } from "../../library/internal.ts";
import { secondsSinceWritten } from "../actions/active-sessions.ts";
import { formatCount } from "../format/safe.ts";
import type { Flags } from "./commands.ts";
import type { Io } from "./io.ts";
import { printNotice } from "./run.ts";

/** The options of all commands that write. */
export type WriteFlags = Flags<"move">;

/** The named sessions without duplicates. All are found before the first is changed. */
export async function findSessions(index: Index, sessions: readonly string[]): Promise<SessionInfo[]> {
  const found = new Map<string, SessionInfo>();
  for (const session of sessions) {
    const info = await index.find(session);
    found.set(info.path, info);
  }
  return [...found.values()];
}

/** Syncs after a write. A failure is only a notice, because the write has succeeded. */
export async function syncAfterWrite(io: Io, index: Index, { sync }: WriteFlags): Promise<void> {
  if (sync === false) return;
  try {
    await index.sync();
  } catch (error) {
    const reason = toMessage(error);
    printNotice(io, `the change was saved, but the index was not updated: ${reason}`);
  }
}

/** Warns if the session was written so recently that an agent may have it open. */
export function warnIfActive(io: Io, session: SessionInfo): void {
  const seconds = secondsSinceWritten(session);
  if (seconds === undefined) return;
  const ago = formatCount(seconds, "second");
  printNotice(
    io,
    `${session.path} was written ${ago} ago; an agent that has this session open will keep writing to the old file`,
  );
}
