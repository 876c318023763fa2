/** How a session comes to be in memory: new, from its file, or from entries. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { PidexError } from "../../errors.ts";
import { fsPath } from "../../path-bytes.ts";
import { CURRENT_SESSION_VERSION } from "../current-version.ts";
import type { FileEntry, SessionEntry, SessionHeader } from "../session-types.ts";
import { sessionFileName } from "./folders.ts";
import { given } from "./given.ts";
import { assertValidSessionId, newSessionId } from "./ids.ts";
import { migrateSessionEntries } from "./load.ts";
import { openStore, SessionStore, type StoreOptions } from "./session-store.ts";
import type { WriterOptions } from "./session-writer.ts";

/** Where a manager's sessions are, and how they are written. */
export interface Home {
  cwd: string;
  /** The folder of new sessions. */
  dir: string;
  /** Whether sessions have files at all. */
  persist: boolean;
  options: WriterOptions;
}

/** What a new session may be told. */
export interface NewSessionOptions {
  /** Letters, digits, `-`, `_` and `.`; a UUID if none is given. */
  id?: string;
  /** Path of the session it comes from. */
  parentSession?: string;
}

export function newHeader(cwd: string, { id, parentSession }: NewSessionOptions): SessionHeader {
  return {
    type: "session",
    version: CURRENT_SESSION_VERSION,
    id: id ?? newSessionId(),
    timestamp: new Date().toISOString(),
    cwd,
    ...given({ parentSession }),
  };
}

/** @throws PidexError `BAD_OPTION` for an id that cannot be one */
export function newSession(home: Home, { id, parentSession }: NewSessionOptions): SessionStore {
  if (id !== undefined) assertValidSessionId(id);
  const header = newHeader(home.cwd, { ...given({ id, parentSession }) });
  return new SessionStore(header, [], pathFor(home, header), storeOptions(home));
}

/** A session of some entries, in a file of its own, which is written now if anybody said anything in it. */
export function writtenSession(
  home: Home,
  entries: readonly SessionEntry[],
  parentSession: string | undefined,
): SessionStore {
  const header = newHeader(home.cwd, { ...given({ parentSession }) });
  const store = new SessionStore(header, entries, pathFor(home, header), storeOptions(home));
  store.write();
  return store;
}

/** A session in memory alone, of lines that are kept elsewhere: with their header if they have one. */
export function heldSession(home: Home, lines: FileEntry[], options: NewSessionOptions): SessionStore {
  const isHeader = (line: FileEntry): line is SessionHeader => line.type === "session";
  const header = lines.find(isHeader);
  if (!header && options.id !== undefined) assertValidSessionId(options.id);
  if (header) migrateSessionEntries(lines); // without one they are of today
  const entries = lines.filter((line): line is SessionEntry => !isHeader(line));
  return new SessionStore(header ?? newHeader(home.cwd, options), entries, undefined, storeOptions(home));
}

/**
 * The session of a file; a new one where there is none, or an empty one, which begins at once.
 *
 * @throws PidexError `NOT_A_SESSION`, `FILE_UNREADABLE`, `FILE_UNWRITABLE`; the file system's error for an old version
 * that cannot be upgraded
 */
export function openSession(home: Home, path: string): SessionStore {
  const readOnly = (home.options.readOnly ?? false) || !home.persist;
  const isThere = existsSync(fsPath(path));
  if (!isThere && home.options.readOnly) {
    throw new PidexError("FILE_UNREADABLE", `${path} is not there`, "Give the path of a session file.");
  }
  const store = isThere ? openStore(path, storeOptions(home), readOnly) : undefined;
  if (store) return store;
  const begun = new SessionStore(newHeader(home.cwd, {}), [], path, storeOptions(home));
  if (isThere && !readOnly) begun.start();
  return begun;
}

function pathFor({ persist, dir }: Home, { timestamp, id }: SessionHeader): string | undefined {
  return persist ? join(dir, sessionFileName(timestamp, id)) : undefined;
}

function storeOptions({ options, persist }: Home): StoreOptions {
  const { durability = "os", onForeignEntries = "adopt", within } = options;
  return { writes: persist, durability, refuseForeign: onForeignEntries === "throw", within };
}
