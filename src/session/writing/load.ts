import { PidexError, systemCode, toMessage } from "../../errors.ts";
import { toFileIdentity } from "../../file-identity.ts";
import { CURRENT_SESSION_VERSION } from "../current-version.ts";
import type { EntryId } from "../entries.ts";
import { isRecord } from "../json.ts";
import { readAt } from "../lines.ts";
import { expandPath } from "../locations.ts";
import { openForReading } from "../open-for-reading.ts";
import { closeBytes, getByteCount, type SessionBytes, statBytes } from "../session-bytes.ts";
import type { FileEntry, SessionEntry, SessionHeader } from "../session-types.ts";
import { getHeaderVersion, upgradeEntry } from "../upgrade.ts";
import { type LineOptions, type ReadPosition, readFileLines } from "./file-lines.ts";

/** How a writer recognizes a file: `device:inode`, the position it has read to, and the bytes before that. */
export interface FileFingerprint {
  identity: string;
  point: ReadPosition;
  /** The last bytes before `point`, to detect that the file was rewritten. */
  tail: Buffer;
}

const TAIL_BYTES = 64;

/** The 64 bytes of a file before an offset. */
export function readTail(fd: SessionBytes, offset: number): Buffer {
  const from = Math.max(0, offset - TAIL_BYTES);
  return readAt(fd, from, offset - from);
}

/** A complete session file. */
export interface LoadedSession extends FileFingerprint {
  header: SessionHeader;
  /** Upgraded to version 3, but not validated. */
  entries: SessionEntry[];
  /** The version of the file itself. */
  version: number;
  /** Whether the file has lines that are neither header nor entry, or a torn line. */
  hasOtherLines: boolean;
}

/**
 * Reads a whole session file.
 *
 * @returns undefined for an empty file
 * @throws PidexError `NOT_A_SESSION` for any other file that is not a session; `FILE_UNREADABLE`
 */
export function loadSession(path: string): LoadedSession | undefined {
  const fd = openSessionFile(path);
  try {
    const size = getByteCount(fd);
    const loaded = loadOpenSession(fd, size);
    if (loaded || size === 0) return loaded;
  } finally {
    closeBytes(fd);
  }
  throw new PidexError(
    "NOT_A_SESSION",
    `Session file is not a valid pi session: ${path}`,
    "The first line is not a session header. The file was not changed. Pass the path of a session file.",
  );
}

/** Opens a file for reading. @throws PidexError `FILE_UNREADABLE`, also if it is not a regular file */
export function openSessionFile(path: string): SessionBytes {
  let fd: SessionBytes | undefined;
  try {
    fd = openForReading(path);
    if (statBytes(fd).isFile()) return fd;
  } catch (cause) {
    if (fd !== undefined) closeBytes(fd);
    if (cause instanceof PidexError) throw cause;
    const reason = systemCode(cause) ?? toMessage(cause);
    throw new PidexError("FILE_UNREADABLE", `${path} cannot be read: ${reason}`, "Check its permissions.", {
      cause,
    });
  }
  closeBytes(fd);
  throw new PidexError(
    "FILE_UNREADABLE",
    `${path} is not a regular file`,
    "Pass the path of a session file.",
  );
}

/** Reads the first `size` bytes of an open session file; undefined if they are not a session. */
export function loadOpenSession(fd: SessionBytes, size: number): LoadedSession | undefined {
  const identity = toFileIdentity(statBytes(fd));
  const point: ReadPosition = { offset: 0, unterminated: false };
  let header: SessionHeader | undefined;
  const entries: SessionEntry[] = [];
  let [version, parsed, hasOthers] = [CURRENT_SESSION_VERSION, 0, false];
  let previousId: EntryId | null = null;
  const options: LineOptions = { objectsOnly: true };
  for (const { object, counted } of readFileLines(fd, point, size, options)) {
    const lineKind = classifyLine(object, header !== undefined);
    if (lineKind === "foreign") return undefined;
    if (lineKind === "other") hasOthers = true;
    if (lineKind === "header") {
      header = object as unknown as SessionHeader;
      options.objectsOnly = false; // from here on, other lines are counted
      version = getHeaderVersion(object as Parameters<typeof getHeaderVersion>[0]);
    } else if (lineKind === "entry") {
      const entry = upgradeEntry(object as Record<string, unknown>, { index: parsed, previousId }, version);
      entries.push(entry as unknown as SessionEntry);
      previousId = (entry.id as EntryId | undefined) ?? null;
    }
    if (counted && header) parsed++;
  }
  if (!header) return undefined;
  hasOthers ||= point.offset < size;
  const tail = readTail(fd, point.offset);
  return { header, entries, version, hasOtherLines: hasOthers, identity, point, tail };
}

/**
 * Classifies a line of a session file. Only lines without an object, and the title that some forks write, may come before the
 * header; `foreign` means that the file is not a session. A second header is `other`.
 */
export function classifyLine(
  object: Record<string, unknown> | undefined,
  hasHeader: boolean,
): "header" | "entry" | "other" | "foreign" {
  if (!object) return "other";
  if (hasHeader) return object.type === "session" ? "other" : "entry";
  if (isHeader(object)) return "header";
  return object.type === "title" ? "other" : "foreign";
}

export function isHeader(object: unknown): object is SessionHeader & Record<string, unknown> {
  return isRecord(object) && object.type === "session" && typeof object.id === "string";
}

/** The JSON objects in the text of a session, the header first. Skips other lines. */
export function parseSessionEntries(content: string): FileEntry[] {
  return content.split("\n").flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line);
      return isRecord(value) ? [value as unknown as FileEntry] : [];
    } catch {
      return []; // pi's contract: skip lines that are not JSON
    }
  });
}

/**
 * The header and entries of a session file, not upgraded. Empty if the file is missing, empty or not a session. Does not change
 * the file.
 *
 * @throws PidexError `FILE_UNREADABLE`
 */
export function loadEntriesFromFile(path: string): FileEntry[] {
  let fd: SessionBytes;
  try {
    fd = openSessionFile(expandPath(path));
  } catch (error) {
    if (error instanceof PidexError && systemCode(error.cause) === "ENOENT") return [];
    throw error;
  }
  try {
    const objects: FileEntry[] = [];
    const point: ReadPosition = { offset: 0, unterminated: false };
    for (const { object } of readFileLines(fd, point, getByteCount(fd))) {
      if (object) objects.push(object as unknown as FileEntry);
    }
    return isHeader(objects[0]) ? objects : [];
  } finally {
    closeBytes(fd);
  }
}

/**
 * Upgrades the entries of an old session to the current version, in place: version 1 gets parents and ids derived from each
 * entry's position; version 2's role `hookMessage` becomes `custom`.
 */
export function migrateSessionEntries(entries: FileEntry[]): void {
  const header = entries.find((entry) => entry.type === "session") as SessionHeader | undefined;
  const version = getHeaderVersion((header ?? {}) as Parameters<typeof getHeaderVersion>[0]);
  if (version >= CURRENT_SESSION_VERSION) return;
  let previousId: EntryId | null = null;
  entries.forEach((entry, index) => {
    if (entry.type === "session") {
      entry.version = CURRENT_SESSION_VERSION;
      return;
    }
    const raw = entry as unknown as Record<string, unknown>;
    const upgraded = upgradeEntry(raw, { index, previousId }, version);
    if (upgraded.firstKeptEntryIndex === undefined) delete raw.firstKeptEntryIndex;
    Object.assign(raw, upgraded);
    previousId = entry.id;
  });
}
