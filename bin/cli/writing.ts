/** What all commands that write sessions have in common. */
import {
  CURRENT_SESSION_VERSION,
  type Index,
  PidexError,
  type SessionHeader,
  type SessionInfo,
  SessionManager,
} from "../../index.ts";
import { secondsSinceWritten } from "../doing/at-work.ts";
import { counted } from "../wording/safe.ts";
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

/** A session's header as its file has it once it is written to: an old version is upgraded before anything else. */
export function headerOf(manager: SessionManager): { header: SessionHeader; upgradedFrom?: number } {
  const header = manager.getHeader() as SessionHeader;
  const { version = 1 } = header;
  if (version >= CURRENT_SESSION_VERSION) return { header };
  return { header: { ...header, version: CURRENT_SESSION_VERSION }, upgradedFrom: version };
}

/** A session in memory alone, to see what would be written to its file. @throws as `SessionManager.open` */
export function inMemory({ path }: SessionInfo): { manager: SessionManager; upgradedFrom?: number } {
  const kept = SessionManager.open(path, { readOnly: true });
  const { header, ...old } = headerOf(kept);
  return { manager: SessionManager.inMemory(kept.getCwd(), {}, [header, ...kept.getEntries()]), ...old };
}

/** @throws PidexError `NOT_FOUND` for an id that no entry of the session has */
export function assertEntry(manager: SessionManager, id: string): void {
  if (manager.getEntry(id)) return;
  throw new PidexError("NOT_FOUND", `there is no entry ${id}`, "pidex tree SESSION --all shows the entries.");
}
