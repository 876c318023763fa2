/**
 * Lists the sessions of folders as pi does, from the index if it can be used, otherwise from the files: behind
 * `SessionManager.list` and `listAll`.
 */
import { existsSync } from "node:fs";
import { basename } from "node:path";
import { type CandidateFile, discover } from "../indexer/discover.ts";
import { type FileSummary, summarizeFile } from "../indexer/summarize-file.ts";
import type { SessionInfo } from "../query/answers.ts";
import { PidexError } from "../src/errors.ts";
import { configuredRoots } from "../src/session/configured-roots.ts";
import type { Entry } from "../src/session/entries.ts";
import { expandPath, type Root, toRootLevel, withParentRoot } from "../src/session/locations.ts";
import { extractConversationText } from "../src/session/text.ts";
import { isSameCwd } from "../src/session/writing/folders.ts";
import type { FolderSessions, UnindexedFile } from "./folder-sessions.ts";
import { toSummarizedSession } from "./summarized-session.ts";

/** Options of `listFolder` and `listProjects`. */
export interface ListFolderOptions {
  /**
   * Called once per file, including files that are not sessions. `partialSessions` are the sessions known so far, newest first; they are
   * passed with the first call, the last, and some between. If it throws, listing stops with that error.
   */
  onProgress?:
    | ((loaded: number, total: number, partialSessions?: readonly SessionInfo[]) => void)
    | undefined;
  /** Cancels listing, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Called at most once: why files were read that should have been in the index, or that the index was rebuilt. */
  onProblem?: (problem: Error) => void;
  /** Time limit for indexing new files, in milliseconds; the rest are read directly. Default: 2,000. */
  indexingMs?: number;
  /** The database file. Default: `$PIDEX_DB`, else `pidex/index.db` in the user's cache folder. */
  db?: string;
  /**
   * `lazy` (default): a non-enumerable getter that reads the file on first access. `included`: read immediately into a plain property,
   * which copies and JSON keep.
   */
  allMessagesText?: "lazy" | "included";
}

/** Files between two reports of `partialSessions`, as in pi: for one folder, and for all projects. */
const FILES_PER_REPORT = { folder: 10, projects: 100 };

/**
 * The sessions directly in a folder, newest first, including archived sessions and subagent sessions. With `cwd`, only sessions of that
 * working directory. Files that are unreadable or not sessions are omitted; a missing folder has no sessions. Sessions that are not yet
 * indexed have no `startedBy`.
 *
 * @throws the signal's reason when aborted, what `onProgress` throws, and PidexError `BAD_OPTION` for an invalid `file:` URL
 */
export function listFolder(
  dir: string,
  options: ListFolderOptions & { cwd?: string | undefined } = {},
): Promise<SessionInfo[]> {
  return new Listing(dir, options, FILES_PER_REPORT.folder).list(0);
}

/**
 * The sessions directly in each subfolder of a folder, as `listFolder`. Links to folders are followed, and their sessions have the
 * link's path.
 *
 * @throws as `listFolder`
 */
export function listProjects(sessionsDir: string, options: ListFolderOptions = {}): Promise<SessionInfo[]> {
  return new Listing(sessionsDir, options, FILES_PER_REPORT.projects).list(1);
}

class Listing {
  readonly #folder: string;
  readonly #options: ListFolderOptions & { cwd?: string | undefined };
  readonly #filesPerReport: number;
  readonly #isIncluded: boolean;
  readonly #sessions: SessionInfo[] = [];
  #loaded = 0;
  #hasProblem = false;
  /** What `onProgress` threw. */
  #thrown: { error: unknown } | undefined;

  constructor(
    folder: string,
    options: ListFolderOptions & { cwd?: string | undefined },
    filesPerReport: number,
  ) {
    this.#folder = folder;
    this.#options = options;
    this.#filesPerReport = filesPerReport;
    this.#isIncluded = options.allMessagesText === "included";
  }

