/** Changes session metadata, by appending entries to the file. */
import {
  CURRENT_SESSION_VERSION,
  PidexError,
  type SessionHeader,
  type SessionInfo,
  SessionManager,
} from "../../library/index.ts";
import { readSessionHeader } from "../../library/internal.ts";
import type { WriteBoundary } from "./inside-roots.ts";
import type { SessionMetadata } from "./session-metadata.ts";

/** A change to session metadata. */
export interface MetadataChange {
  /** Applies the change if needed. @returns the id of the appended entry */
  change: (manager: SessionManager) => string | undefined;
  /** The entry to label. */
  entryId?: string;
  /** Writes nothing; the result has the lines that would be appended. */
  dryRun?: boolean;
}

/** A change, with the folders that may be written to. */
export type BoundedMetadataChange = MetadataChange & WriteBoundary;

type SessionPath = Pick<SessionInfo, "path">;

/** Changes a session. If nothing changes, the file is neither upgraded nor written. @throws as `SessionManager.open` */
export function applyMetadataChange(
  info: SessionPath,
  { change, entryId, dryRun = false, within }: BoundedMetadataChange,
): SessionMetadata {
  // Opening an old file upgrades it, so the change is tried in memory first. Opening a current file writes nothing.
  const needsTrial = dryRun || !isCurrentVersion(info.path);
  const trial = needsTrial ? openInMemory(info) : { manager: SessionManager.open(info.path, { within }) };
  let { manager } = trial;
  if (entryId !== undefined) assertEntryExists(manager, entryId, LABEL_HINT);
  let id = change(manager);
  if (id !== undefined && needsTrial && !dryRun) {
    manager = SessionManager.open(info.path, { within });
    id = change(manager);
  }
  const lines = id === undefined ? [] : [JSON.stringify(manager.getEntry(id))];
  const upgraded = id !== undefined && trial.upgradedFrom ? { upgradedFrom: trial.upgradedFrom } : {};
  return { ...readMetadata(info, manager, entryId), ...upgraded, lines };
}

/** The bytes read to find the version. Headers are short. */
const HEADER_BYTES = 64 * 1024;

/** Whether the header has the current version. False if it can't be determined. */
function isCurrentVersion(path: string): boolean {
  try {
    const header = readSessionHeader(path, HEADER_BYTES);
    return header !== undefined && Number(header.version) >= CURRENT_SESSION_VERSION;
  } catch (error) {
    if (error instanceof PidexError) return false; // opening the session reports the error
    throw error;
  }
}

/** The current metadata of a session. */
export function readMetadata(
  info: SessionPath,
  manager: SessionManager,
  entryId?: string,
): Omit<SessionMetadata, "lines"> {
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

/** The header that a session has after a write, which upgrades an old version first. */
export function getUpgradedHeader(manager: SessionManager): { header: SessionHeader; upgradedFrom?: number } {
  const header = manager.getHeader() as SessionHeader;
  const { version = 1 } = header;
  if (version >= CURRENT_SESSION_VERSION) return { header };
  return { header: { ...header, version: CURRENT_SESSION_VERSION }, upgradedFrom: version };
}

/** Makes a new fork a session of its own: it is neither pinned nor archived, and has the name if one is given. */
export function prepareFork(manager: SessionManager, name?: string): void {
  if (manager.getPinned()) manager.setPinned(false);
  if (manager.getArchived()) manager.setArchived(false);
  if (name !== undefined && name !== manager.getSessionName()) manager.setName(name);
}

/** A copy of a session in memory, for dry runs. @throws as `SessionManager.open` */
export function openInMemory({ path }: SessionPath): { manager: SessionManager; upgradedFrom?: number } {
  const stored = SessionManager.open(path, { readOnly: true });
  const { header, ...old } = getUpgradedHeader(stored);
  return { manager: SessionManager.inMemory(stored.getCwd(), {}, [header, ...stored.getEntries()]), ...old };
}

/** @throws PidexError `NOT_FOUND` if the session has no entry with this id */
export function assertEntryExists(
  manager: SessionManager,
  id: string,
  hint = "Run pidex tree SESSION --all to list its entries.",
): void {
  if (manager.getEntry(id)) return;
  throw new PidexError("NOT_FOUND", `the session has no entry "${id}"`, hint);
}

/** The hint for an entry to label that doesn't exist: the label may be in its place. */
export const LABEL_HINT =
  "Write pidex label SESSION ENTRY LABEL; run pidex tree SESSION --all to list the ids of its entries.";
