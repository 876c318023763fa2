/** Creates a session in memory: a new one, from its file, or from entries. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { v7 as uuidv7 } from "uuid";
import { PidexError } from "../../errors.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { encodePath } from "../../path-bytes.ts";
import { assertNotCompressed, isCompressed } from "../compressed-session.ts";
import { CURRENT_SESSION_VERSION } from "../current-version.ts";
import type { FileEntry, SessionEntry, SessionHeader } from "../session-types.ts";
import { toSessionFileName } from "./folders.ts";
import { assertValidSessionId } from "./ids.ts";
import { migrateSessionEntries } from "./load.ts";
import { openStore, SessionStore, type StoreOptions } from "./session-store.ts";
import type { WriterOptions } from "./session-writer.ts";

/** The folders and options of a session manager. */
export interface ManagerConfig {
  cwd: string;
  /** The folder of new sessions. */
  dir: string;
  /** Whether sessions are stored in files. */
  persist: boolean;
  options: WriterOptions;
}

/** Options of a new session. */
export interface NewSessionOptions {
  /** Letters, digits, `-`, `_` and `.`. Default: a new UUID. */
  id?: string | undefined;
  /** Path of the session it was forked from. */
  parentSession?: string | undefined;
}

export function createHeader(cwd: string, { id, parentSession }: NewSessionOptions): SessionHeader {
  return {
    type: "session",
    version: CURRENT_SESSION_VERSION,
    id: id ?? uuidv7(), // sorts by time
    timestamp: new Date().toISOString(),
    cwd,
    ...omitUndefined({ parentSession }),
  };
}

/** @throws PidexError `BAD_OPTION` for an invalid id */
export function createSession(config: ManagerConfig, { id, parentSession }: NewSessionOptions): SessionStore {
  if (id !== undefined) assertValidSessionId(id);
  const header = createHeader(config.cwd, { id, parentSession });
  return new SessionStore(header, [], toPath(config, header), toStoreOptions(config));
}

/** A session with these entries in a new file, written immediately if they include a user or assistant message. */
export function createWrittenSession(
  config: ManagerConfig,
  entries: readonly SessionEntry[],
  parentSession: string | undefined,
): SessionStore {
  const header = createHeader(config.cwd, { parentSession });
  const store = new SessionStore(header, entries, toPath(config, header), toStoreOptions(config));
  store.writeIfNeeded();
  return store;
}

/** A session in memory only, from lines stored elsewhere. Keeps their header, if any. */
export function createInMemorySession(
  config: ManagerConfig,
  lines: FileEntry[],
  options: NewSessionOptions,
): SessionStore {
  const isHeader = (line: FileEntry): line is SessionHeader => line.type === "session";
  const header = lines.find(isHeader);
  if (!header && options.id !== undefined) assertValidSessionId(options.id);
  if (header) migrateSessionEntries(lines); // without a header, they have the current version
  const entries = lines.filter((line): line is SessionEntry => !isHeader(line));
  return new SessionStore(
    header ?? createHeader(config.cwd, options),
    entries,
    undefined,
    toStoreOptions(config),
  );
}

/**
 * Opens the session in a file. If the file is missing, the session is new; if it is empty, the new header is written
 * immediately.
 *
 * @throws PidexError `NOT_FOUND` with `readOnly` if the file is missing; `NOT_A_SESSION`, `FILE_UNREADABLE`, `FILE_UNWRITABLE`; the error of `fs` if an old version cannot be
 * upgraded
 */
export function openSession(config: ManagerConfig, path: string): SessionStore {
  const readOnly = (config.options.readOnly ?? false) || !config.persist;
  const isStoredCompressed = isCompressed(path);
  if (isStoredCompressed && !readOnly) assertNotCompressed(path);
  const exists = isStoredCompressed || existsSync(encodePath(path));
  if (!exists && config.options.readOnly) {
    throw new PidexError("NOT_FOUND", `file not found: ${path}`, "Pass the path of a session file.");
  }
  const store = exists ? openStore(path, toStoreOptions(config), readOnly) : undefined;
  if (store) return store;
  const created = new SessionStore(createHeader(config.cwd, {}), [], path, toStoreOptions(config));
  if (exists && !readOnly) created.writeHeader();
  return created;
}

function toPath({ persist, dir }: ManagerConfig, { timestamp, id }: SessionHeader): string | undefined {
  return persist ? join(dir, toSessionFileName(timestamp, id)) : undefined;
}

function toStoreOptions({ options, persist }: ManagerConfig): StoreOptions {
  const { durability = "os", onForeignEntries = "adopt", within } = options;
  return { isPersistent: persist, durability, refuseForeign: onForeignEntries === "throw", within };
}
