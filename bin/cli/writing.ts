/** What all commands that write sessions have in common. */
import { statSync } from "node:fs";
import {
  CURRENT_SESSION_VERSION,
  type Index,
  PidexError,
  type SessionHeader,
  type SessionInfo,
  SessionManager,
} from "../../index.ts";
import type { Io } from "./io.ts";
import { type CommonOptions, notice } from "./run.ts";
import { counted } from "./text.ts";

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

/** A session whose file was written less long ago may have its agent at work in it. */
const AT_WORK_MS = 60_000;

/** How many seconds ago a session was written, if that is so recent that an agent may be at work in it. */
export function secondsSinceWritten({ path }: SessionInfo): number | undefined {
  const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  return age < AT_WORK_MS ? Math.max(0, Math.round(age / 1000)) : undefined;
}

/** Nobody but its caller knows when a subagent is done: what it writes in is left alone. */
export function assertNoSubagentAtWork(session: SessionInfo): void {
  const seconds = session.subagent ? secondsSinceWritten(session) : undefined;
  if (seconds === undefined) return;
  throw new PidexError(
    "SESSION_CHANGED",
    `a subagent may be at work in ${session.path}: it was written ${counted(seconds, "second")} ago`,
    "Try again when it has not been written for a minute.",
  );
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
