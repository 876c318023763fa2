/**
 * What `SessionManager.list` and `listAll` answer: the sessions of folders as pi lists them, from the index where it can
 * be used, else from the files themselves.
 */
import { existsSync } from "node:fs";
import { basename } from "node:path";
import { discoverInTurns, type PlacedFile } from "../indexer/discover.ts";
import { type SummarisedFile, summariseFile } from "../indexer/summarise-file.ts";
import type { SessionInfo } from "../query/answers.ts";
import { sessionInfo } from "../query/session-info.ts";
import { PidexError } from "../src/errors.ts";
import type { Entry } from "../src/session/entries.ts";
import { expandPath, levelOf, type Root, within } from "../src/session/locations.ts";
import { conversationText } from "../src/session/text.ts";
import { usualRoots } from "../src/session/usual-roots.ts";
import { isCwdOf } from "../src/session/writing/folders.ts";
import type { Asked, AskedFile } from "./session-index.ts";

/** What a list may be told. */
export interface ListControl {
  /**
   * Called once for each session file, those that hold no session too. `partialSessions` are those known so far, the newest
   * first: with the first call, now and then, and with the last. What it throws ends the list.
   */
  onProgress?: (loaded: number, total: number, partialSessions?: readonly SessionInfo[]) => void;
  signal?: AbortSignal;
  /** Told, once at most, why files were read that the index should have told of, or that it was built anew. */
  onProblem?: (problem: Error) => void;
  /** How long to index what is new, in milliseconds, before the rest is read from the files. Default: 2,000. */
  indexingMs?: number;
  /** The database file. Default: `$PIDEX_DB`, else `pidex/index.db` in the user's cache folder. */
  db?: string;
  /**
   * `lazy` (the default): read from the file when it is first asked for, and not enumerable. `included`: read now, a plain
   * field that copies and JSON keep.
   */
  allMessagesText?: "lazy" | "included";
}

/** After how many files `partialSessions` are told again, as pi does: of one folder, and of many. */
const FILES_A_PART = { folder: 10, projects: 100 };

/**
 * The sessions that lie directly in a folder, newest first: archived ones and those of subagents too, not those in folders
 * below. With `cwd` only those of that working directory. Files that cannot be read, or are no sessions, are left out; a
 * folder that does not exist holds none. Where the files had to be read, no session has a `startedBy`.
 *
 * @throws the signal's reason when aborted, what `onProgress` throws, and PidexError `BAD_OPTION` for the URL of no file
 */
export function listFolder(
  dir: string,
  options: ListControl & { cwd?: string } = {},
): Promise<SessionInfo[]> {
  return new Listing(dir, options, FILES_A_PART.folder).list(0);
}

/**
 * The sessions that lie directly in the folders of a folder, as `listFolder` lists each. A link to a folder is one, and
 * its sessions have the link's path.
 *
 * @throws as `listFolder`
 */
export function listProjects(sessionsDir: string, options: ListControl = {}): Promise<SessionInfo[]> {
  return new Listing(sessionsDir, options, FILES_A_PART.projects).list(1);
}

class Listing {
  readonly #folder: string;
  readonly #options: ListControl & { cwd?: string };
  readonly #every: number;
  readonly #isIncluded: boolean;
  readonly #sessions: SessionInfo[] = [];
  #loaded = 0;
  #hasProblem = false;
  /** What `onProgress` threw. */
  #thrown: { error: unknown } | undefined;

  constructor(folder: string, options: ListControl & { cwd?: string }, every: number) {
    this.#folder = folder;
    this.#options = options;
    this.#every = every;
    this.#isIncluded = options.allMessagesText === "included";
  }

