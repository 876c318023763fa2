import { existsSync, mkdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { SessionInfo } from "../query/answers.ts";
import { badOption, PidexError } from "../src/errors.ts";
import { encodePath } from "../src/path-bytes.ts";
import { isCompressed } from "../src/session/compressed-session.ts";
import { type DeletedSession, type DeleteOptions, deleteSession } from "../src/session/delete-session.ts";
import { expandPath, toProjectFolderName } from "../src/session/locations.ts";
import { findPulledAgent } from "../src/session/pulled-sessions.ts";
import type { RestoredSession } from "../src/session/restore-session.ts";
import { hasCompressedFile } from "../src/session/session-bytes.ts";
import type { FileEntry } from "../src/session/session-types.ts";
import {
  type CompressOptions,
  compressSession,
  decompressSession,
  type SessionSizes,
  type WriteLimits,
} from "../src/session/writing/compress-session.ts";
import { writeFork } from "../src/session/writing/copy-session.ts";
import {
  createHeader,
  createInMemorySession,
  createSession,
  createWrittenSession,
  type ManagerConfig,
  type NewSessionOptions,
  openSession,
} from "../src/session/writing/create-session.ts";
import { extractBranch } from "../src/session/writing/extract-branch.ts";
import { hasOtherFiles, settleLeftovers } from "../src/session/writing/find-leftovers.ts";
import {
  findMostRecentSession,
  findSessionFile,
  readSessionHeader,
} from "../src/session/writing/find-sessions.ts";
import {
  defaultSessionDirPath,
  getAgentDir,
  isSamePath,
  toSessionFileName,
} from "../src/session/writing/folders.ts";
import { assertValidSessionId } from "../src/session/writing/ids.ts";
import { moveSession } from "../src/session/writing/move-session.ts";
import { withWriteErrors } from "../src/session/writing/replace-file.ts";
import type { SessionStore } from "../src/session/writing/session-store.ts";
import { SessionWriter, type WritingOptions } from "../src/session/writing/session-writer.ts";
import { assertSettled } from "../src/session/writing/settle-compressed.ts";
import { toSiblingFolder } from "../src/session/writing/sibling-folder.ts";
import type { ListFolderOptions } from "./session-list.ts";
import type { ListTrashedOptions, RestoreOptions, TrashedSessionInfo } from "./session-trash.ts";

export type CreateOptions = NewSessionOptions & WritingOptions;

export interface OpenOptions extends WritingOptions {
  /** Never writes: old versions are upgraded in memory only, and methods that write throw `READ_ONLY`. Default: false. */
  readOnly?: boolean;
}

/** Options of `list` and `listAll` that pi's do not have. */
export type SessionListOptions = Pick<
  ListFolderOptions,
  "onProblem" | "db" | "indexingMs" | "allMessagesText"
>;

/** Called once per file. `partialSessions`, if passed, are the sessions known so far, newest first. */
export type SessionListProgress = NonNullable<ListFolderOptions["onProgress"]>;

/** The methods that extensions get: reading only. */
export type ReadonlySessionManager = Pick<
  SessionManager,
  | "getCwd"
  | "getSessionDir"
  | "getSessionId"
  | "getSessionFile"
  | "getLeafId"
  | "getLeafEntry"
  | "getEntry"
  | "getLabel"
  | "getBranch"
  | "buildContextEntries"
  | "buildSessionProjection"
  | "getHeader"
  | "getEntries"
  | "getTree"
  | "getSessionName"
>;

/**
 * A session: a tree of entries in an append-only JSONL file. Each append adds a child of the leaf, and the child becomes the leaf;
 * `branch` moves the leaf to an earlier entry without removing any.
 *
 * A drop-in replacement for pi's class of the same name, with the behavior of pi 1.5; docs/session-manager.md lists every difference.
 * Each change is written to the file in one piece, then applied in memory. If a method throws, both are unchanged.
 *
 * @example
 * import { SessionManager } from "pidex";
 *
 * const session = SessionManager.create(process.cwd());
 * session.appendMessage({ role: "user", content: "Where is the tax rounded?", timestamp: Date.now() });
 * session.setName("Rounding");
 * for (const { path, name } of await SessionManager.list(process.cwd())) console.log(path, name);
 */
export class SessionManager extends SessionWriter {
  #config: ManagerConfig;

  private constructor(config: ManagerConfig, store: SessionStore) {
    super(store, config.options);
    this.#config = config;
  }

  /**
   * Creates a session for a working directory. The file is written with the first user or assistant message.
   *
   * @param sessionDir default: pi's folder for the working directory
   * @throws PidexError `BAD_OPTION` for an id that cannot be part of a file name; the file system's error if the folder cannot be
   * created
   */
  static create(cwd: string, sessionDir?: string, options: CreateOptions = {}): SessionManager {
    const config = prepareFolder(cwd, resolveDir(cwd, sessionDir), options);
    return new SessionManager(config, createSession(config, options));
  }

  /**
   * Opens a session file. A missing or empty file becomes a new session; old versions are upgraded in the file.
   *
   * @param sessionDir folder for new sessions created from this one; default: the file's folder
   * @param cwdOverride replaces the header's working directory
   * @throws PidexError `NOT_A_SESSION` if the file contains something else, which is not changed; `FILE_UNREADABLE`; `NOT_FOUND` with
   * `readOnly` if the file is missing
   */
  static open(path: string, options?: OpenOptions): SessionManager;
  static open(path: string, sessionDir?: string, cwdOverride?: string, options?: OpenOptions): SessionManager;
  static open(
    path: string,
    dirOrOptions?: string | OpenOptions,
    cwdOverride?: string,
    fourth?: OpenOptions,
  ): SessionManager {
    const [sessionDir, options] =
      typeof dirOrOptions === "object" && dirOrOptions !== null
        ? [undefined, dirOrOptions]
        : [dirOrOptions, fourth ?? {}];
    const file = expandPath(path);
    const cwd = cwdOverride ?? headerCwd(file) ?? process.cwd();
    const dir = sessionDir ? expandPath(sessionDir) : dirname(file);
    const config = prepareFolder(cwd, dir, options);
    return new SessionManager(config, openSession(config, file));
  }

  /** Opens a working directory's most recently written session, or creates one if there is none. @throws as `open` */
  static continueRecent(cwd: string, sessionDir?: string, options: CreateOptions = {}): SessionManager {
    const dir = resolveDir(cwd, sessionDir);
    const recent = findMostRecentSession(dir, cwdFilter(cwd, dir, sessionDir));
    const config = prepareFolder(cwd, dir, options);
    return new SessionManager(
      config,
      recent === null ? createSession(config, options) : openSession(config, recent),
    );
  }

  /** Creates a session that is never written to a file, optionally with entries. */
  static inMemory(
    cwd: string = process.cwd(),
    options: CreateOptions = {},
    entries?: FileEntry[],
  ): SessionManager {
    const config = { cwd: expandPath(cwd), dir: "", persist: false, options };
    return new SessionManager(config, createInMemorySession(config, entries ?? [], options));
  }

  /**
   * Copies a session with all its branches into another working directory, and opens the copy. The source is not changed.
   *
   * @throws PidexError `NOT_A_SESSION` for an empty or invalid source, `BAD_OPTION`; the file system's error
   */
  static forkFrom(
    sourcePath: string,
    targetCwd: string,
    sessionDir?: string,
    options: CreateOptions = {},
  ): SessionManager {
    if (options.id !== undefined) assertValidSessionId(options.id);
    const source = expandPath(sourcePath);
    const cwd = expandPath(targetCwd);
    const dir = resolveDir(cwd, sessionDir);
    const config = prepareFolder(cwd, dir, options);
    const header = createHeader(cwd, { ...options, parentSession: source });
    const path = join(dir, toSessionFileName(header.timestamp, header.id));
    writeFork(source, path, header, options.within);
    const fork = new SessionManager(config, openSession(config, path));
    fork.notifyAppended(0);
    return fork;
  }

  /** The path of the session with this id, found by reading headers. If several working directories share the folder, only sessions of `cwd` are considered. */
  static findById(cwd: string, id: string, sessionDir?: string): string | undefined {
    const dir = resolveDir(cwd, sessionDir);
    return findSessionFile(dir, id, cwdFilter(cwd, dir, sessionDir));
  }

  /**
   * The sessions of a working directory, newest first, from the index, which is synced first. If the index cannot be used, reads the
   * files and calls `onProblem` with the reason.
   *
   * @param sessionDir default: pi's folder for the working directory. In any other folder, only sessions of `cwd` are listed
   * @throws the signal's reason when aborted
   */
  static async list(
    cwd: string,
    sessionDir?: string,
    onProgress?: SessionListProgress,
    signal?: AbortSignal,
    options: SessionListOptions = {},
  ): Promise<SessionInfo[]> {
    const { listFolder } = await import("./session-list.ts");
    const dir = resolveDir(cwd, sessionDir);
    return listFolder(dir, { ...options, onProgress, signal, cwd: cwdFilter(cwd, dir, sessionDir) });
  }

  /**
   * The sessions of all working directories, or of one folder, newest first, as `list`.
   *
   * @throws the signal's reason when aborted
   */
  static listAll(onProgress?: SessionListProgress, signal?: AbortSignal): Promise<SessionInfo[]>;
  static listAll(
    sessionDir?: string,
    onProgress?: SessionListProgress,
    signal?: AbortSignal,
    options?: SessionListOptions,
  ): Promise<SessionInfo[]>;
  static async listAll(
    first?: string | SessionListProgress,
    second?: SessionListProgress | AbortSignal,
    third?: AbortSignal,
    options: SessionListOptions = {},
  ): Promise<SessionInfo[]> {
    const { listFolder, listProjects } = await import("./session-list.ts");
    const onProgress = [first, second].find((each) => typeof each === "function");
    const signal = [second, third].find((each) => typeof each === "object") as AbortSignal | undefined;
    const control = { ...options, onProgress, signal };
    return typeof first === "string" && first !== ""
      ? listFolder(expandPath(first), control)
      : listProjects(join(getAgentDir(), "sessions"), control);
  }

  /**
   * Deletes a session: its file, its subagents' folder, and backups from upgrades. Moves them to the trash, unless `permanent`.
   *
   * @throws PidexError `NOT_FOUND`, `BAD_OPTION` for a folder, `TRASH_FAILED`, `FILE_UNWRITABLE`; `SESSION_CHANGED` if a different
   * session has the path of a compressed one, or a program keeps it open; the file is then unchanged
   */
  static async delete(path: string, options: DeleteOptions = {}): Promise<DeletedSession> {
    const file = expandPath(path);
    // One file is moved to the trash, with all that agents appended since it was compressed.
    if (hasCompressedFile(file) && !options.dryRun && hasOtherFiles(file))
      assertSettled(file, settleLeftovers(file));
    return deleteSession(file, options);
  }

  /** The sessions in the trash that can be restored, most recently deleted first. */
  static async listTrashed(options: ListTrashedOptions = {}): Promise<TrashedSessionInfo[]> {
    return (await import("./session-trash.ts")).listTrashed(options);
  }

  /**
   * Restores a deleted session, with the files that were deleted with it, to its original path. Never overwrites a file. If several
   * sessions had the path, restores the one deleted last.
   *
   * @param path its original path, or its path in the trash
   * @throws PidexError `NOT_FOUND` if the trash has no record of it; `RESTORE_FAILED`, and `FILE_UNWRITABLE` if its path leads outside
   * the roots: it then stays in the trash
   */
  static async restore(path: string, options: RestoreOptions = {}): Promise<RestoredSession> {
    return (await import("./session-trash.ts")).restore(path, options);
  }

  /**
   * Compresses a session file: `NAME.jsonl` becomes `NAME.jsonl.zst`, which pidex reads as before, and agents do not list. The
   * session's path stays `NAME.jsonl`. If the process is killed, one of the two files has all bytes.
   *
   * @throws PidexError `SESSION_CHANGED` if it changed meanwhile, and is left as it is; `SESSION_COMPRESSED` if it is compressed;
   * `BAD_OPTION` for a session that was pulled from another machine; `FILE_UNREADABLE`, `FILE_UNWRITABLE`
   */
  static compress(path: string, options: CompressOptions = {}): SessionSizes {
    const file = expandPath(path);
    if (findPulledAgent(file, process.env)) {
      const hint = "pidex pull writes it as it is on that machine: compress it there.";
      throw new PidexError("BAD_OPTION", `${file} was pulled from another machine`, hint);
    }
    return compressSession(file, options);
  }

  /**
   * Restores a compressed session to `NAME.jsonl`: the same bytes, times and mode.
   *
   * @throws PidexError `NOT_FOUND` if it is not compressed; `RESTORE_FAILED` if a different session has its path;
   * `FILE_UNREADABLE`, `FILE_UNWRITABLE`
   */
  static decompress(path: string, options: WriteLimits = {}): SessionSizes {
    return decompressSession(expandPath(path), options);
  }

  /** Switches to another session file. @throws as `open` */
  setSessionFile(sessionFile: string): void {
    this.store = openSession(this.#config, expandPath(sessionFile));
  }

  /** Switches to a new session. @returns the path its file will have. @throws PidexError `BAD_OPTION` */
  newSession(options: NewSessionOptions = {}): string | undefined {
    this.store = createSession(this.#config, options);
    return this.store.path;
  }

  isPersisted(): boolean {
    return this.#config.persist;
  }

  getCwd(): string {
    return this.#config.cwd;
  }

  getSessionDir(): string {
    return this.#config.dir;
  }

  usesDefaultSessionDir(): boolean {
    const { cwd, dir } = this.#config;
    return dir !== "" && isSamePath(dir, defaultSessionDirPath(cwd));
  }

  /**
   * Moves the session to another working directory, for a project that was renamed. The header gets the new directory; a file in the old
   * directory's session folder moves to the new directory's, together with its subagents' folder. All other lines stay byte for byte the
   * same. If it is interrupted, call it again to finish.
   *
   * @param options.dryRun changes nothing and returns the path the file would have. Default: false
   * @returns the session's new path, which the manager now uses
   * @throws PidexError `BAD_OPTION` if the session has no file, or the new folder has a file of the same name; `READ_ONLY`;
   * the file system's error
   */
  moveTo(cwd: string, { dryRun = false }: { dryRun?: boolean } = {}): string {
    if (!dryRun) this.assertWritable();
    const { path, header, isWritten, leafId } = this.store;
    if (path === undefined || !isWritten) {
      throw badOption("this session has no file yet", "Add a message before moving it.");
    }
    const to = expandPath(cwd);
    const from = dirname(path);
    const isInProject = typeof header.cwd === "string" && basename(from) === toProjectFolderName(header.cwd);
    const folder = isInProject ? toSiblingFolder({ path, cwd: header.cwd, subagent: false }, to) : from;
    if (dryRun) return join(folder, basename(path));
    this.store.reload(); // another session's file is not ours to move
    const target = moveSession(path, folder, to, this.#config.options.within);
    const { dir } = this.#config;
    this.#config = { ...this.#config, cwd: to, dir: isSamePath(dir, from) ? folder : dir };
    this.store = openSession(this.#config, target);
    this.store.leafId = leafId;
    this.notifyAppended(0);
    return target;
  }

  /**
   * Creates a new session from the path to one entry, with its labels, and switches to it.
   *
   * @returns the path of its file, which is written with its first user or assistant message; undefined for sessions in memory
   * @throws PidexError `NOT_FOUND`
   */
  createBranchedSession(leafId: string): string | undefined {
    this.assertWritable();
    const { path: parentSession, labels } = this.store;
    this.getExistingEntry(leafId);
    const entries = extractBranch(this.getBranch(leafId), labels);
    this.store = createWrittenSession(this.#config, entries, parentSession);
    if (this.store.isWritten) this.notifyAppended(0);
    return this.store.path;
  }
}

/** The configuration for a session folder, which is created first unless read-only. */
function prepareFolder(cwd: string, dir: string, options: OpenOptions): ManagerConfig {
  if (!options.readOnly) withWriteErrors(dir, () => mkdirSync(dir, { recursive: true }));
  return { cwd: expandPath(cwd), dir, persist: true, options };
}

/** The session folder, which may not exist. */
function resolveDir(cwd: string, sessionDir: string | undefined): string {
  return sessionDir ? expandPath(sessionDir) : defaultSessionDirPath(cwd);
}

/** The working directory to filter a folder's sessions by. Default folders need no filter: they belong to one working directory. */
function cwdFilter(cwd: string, dir: string, sessionDir: string | undefined): string | undefined {
  return sessionDir !== undefined && !isSamePath(dir, defaultSessionDirPath(cwd))
    ? expandPath(cwd)
    : undefined;
}

function headerCwd(path: string): string | undefined {
  const isStored = existsSync(encodePath(path)) || isCompressed(path);
  const cwd: unknown = isStored ? readSessionHeader(path)?.cwd : undefined;
  return typeof cwd === "string" ? cwd : undefined;
}
