/**
 * The index as a list of sessions asks it. A module of its own that `session-list.ts` loads when it is needed: where
 * SQLite cannot be loaded, sessions are still listed.
 */
import type { PlacedFile } from "../indexer/discover.ts";
import { type Look, look } from "../indexer/look.ts";
import { plan } from "../indexer/plan.ts";
import type { SyncProgress } from "../indexer/report.ts";
import { catchUp } from "../indexer/sync.ts";
import { migrations } from "../migrations/index.ts";
import type { SessionInfo } from "../query/answers.ts";
import { type IndexedFile, indexedFiles } from "../query/indexed-files.ts";
import { PidexError } from "../src/errors.ts";
import { expandPath, isSubagentPath, type Root } from "../src/session/locations.ts";
import { isCorruption, putAside } from "../src/store/sqlite/aside.ts";
import { databasePath } from "../src/store/sqlite/locations.ts";
import { type Database, openDatabase } from "../src/store/sqlite/open.ts";
import { inWords, unavailable } from "../src/store/sqlite/unavailable.ts";

/** How long another process's transaction is waited for, in milliseconds: the files are there to be read meanwhile. */
const PATIENCE_MS = 1_000;

/** The longest that a timer can be set to. */
const LONGEST_MS = 2 ** 31 - 1;

/** How long a list indexes what is new, in milliseconds, before it reads the rest from the files. */
const INDEXING_MS = 2_000;

export interface AskOptions {
  db?: string;
  signal?: AbortSignal;
  /** How long to index, in milliseconds: at least one transaction, unless 0. Default: two seconds. */
  indexingMs?: number;
  /** Told of a broken database that was moved aside. */
  onNotice: (message: string) => void;
  /** Called, and waited for, when some more files are indexed. */
  onIndexed?: (progress: IndexedSoFar) => Promise<void>;
}

/** How far a sync is, in files of the root. */
export interface IndexedSoFar {
  done: number;
  total: number;
  sessions: () => Promise<SessionInfo[]>;
}

export interface AskedFile extends PlacedFile {
  /** When it was changed last: Unix nanoseconds. */
  changed: bigint;
}

/** What there is of a root's files, and what the index says of them. */
export interface Asked {
  /** How many files there are. */
  total: number;
  /** Files whose rows tell what they hold now. */
  current: readonly IndexedFile[];
  /** The others: these are to be read. */
  others: readonly AskedFile[];
  /** Files that the index could not read. */
  faulty: ReadonlySet<string>;
  /** What kept the index from being brought up to all files. */
  problem?: Error;
}

/**
 * Brings the index up to the files of a root, and asks it for them. A database that turns out to be broken is moved
 * aside, for the next who asks to begin a new one.
 *
 * @throws PidexError when the index cannot be used, the signal's reason when aborted, what `onIndexed` throws
 */
export async function askIndex(root: Root, options: AskOptions): Promise<Asked> {
  const { signal, onNotice } = options;
  const path = expandPath(options.db ?? databasePath());
  const database = await openDatabase({ path, migrations, onNotice, busyTimeoutMs: PATIENCE_MS });
  let failure: unknown;
  try {
    return await ask(database, root, options);
  } catch (error) {
    failure = error;
    signal?.throwIfAborted();
    throw inWords(path, error);
  } finally {
    await database.close();
    const aside = isCorruption(failure) && (await putAside(database, PATIENCE_MS));
    if (aside) onNotice(`${database.path} is broken: it was moved to ${aside}`);
  }
}

async function ask(database: Database, root: Root, options: AskOptions): Promise<Asked> {
  const { signal, onIndexed } = options;
  const scope = { roots: [root] };
  const looked = await look(database, scope.roots, signal);
  const { files } = looked.found;
  const total = looked.unchanged.length + files.length;
  const unchanged = new Set(looked.unchanged);
  const stats = new Map(files.map(({ path, stat }) => [path, stat]));
  /** Rows that were made of the file as it was found: those of a file that is half read are not. */
  const isWhole = (row: IndexedFile): boolean => {
    const stat = stats.get(row.path);
    return stat !== undefined && plan(stat, { ...row, racy: 0 }) === "skip";
  };
  const sessions = async () =>
    (await indexedFiles(database.reader, scope)).flatMap((row) =>
      row.session && (unchanged.has(row.path) || isWhole(row)) ? [row.session] : [],
    );
  const behind = await indexAll(database, looked, options, async ({ filesDone, filesTotal }) => {
    await onIndexed?.({ done: total - filesTotal + filesDone, total, sessions });
  });

  const rows = await indexedFiles(database.reader, scope);
  const isCurrent = (row: IndexedFile): boolean => {
    // Where it is behind, only what needs no second look is known to be as it was.
    if (unchanged.has(row.path)) return behind !== undefined || row.faulty === 0;
    const stat = stats.get(row.path);
    return stat !== undefined && (behind ? plan(stat, row) === "skip" : row.faulty === 0);
  };
  const current = rows.filter(isCurrent);
  const told = new Set(current.map(({ path }) => path));
  const changedAt = (path: string) =>
    stats.get(path)?.mtimeNs ?? BigInt(looked.known.get(path)?.mtime_ns ?? 0);
  const untold = [...looked.unchanged, ...stats.keys()].filter((path) => !told.has(path));
  return {
    total,
    current,
    others: untold.map((path) => ({
      path,
      changed: changedAt(path),
      subagent: isSubagentPath(path, root) ? 1 : 0,
    })),
    faulty: new Set(rows.filter(({ faulty }) => faulty === 1).map(({ path }) => path)),
    ...(behind && { problem: behind }),
  };
}

/**
 * Brings the index up to what was found, as far as it comes in the time there is.
 *
 * @returns why it is behind, if it is
 */
async function indexAll(
  database: Database,
  looked: Look,
  { signal, indexingMs = INDEXING_MS }: AskOptions,
  onProgress: (progress: SyncProgress) => Promise<void>,
): Promise<PidexError | undefined> {
  const late = indexingMs > 0 ? AbortSignal.timeout(Math.min(indexingMs, LONGEST_MS)) : AbortSignal.abort();
  try {
    const stop = signal ? AbortSignal.any([signal, late]) : late;
    const { busy } = await catchUp(database, looked, { signal: stop, onProgress });
    if (!busy) return undefined;
    const cause = Object.assign(new Error("another process is writing to it"), { code: "SQLITE_BUSY" });
    return unavailable(database.path, cause);
  } catch (error) {
    signal?.throwIfAborted();
    if (!late.aborted || error !== late.reason) throw error;
    return new PidexError(
      "INDEX_BEHIND",
      "not all sessions are indexed yet: the others were read, which takes longer",
      "`pidex index` reads all of them once; each list goes on with it.",
    );
  }
}