  /** Lists what lies exactly so many folders below. */
  async list(depth: number): Promise<SessionInfo[]> {
    const { signal } = this.#options;
    signal?.throwIfAborted();
    const root = levelOf(this.#folder, depth);
    if (!existsSync(root.folder)) return [];
    const asked = await this.#ask(root);
    const { total, faulty } = asked;

    const ahead: (AskedFile & { session?: SessionInfo })[] = [...asked.others];
    for (const { path, mtime_ns, session } of asked.current) {
      if (!session) continue;
      if (!this.#isIncluded && !isMangled(session)) this.#sessions.push(session);
      else ahead.push({ path, subagent: session.subagent ? 1 : 0, changed: BigInt(mtime_ns), session });
    }
    let loaded = total - ahead.length;
    await this.#tell(loaded, total, loaded > 0);
    // The newest first: they are looked for.
    ahead.sort((a, b) => Number(b.changed - a.changed));
    for (const file of ahead) {
      const session = await this.#load(file, file.session);
      if (session) this.#sessions.push(session);
      if (session && faulty.has(file.path)) this.#onProblem(notTakenIn(file.path));
      await this.#tell(++loaded, total, loaded % this.#every === 0);
      await new Promise(setImmediate);
      signal?.throwIfAborted();
    }
    return this.#arranged(this.#sessions);
  }

  /** What the index says of the files, as far as it can be used. */
  async #ask(level: Root): Promise<Asked> {
    const { db, signal, onProgress, indexingMs } = this.#options;
    let root = level;
    try {
      root = within(level, usualRoots());
      const { askIndex } = await import("./session-index.ts");
      const asked = await askIndex(root, {
        ...(db !== undefined && { db }),
        ...(signal && { signal }),
        ...(indexingMs !== undefined && { indexingMs }),
        onNotice: (notice) => this.#onProblem(unusable(notice)),
        ...(onProgress && {
          onIndexed: ({ done, total, sessions }) =>
            // The last one is told when all is known.
            this.#isIncluded
              ? Promise.resolve()
              : this.#tell(Math.min(done, total - 1), total, done < total, sessions),
        }),
      });
      if (asked.problem) this.#onProblem(asked.problem);
      return asked;
    } catch (error) {
      signal?.throwIfAborted();
      if (this.#thrown) throw this.#thrown.error;
      this.#onProblem(
        error instanceof PidexError ? error : unusable(`the index cannot be used: ${error}`, error),
      );
      const { files } = await discoverInTurns([root], signal);
      const others = files.map(({ path, subagent, stat }) => ({ path, subagent, changed: stat.mtimeNs }));
      return { total: others.length, current: [], others, faulty: new Set() };
    }
  }

  /** Reads a file for what the index does not say; what cannot be read is left out. */
  async #load(
    { path, subagent }: PlacedFile,
    known: SessionInfo | undefined,
  ): Promise<SessionInfo | undefined> {
    const { signal } = this.#options;
    const texts: string[] = [];
    const keepText = (entry: Entry) => {
      const text = conversationText(entry);
      if (text) texts.push(text);
    };
    let read: SummarisedFile | undefined;
    try {
      read = await summariseFile(path, signal, this.#isIncluded ? keepText : undefined);
    } catch {
      signal?.throwIfAborted();
    }
    if (!read) return undefined;
    const { summary, modified, size, labelCount, problemCount } = read;
    const session = sessionInfo(
      {
        ...summary,
        ...{ file_id: 0, path, subagent, size, modified },
        tags: JSON.stringify(summary.tags),
        label_count: labelCount,
        problem_count: problemCount,
        started_by: null,
      },
      known?.startedBy,
    );
    return this.#isIncluded ? { ...session, allMessagesText: texts.join(" ") } : session;
  }

  /** Tells of progress up to a number of files, one call each. */
  async #tell(
    loaded: number,
    total: number,
    isDue: boolean,
    known: () => Promise<readonly SessionInfo[]> = async () => this.#sessions,
  ): Promise<void> {
    const { signal, onProgress } = this.#options;
    if (!onProgress || loaded <= this.#loaded) return;
    const isPart = isDue || this.#loaded === 0 || loaded === total;
    const part = isPart ? this.#arranged(await known()) : undefined;
    while (this.#loaded < loaded) {
      const n = ++this.#loaded;
      try {
        onProgress(n, total, n === 1 || n === loaded ? part : undefined);
      } catch (error) {
        this.#thrown = { error };
        throw error;
      }
      signal?.throwIfAborted();
    }
  }

  /** Those that are asked for, the newest first; of one moment as pi has them, by their names. */
  #arranged(sessions: readonly SessionInfo[]): SessionInfo[] {
    const { cwd } = this.#options;
    const wanted = cwd === undefined ? undefined : expandPath(cwd);
    const isWanted = (session: SessionInfo) => wanted === undefined || isCwdOf(session.cwd, wanted);
    return sessions.filter(isWanted).sort(newestFirst);
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

/** Whether a text may be other than in the file: SQLite keeps half of a surrogate pair as U+FFFD. */
function isMangled({ id, cwd, name, parentSessionPath, firstMessage }: SessionInfo): boolean {
  return [id, cwd, name, parentSessionPath, firstMessage].some((text) => text?.includes("\ufffd"));
}

function unusable(message: string, cause?: unknown): PidexError {
  const hint = "Nothing is lost: the session files have it all.";
  return new PidexError("DATABASE_UNAVAILABLE", message, hint, { cause });
}

function notTakenIn(path: string): PidexError {
  return unusable(`the index could not take in ${path}: it was read instead`);
}
