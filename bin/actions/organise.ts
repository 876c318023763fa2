/** Changing what a session is called and sorted by: entries that are appended to it. */
import {
  CURRENT_SESSION_VERSION,
  PidexError,
  type SessionHeader,
  type SessionInfo,
  SessionManager,
} from "../../library/index.ts";
import { readSessionHeader } from "../../library/internal.ts";
import type { WritesInside } from "./inside.ts";

/** How a session is organised, and what was written to have it so. */
export interface Organised {
  path: string;
  sessionId: string;
  name?: string;
  pinned: boolean;
  archived: boolean;
  tags: string[];
  /** The entry it is about, and the label it has. */
  entryId?: string;
  label?: string;
  /** The version its file had, when it was upgraded first. */
  upgradedFrom?: number;
  /** The lines that were appended. */
  lines: string[];
}

/** A change of a session. */
export interface Change {
  /** Changes a session where it has to be. @returns the id of the entry that says so */
  change: (manager: SessionManager) => string | undefined;
  /** The entry it is about, for labels. */
  entryId?: string;
  /** Nothing is written; the answer says what would be. */
  dryRun?: boolean;
}

/** A change, and where it may be written. */
export type PlacedChange = Change & WritesInside;

/** A session, by its file. */
type Filed = Pick<SessionInfo, "path">;

/** Changes a session; what needs no change is not upgraded for it, and not written. @throws as `SessionManager.open` */
export function organised(info: Filed, { change, entryId, dryRun = false, within }: PlacedChange): Organised {
  // Opening a file of today's version writes nothing; of an old one it is looked at first whether anything is to change.
  const isTried = dryRun || !isOfToday(info.path);
  const trial = isTried ? inMemory(info) : { manager: SessionManager.open(info.path, { within }) };
  let { manager } = trial;
  if (entryId !== undefined) assertEntry(manager, entryId);
  let id = change(manager);
  if (id !== undefined && isTried && !dryRun) {
    manager = SessionManager.open(info.path, { within });
    id = change(manager);
  }
  const lines = id === undefined ? [] : [JSON.stringify(manager.getEntry(id))];
  const upgraded = id !== undefined && trial.upgradedFrom ? { upgradedFrom: trial.upgradedFrom } : {};
  return { ...organisedNow(info, manager, entryId), ...upgraded, lines };
}

/** Headers are short: no more of a file is read to find its version. */
const HEADER_BYTES = 64 * 1024;

/** Whether a file says in its header that it need not be upgraded. */
function isOfToday(path: string): boolean {
  try {
    const header = readSessionHeader(path, HEADER_BYTES);
    return header !== undefined && Number(header.version) >= CURRENT_SESSION_VERSION;
  } catch (error) {
    if (error instanceof PidexError) return false; // opening it says what is wrong
    throw error;
  }
}

/** How a session is organised. */
export function organisedNow(
  info: Filed,
  manager: SessionManager,
  entryId?: string,
): Omit<Organised, "lines"> {
  const name = manager.getSessionName();
  const label = entryId === undefined ? undefined : manager.getLabel(entryId);
  return {
    path: info.path,
    sessionId: manager.getSessionId(),
    ...(name !== undefined && { name }),
    pinned: manager.getPinned(),
    archived: manager.getArchived(),
    tags: manager.getTags(),
    ...(entryId !== undefined && { entryId }),
    ...(label !== undefined && { label }),
  };
}

/** A session's header as its file has it once it is written to: an old version is upgraded before anything else. */
export function headerOf(manager: SessionManager): { header: SessionHeader; upgradedFrom?: number } {
  const header = manager.getHeader() as SessionHeader;
  const { version = 1 } = header;
  if (version >= CURRENT_SESSION_VERSION) return { header };
  return { header: { ...header, version: CURRENT_SESSION_VERSION }, upgradedFrom: version };
}

/** A session in memory alone, to see what would be written to its file. @throws as `SessionManager.open` */
export function inMemory({ path }: Filed): { manager: SessionManager; upgradedFrom?: number } {
  const kept = SessionManager.open(path, { readOnly: true });
  const { header, ...old } = headerOf(kept);
  return { manager: SessionManager.inMemory(kept.getCwd(), {}, [header, ...kept.getEntries()]), ...old };
}

/** @throws PidexError `NOT_FOUND` for an id that no entry of the session has */
export function assertEntry(manager: SessionManager, id: string): void {
  if (manager.getEntry(id)) return;
  throw new PidexError("NOT_FOUND", `there is no entry ${id}`, "pidex tree SESSION --all shows the entries.");
}