  /** Lists sessions exactly `depth` folders below the folder. */
  async list(depth: number): Promise<SessionInfo[]> {
    const { signal } = this.#options;
    signal?.throwIfAborted();
    const root = toRootLevel(this.#folder, depth);
    if (!existsSync(root.folder)) return [];
    const result = await this.#queryIndex(root);
    const { total, failedFiles } = result;

    const toRead: (UnindexedFile & { session?: SessionInfo })[] = [...result.unindexed];
    for (const { path, mtime_ns, session } of result.indexed) {
      if (!session) continue;
      if (!this.#isIncluded && !isMangled(session)) this.#sessions.push(session);
      else toRead.push({ path, subagent: session.subagent ? 1 : 0, changedNs: BigInt(mtime_ns), session });
    }
    let loaded = total - toRead.length;
    await this.#reportProgress(loaded, total, loaded > 0);
    // Newest first: users usually want a recent session.
    toRead.sort((a, b) => Number(b.changedNs - a.changedNs));
    for (const file of toRead) {
      const session = await this.#load(file, file.session);
      if (session) this.#sessions.push(session);
      if (session && failedFiles.has(file.path)) this.#onProblem(notIndexed(file.path));
      await this.#reportProgress(++loaded, total, loaded % this.#filesPerReport === 0);
      await new Promise(setImmediate);
      signal?.throwIfAborted();
    }
    return this.#arrange(this.#sessions);
  }

  /** Queries the index; if that fails, reports why and returns every file to be read. */
  async #queryIndex(level: Root): Promise<FolderSessions> {
    const { db, signal, onProgress, indexingMs } = this.#options;
    let root = level;
    try {
      root = withParentRoot(level, configuredRoots());
      const { readFolderSessions } = await import("./folder-sessions.ts");
      const result = await readFolderSessions(root, {
        db,
        signal,
        indexingMs,
        onNotice: (notice) => this.#onProblem(unusable(notice)),
        // If texts are included, all files are read anyway.
        onIndexed:
          onProgress && !this.#isIncluded
            ? ({ done, total, sessions }) =>
                // The call for the last file comes with the complete list.
                this.#reportProgress(Math.min(done, total - 1), total, done < total, sessions)
            : undefined,
      });
      if (result.problem) this.#onProblem(result.problem);
      return result;
    } catch (error) {
      signal?.throwIfAborted();
      if (this.#thrown) throw this.#thrown.error;
      this.#onProblem(
        error instanceof PidexError ? error : unusable(`the index cannot be used: ${error}`, error),
      );
      const { files } = await discover([root], signal);
      const others = files.map(({ path, subagent, stat }) => ({ path, subagent, changedNs: stat.mtimeNs }));
      return { total: others.length, indexed: [], unindexed: others, failedFiles: new Set() };
    }
  }

  /** Reads a session from its file. Returns undefined if the file is unreadable or not a session. */
  async #load(
    { path, subagent }: CandidateFile,
    known: SessionInfo | undefined,
  ): Promise<SessionInfo | undefined> {
    const { signal } = this.#options;
    const texts: string[] = [];
    const keepText = (entry: Entry) => {
      const text = extractConversationText(entry);
      if (text) texts.push(text);
    };
    let read: FileSummary | undefined;
    try {
      read = await summarizeFile(path, signal, this.#isIncluded ? keepText : undefined);
    } catch {
      signal?.throwIfAborted();
    }
    if (!read) return undefined;
    const session = toSummarizedSession({ path, subagent }, read, known?.startedBy);
    return this.#isIncluded ? { ...session, allMessagesText: texts.join(" ") } : session;
  }

  /** Calls `onProgress` once for each file up to `loaded`. */
  async #reportProgress(
    loaded: number,
    total: number,
    isDue: boolean,
    known: () => Promise<readonly SessionInfo[]> = async () => this.#sessions,
  ): Promise<void> {
    const { signal, onProgress } = this.#options;
    if (!onProgress || loaded <= this.#loaded) return;
    const hasSessions = isDue || this.#loaded === 0 || loaded === total;
    const sessions = hasSessions ? this.#arrange(await known()) : undefined;
    while (this.#loaded < loaded) {
      const n = ++this.#loaded;
      try {
        onProgress(n, total, n === 1 || n === loaded ? sessions : undefined);
      } catch (error) {
        this.#thrown = { error };
        throw error;
      }
      signal?.throwIfAborted();
    }
  }

  /** The sessions of the requested working directory, newest first; equal times are ordered by file name, as in pi. */
  #arrange(sessions: readonly SessionInfo[]): SessionInfo[] {
    const { cwd } = this.#options;
    const folder = cwd === undefined ? undefined : expandPath(cwd);
    return sessions
      .filter((session) => folder === undefined || isSameCwd(session.cwd, folder))
      .sort(newestFirst);
  }

  #onProblem(problem: Error): void {
    if (this.#hasProblem) return;
    this.#hasProblem = true;
    this.#options.onProblem?.(problem);
  }
}

function newestFirst(a: SessionInfo, b: SessionInfo): number {
  const byTime = b.modified.getTime() - a.modified.getTime();
  return byTime || basename(b.path).localeCompare(basename(a.path)) || (a.path < b.path ? -1 : 1);
}

/** Whether a text may differ from the file's: SQLite stores a lone surrogate as U+FFFD. */
function isMangled({ id, cwd, name, parentSessionPath, firstMessage, computedTitle }: SessionInfo): boolean {
  return [id, cwd, name, parentSessionPath, firstMessage, computedTitle].some((text) =>
    text?.includes("\ufffd"),
  );
}

function unusable(message: string, cause?: unknown): PidexError {
  const hint = "Run pidex doctor to find the cause. No data is lost.";
  return new PidexError("DATABASE_UNAVAILABLE", message, hint, { cause });
}

function notIndexed(path: string): PidexError {
  return unusable(`${path} could not be indexed, so the file was read instead`);
}
