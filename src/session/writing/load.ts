import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { PidexError, systemCode } from "../../errors.ts";
import { CURRENT_SESSION_VERSION, type EntryId } from "../entries.ts";
import { expandPath } from "../locations.ts";
import type { FileEntry, SessionEntry, SessionHeader } from "../session-types.ts";
import { headerVersion, upgradeEntry } from "../upgrade.ts";
import { isRecord } from "../variant.ts";
import { type ReadPoint, readFileLines } from "./file-lines.ts";

/** A file as its writer knows it again: `device:inode`, and how far its lines are known. */
export interface KnownFile {
  identity: string;
  point: ReadPoint;
}

/** All of a session file. */
export interface LoadedSession extends KnownFile {
  header: SessionHeader;
  /** Upgraded to version 3; fields are as the file has them. */
  entries: SessionEntry[];
  /** The version of the file itself. */
  version: number;
  /** Lines that are neither the header nor an entry. */
  others: number;
}

/**
 * Reads a whole session file.
 *
 * @returns undefined for an empty file
 * @throws PidexError `NOT_A_SESSION` when it holds something, but no session; `FILE_UNREADABLE`
 */
export function loadSession(path: string): LoadedSession | undefined {
  const fd = openToRead(path);
  try {
    const { size } = fstatSync(fd);
    const loaded = readOpen(fd, size);
    if (loaded || size === 0) return loaded;
  } finally {
    closeSync(fd);
  }
  throw new PidexError(
    "NOT_A_SESSION",
    `Session file is not a valid pi session: ${path}`,
    "Its first line is no session header. It was left as it is: give the path of a session.",
  );
}

/** Opens a file; not what has only a file's name, such as a pipe, which would keep us waiting. */
export function openToRead(path: string): number {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (fstatSync(fd).isFile()) return fd;
  } catch (cause) {
    if (fd !== undefined) closeSync(fd);
    const reason = systemCode(cause) ?? (cause instanceof Error ? cause.message : String(cause));
    throw new PidexError("FILE_UNREADABLE", `${path} cannot be read: ${reason}`, "Look at its permissions.", {
      cause,
    });
  }
  closeSync(fd);
  throw new PidexError("FILE_UNREADABLE", `${path} is no file`, "Give the path of a session file.");
}

/** Reads the first `size` bytes of an open session file; undefined when they are no session. */
export function readOpen(fd: number, size: number): LoadedSession | undefined {
  const { dev, ino } = fstatSync(fd, { bigint: true });
  const point: ReadPoint = { offset: 0, unterminated: false };
  let session: LoadedSession | undefined;
  let [parsed, others]: [number, number] = [0, 0];
  let previousId: EntryId | null = null;
  for (const { object, counted } of readFileLines(fd, point, size)) {
    if (!session && isHeader(object)) {
      const identity = `${dev}:${ino}`;
      session = { header: object, entries: [], version: headerVersion(object), others, identity, point };
    } else if (!object || object.type === "session" || (!session && object.type === "title")) {
      others++; // some forks write a title before the header
    } else if (!session) {
      return undefined;
    } else {
      const entry = upgradeEntry(object, { index: parsed, previousId }, session.version);
      session.entries.push(entry as unknown as SessionEntry);
      previousId = (entry.id as EntryId | undefined) ?? null;
    }
    if (counted) parsed++;
  }
  if (session) session.others = others;
  return session;
}

export function isHeader(object: unknown): object is SessionHeader & Record<string, unknown> {
  return isRecord(object) && object.type === "session" && typeof object.id === "string";
}

/** The lines of a session's text that hold an object, the header first. What is no JSON is left out. */
export function parseSessionEntries(content: string): FileEntry[] {
  return content.split("\n").flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line);
      return isRecord(value) ? [value as unknown as FileEntry] : [];
    } catch {
      return []; // pi's contract: a line that is no JSON is no entry
    }
  });
}

/**
 * The header and the entries of a session file as they are, not upgraded; nothing for a file that is not there, is empty
 * or is no session. The file is only read.
 *
 * @throws PidexError `FILE_UNREADABLE`
 */
export function loadEntriesFromFile(path: string): FileEntry[] {
  let fd: number;
  try {
    fd = openToRead(expandPath(path));
  } catch (error) {
    if (error instanceof PidexError && systemCode(error.cause) === "ENOENT") return [];
    throw error;
  }
  try {
    const objects: FileEntry[] = [];
    const point: ReadPoint = { offset: 0, unterminated: false };
    for (const { object } of readFileLines(fd, point, fstatSync(fd).size)) {
      if (object) objects.push(object as unknown as FileEntry);
    }
    return isHeader(objects[0]) ? objects : [];
  } finally {
    closeSync(fd);
  }
}

/**
 * Brings the entries of an old session up to today's version, in place: version 1 gets ids, made of each entry's place,
 * and parents; version 2's role `hookMessage` becomes `custom`.
 */
export function migrateSessionEntries(entries: FileEntry[]): void {
  const header = entries.find((entry) => entry.type === "session") as SessionHeader | undefined;
  const version = headerVersion((header ?? {}) as Parameters<typeof headerVersion>[0]);
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
