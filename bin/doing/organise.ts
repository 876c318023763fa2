/** Changing what a session is called and sorted by: entries that are appended to it. */
import {
  CURRENT_SESSION_VERSION,
  PidexError,
  type SessionHeader,
  type SessionInfo,
  SessionManager,
} from "../../index.ts";

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

/** Changes a session; what needs no change is not even opened for writing, and so not upgraded. @throws as `SessionManager.open` */
export function organised(info: SessionInfo, { change, entryId, dryRun = false }: Change): Organised {
  const trial = inMemory(info);
  let manager = trial.manager;
  if (entryId !== undefined) assertEntry(manager, entryId);
  let id = change(manager);
  if (id !== undefined && !dryRun) {
    manager = SessionManager.open(info.path);
    id = change(manager);
  }
  const lines = id === undefined ? [] : [JSON.stringify(manager.getEntry(id))];
  const upgraded = id !== undefined && trial.upgradedFrom ? { upgradedFrom: trial.upgradedFrom } : {};
  return { ...organisedNow(info, manager, entryId), ...upgraded, lines };
}

/** How a session is organised. */
export function organisedNow(
  info: SessionInfo,
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
