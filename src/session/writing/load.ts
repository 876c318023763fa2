import { closeSync, fstatSync } from "node:fs";
import { PidexError, systemCode } from "../../errors.ts";
import { fileIdentity } from "../../file-identity.ts";
import { CURRENT_SESSION_VERSION } from "../current-version.ts";
import type { EntryId } from "../entries.ts";
import { isRecord } from "../json.ts";
import { readAt } from "../lines.ts";
import { expandPath } from "../locations.ts";
import { openToRead } from "../open-to-read.ts";
import type { FileEntry, SessionEntry, SessionHeader } from "../session-types.ts";
import { headerVersion, upgradeEntry } from "../upgrade.ts";
import { type LineOptions, type ReadPoint, readFileLines } from "./file-lines.ts";

/** A file as its writer knows it again: `device:inode`, and how far its lines are known. */
export interface KnownFile {
  identity: string;
  point: ReadPoint;
  /** The last bytes before the point, by which the file is known again. */
  tail: Buffer;
}

const TAIL_BYTES = 64;

/** The bytes of a file just before an offset. */
export function tailOf(fd: number, offset: number): Buffer {
  const from = Math.max(0, offset - TAIL_BYTES);
  return readAt(fd, from, offset - from);
}

/** All of a session file. */
export interface LoadedSession extends KnownFile {
  header: SessionHeader;
  /** Upgraded to version 3; fields are as the file has them. */
  entries: SessionEntry[];
  /** The version of the file itself. */
  version: number;
  /** Whether there is more than the header and entries: lines that are neither, or a torn one. */
  hasOthers: boolean;
}

/**
 * Reads a whole session file.
 *
 * @returns undefined for an empty file
 * @throws PidexError `NOT_A_SESSION` when it holds something, but no session; `FILE_UNREADABLE`
 */
export function loadSession(path: string): LoadedSession | undefined {
  const fd = openSessionFile(path);
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

/** Opens a file to read it. @throws PidexError `FILE_UNREADABLE`, also for what is no file */
export function openSessionFile(path: string): number {
  let fd: number | undefined;
  try {
    fd = openToRead(path);
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
  const identity = fileIdentity(fstatSync(fd, { bigint: true }));
  const point: ReadPoint = { offset: 0, unterminated: false };
  let header: SessionHeader | undefined;
  const entries: SessionEntry[] = [];
  let [version, parsed, hasOthers] = [CURRENT_SESSION_VERSION, 0, false];
  let previousId: EntryId | null = null;
  const options: LineOptions = { objectsOnly: true };
  for (const { object, counted } of readFileLines(fd, point, size, options)) {
    const kind = kindOf(object, header !== undefined);
    if (kind === "stranger") return undefined;
    if (kind === "other") hasOthers = true;
    if (kind === "header") {
      header = object as unknown as SessionHeader;
      options.objectsOnly = false; // what other lines hold counts from here on
      version = headerVersion(object as Parameters<typeof headerVersion>[0]);
    } else if (kind === "entry") {
      const entry = upgradeEntry(object as Record<string, unknown>, { index: parsed, previousId }, version);
      entries.push(entry as unknown as SessionEntry);
      previousId = (entry.id as EntryId | undefined) ?? null;
    }
    if (counted && header) parsed++;
  }
  if (!header) return undefined;
  hasOthers ||= point.offset < size;
  const tail = tailOf(fd, point.offset);
  return { header, entries, version, hasOthers, identity, point, tail };
}

/**
 * What a line of a session file is. Nothing but lines that are no entries, and the title that some forks write, may come
 * before the header: with a `stranger` there the file is no session. Other headers than the first are none.
 */
export function kindOf(
  object: Record<string, unknown> | undefined,
  hasHeader: boolean,
): "header" | "entry" | "other" | "stranger" {
  if (!object) return "other";
  if (hasHeader) return object.type === "session" ? "other" : "entry";
  if (isHeader(object)) return "header";
  return object.type === "title" ? "other" : "stranger";
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
    fd = openSessionFile(expandPath(path));
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
