import { existsSync, mkdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { SessionInfo } from "../query/answers.ts";
import { badOption } from "../src/errors.ts";
import { fsPath } from "../src/path-bytes.ts";
import { type Deleted, type DeleteOptions, deleteSession } from "../src/session/delete-session.ts";
import { expandPath, projectFolder } from "../src/session/locations.ts";
import type { Restored } from "../src/session/restore-session.ts";
import type { FileEntry } from "../src/session/session-types.ts";
import {
  type Home,
  heldSession,
  type NewSessionOptions,
  newHeader,
  newSession,
  openSession,
  writtenSession,
} from "../src/session/writing/begin-session.ts";
import { branchOff } from "../src/session/writing/branch-off.ts";
import { writeFork } from "../src/session/writing/copy-session.ts";
import {
  findMostRecentSession,
  findSessionFile,
  readSessionHeader,
} from "../src/session/writing/find-sessions.ts";
import { folderBeside } from "../src/session/writing/folder-beside.ts";
import {
  agentDir,
  defaultSessionDirPath,
  isSamePath,
  sessionFileName,
} from "../src/session/writing/folders.ts";
import { assertValidSessionId } from "../src/session/writing/ids.ts";
import { moveSession } from "../src/session/writing/move-session.ts";
import { inWords } from "../src/session/writing/replace-file.ts";
import type { SessionStore } from "../src/session/writing/session-store.ts";
import { SessionWriter, type WritingOptions } from "../src/session/writing/session-writer.ts";
import type { ListControl } from "./session-list.ts";
import type { ListTrashedOptions, RestoreOptions, TrashedSessionInfo } from "./session-trash.ts";

export type CreateOptions = NewSessionOptions & WritingOptions;

export interface OpenOptions extends WritingOptions {
  /** Never writes: an old version is upgraded in memory alone, and what would write throws `READ_ONLY`. */
  readOnly?: boolean;
}

/** What lists may be told beyond what pi's are. */
export type SessionListOptions = Pick<ListControl, "onProblem" | "db" | "indexingMs" | "allMessagesText">;

/** `partialSessions`, where given, are those known so far, the newest first. */
export type SessionListProgress = NonNullable<ListControl["onProgress"]>;

/** What extensions may do with a session: look. */
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
 * A session as a tree of entries in a JSONL file that only ever grows. The leaf is where it stands: each append makes a
 * child of it, and the child the leaf; `branch` goes back to an earlier entry, and nothing is lost.
 *
 * A drop-in for pi's class of this name, with pi 1.5's behaviour; docs/session-manager.md names every difference. Writes go
 * to the file first, in one piece, then to memory. What throws leaves both as they were.
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
  #home: Home;

  private constructor(home: Home, store: SessionStore) {
    super(store, home.options);
    this.#home = home;
  }

  /**
   * A new session of a working directory. Its file is written once somebody has said something.
   *
   * @param sessionDir default: pi's folder for the working directory
   * @throws PidexError `BAD_OPTION` for an id that cannot be a file's name; the file system's error for a folder that
   * cannot be made
   */
  static create(cwd: string, sessionDir?: string, options: CreateOptions = {}): SessionManager {
    const home = homeOf(cwd, dirOf(cwd, sessionDir), options);
    return new SessionManager(home, newSession(home, options));
  }

  /**
   * Opens a session file; one that is not there, or empty, becomes a new session. An old version is upgraded in the file.
   *
   * @param sessionDir where sessions that come of this one are put; default: the file's folder
   * @param cwdOverride instead of the header's working directory
   * @throws PidexError `NOT_A_SESSION` for a file that holds something else, which is left as it is; `FILE_UNREADABLE`
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
    const home = homeOf(cwd, dir, options);
    return new SessionManager(home, openSession(home, file));
  }

  /** Opens the session of a working directory whose file was written last; a new one where there is none. @throws as `open` */
  static continueRecent(cwd: string, sessionDir?: string, options: CreateOptions = {}): SessionManager {
    const dir = dirOf(cwd, sessionDir);
    const recent = findMostRecentSession(dir, filterOf(cwd, dir, sessionDir));
    const home = homeOf(cwd, dir, options);
    return new SessionManager(home, recent === null ? newSession(home, options) : openSession(home, recent));
  }

  /** A session that is never written, from entries that are kept elsewhere if any are given. */
  static inMemory(
    cwd: string = process.cwd(),
    options: CreateOptions = {},
    entries?: FileEntry[],
  ): SessionManager {
    const home = { cwd: expandPath(cwd), dir: "", persist: false, options };
    return new SessionManager(home, heldSession(home, entries ?? [], options));
  }

  /**
   * Copies a session, all of its branches, into another working directory, and opens the copy. The source is only read.
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
    const dir = dirOf(cwd, sessionDir);
    const home = homeOf(cwd, dir, options);
    const header = newHeader(cwd, { ...options, parentSession: source });
    const path = join(dir, sessionFileName(header.timestamp, header.id));
    writeFork(source, path, header, options.within);
    const fork = new SessionManager(home, openSession(home, path));
    fork.tell(0);
    return fork;
  }

  /** The file of the session with this id, found by headers alone; of this working directory in a folder of many. */
  static findById(cwd: string, id: string, sessionDir?: string): string | undefined {
    const dir = dirOf(cwd, sessionDir);
    return findSessionFile(dir, id, filterOf(cwd, dir, sessionDir));
  }

  /**
   * The sessions of a working directory, the newest first, from the index after a look at what changed. Where the index
   * cannot be asked the files are read, and `onProblem` is told why.
   *
   * @param sessionDir default: pi's folder for the working directory; of any other folder those of this directory alone
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
    const dir = dirOf(cwd, sessionDir);
    const filter = filterOf(cwd, dir, sessionDir);
    const control = { ...options, ...(onProgress && { onProgress }), ...(signal && { signal }) };
    return listFolder(dir, { ...control, ...(filter !== undefined && { cwd: filter }) });
  }

  /**
   * The sessions of all working directories, or of one folder, the newest first, as `list` does.
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
    const control = { ...options, ...(onProgress && { onProgress }), ...(signal && { signal }) };
    return typeof first === "string" && first !== ""
      ? listFolder(expandPath(first), control)
      : listProjects(join(agentDir(), "sessions"), control);
  }

  /**
   * Deletes a session: its file, the folder of its subagents, what an upgrade kept. Into the trash, unless `permanent`.
   *
   * @throws PidexError `NOT_FOUND`, `BAD_OPTION` for a folder, `TRASH_FAILED`, `FILE_UNWRITABLE`; then the file is where it was
   */
  static delete(path: string, options: DeleteOptions = {}): Promise<Deleted> {
    return deleteSession(path, options);
  }

  /** The sessions in the trash that can be brought back, the last deleted first. */
  static async listTrashed(options: ListTrashedOptions = {}): Promise<TrashedSessionInfo[]> {
    return (await import("./session-trash.ts")).listTrashed(options);
  }

  /**
   * Brings a deleted session back from the trash, with what went along with it: to where it was, and over nothing that is
   * there now. Of several that were at a path, the last deleted.
   *
   * @param path where it was, or where it is in the trash
   * @throws PidexError `NOT_FOUND` where the trash has no note of it, `RESTORE_FAILED`; then it is in the trash
   */
  static async restore(path: string, options: RestoreOptions = {}): Promise<Restored> {
    return (await import("./session-trash.ts")).restore(path, options);
  }

  /** Goes on with another session file. @throws as `open` */
  setSessionFile(sessionFile: string): void {
    this.store = openSession(this.#home, expandPath(sessionFile));
  }

  /** Begins a new session. @returns its file, once it is written. @throws PidexError `BAD_OPTION` */
  newSession(options: NewSessionOptions = {}): string | undefined {
    this.store = newSession(this.#home, options);
    return this.store.path;
  }

  isPersisted(): boolean {
    return this.#home.persist;
  }

  getCwd(): string {
    return this.#home.cwd;
  }

  getSessionDir(): string {
    return this.#home.dir;
  }

  usesDefaultSessionDir(): boolean {
    const { cwd, dir } = this.#home;
    return dir !== "" && isSamePath(dir, defaultSessionDirPath(cwd));
  }

  /**
   * Moves the session to another working directory, for a project that was renamed: the header gets the new directory, and
   * a file in the old one's folder moves to that of the new one beside it, with the folder of its subagents. All other
   * lines stay byte for byte as they are. Where it breaks off, doing it again goes on with it.
   *
   * @param options.dryRun nothing is done but to tell where the file would be
   * @returns the session's file, where the manager goes on
   * @throws PidexError `BAD_OPTION` for a session without a file, or where the new folder has one of its name; `READ_ONLY`;
   * the file system's error
   */
  moveTo(cwd: string, { dryRun = false }: { dryRun?: boolean } = {}): string {
    if (!dryRun) this.assertWritable();
    const { path, header, isWritten, leafId } = this.store;
    if (path === undefined || !isWritten) {
      throw badOption("This session has no file yet", "Move it once something was said in it.");
    }
    const to = expandPath(cwd);
    const from = dirname(path);
    const isInProject = typeof header.cwd === "string" && basename(from) === projectFolder(header.cwd);
    const folder = isInProject ? folderBeside({ path, cwd: header.cwd, subagent: false }, to) : from;
    if (dryRun) return join(folder, basename(path));
    this.store.reload(); // another session's file is not ours to move
    const target = moveSession(path, folder, to, this.#home.options.within);
    const { dir } = this.#home;
    this.#home = { ...this.#home, cwd: to, dir: isSamePath(dir, from) ? folder : dir };
    this.store = openSession(this.#home, target);
    this.store.leafId = leafId;
    this.tell(0);
    return target;
  }

  /**
   * Makes a new session of the path to one entry, with the labels on it, and goes on with that one.
   *
   * @returns its file (written once somebody has said something in it), undefined when sessions are not written
   * @throws PidexError `NOT_FOUND`
   */
  createBranchedSession(leafId: string): string | undefined {
    this.assertWritable();
    const { path: parentSession, labels } = this.store;
    this.known(leafId);
    const entries = branchOff(this.getBranch(leafId), labels);
    this.store = writtenSession(this.#home, entries, parentSession);
    if (this.store.isWritten) this.tell(0);
    return this.store.path;
  }
}

/** Makes the folder, where something may be written. */
function homeOf(cwd: string, dir: string, options: OpenOptions): Home {
  if (!options.readOnly) inWords(dir, () => mkdirSync(dir, { recursive: true }));
  return { cwd: expandPath(cwd), dir, persist: true, options };
}

/** The folder that is meant; it need not be there. */
function dirOf(cwd: string, sessionDir: string | undefined): string {
  return sessionDir ? expandPath(sessionDir) : defaultSessionDirPath(cwd);
}

/** The working directory to look for in a folder: the default folder has only its own. */
function filterOf(cwd: string, dir: string, sessionDir: string | undefined): string | undefined {
  return sessionDir !== undefined && !isSamePath(dir, defaultSessionDirPath(cwd))
    ? expandPath(cwd)
    : undefined;
}

function headerCwd(path: string): string | undefined {
  const cwd: unknown = existsSync(fsPath(path)) ? readSessionHeader(path)?.cwd : undefined;
  return typeof cwd === "string" ? cwd : undefined;
}
