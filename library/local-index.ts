import type { CandidateFile } from "../indexer/discover.ts";
import { isUpToDate } from "../indexer/find-changes.ts";
import type { RebuildOptions } from "../indexer/rebuild.ts";
import type { SyncOptions, SyncReport } from "../indexer/report.ts";
import { sync, syncFiles } from "../indexer/sync.ts";
import type { VerifyOptions } from "../indexer/verify/verify.ts";
import type { VerifyReport } from "../indexer/verify/verify-answer.ts";
import { migrations } from "../migrations/index.ts";
import type { ScanHit, SessionInfo, Stats } from "../query/answers.ts";
import type { Blame, Commits, Uncommitted } from "../query/git/git-answers.ts";
import type { BlameOptions, CommitsOptions, UncommittedOptions } from "../query/git/git-options.ts";
import type { ScanOptions, ScanPattern } from "../query/options.ts";
import type { PruneOptions, PruneReview } from "../query/prune/prune-options.ts";
import type { ScanControl, ScanReport } from "../query/scan/scan-hits.ts";
import type { SecretsControl, SecretsReport } from "../query/secrets/find-secrets.ts";
import type { SecretFinding, SecretsOptions } from "../query/secrets/secret-answers.ts";
import type { SqlAnswer } from "../query/sql/run-sql.ts";
import type { SqlOptions } from "../query/sql/sql-options.ts";
import type { SqlView } from "../query/sql/sql-view.ts";
import { requireOptions, requireText } from "../src/arguments.ts";
import { badOption } from "../src/errors.ts";
import {
  expandPath,
  findInnermostRoot,
  isSessionFileName,
  isSubagentPath,
} from "../src/session/locations.ts";
import type { RestoredSession } from "../src/session/restore-session.ts";
import { type Database, openDatabase } from "../src/store/sqlite/open.ts";
import type { ReopeningDatabase } from "../src/store/sqlite/reopening-database.ts";
import type { Store } from "../src/store/store.ts";
import type { IndexRoots } from "./index-roots.ts";
import { LocalSource } from "./local-source.ts";
import type { CallOptions } from "./query/call-options.ts";
import { QueryIndex } from "./query/query-index.ts";
import type { RecentlyTrashed, RestoreOptions, TrashedSessionInfo } from "./session-trash.ts";
import type { IndexWatch, WatchOptions } from "./watch-index.ts";

const SYNC_OPTIONS: (keyof SyncOptions)[] = ["signal", "patienceMs", "onPlan", "onProgress"];
const VERIFY_OPTIONS: (keyof VerifyOptions)[] = [
  "signal",
  "repair",
  "sync",
  "onProgress",
  "onSyncProgress",
  "onCompareProgress",
];
const WATCH_OPTIONS: (keyof WatchOptions)[] = [
  "signal",
  "intervalMs",
  "poll",
  "onSynced",
  "onProgress",
  "onNotice",
  "onProblem",
];

/**
 * An open index. Methods return promises, but SQLite runs synchronously in the calling thread and blocks it, unless the index is
 * isolated: see docs/library.md.
 *
 * A `session` argument is a session file's path, a session id, a unique prefix of an id, or `@last`.
 *
 * Unless noted otherwise, times are Dates or ISO strings in UTC, file offsets and lengths are in bytes, and line numbers start at 1.
 */
export interface Index extends Pick<LocalIndex, keyof LocalIndex> {}

/** An index whose queries run in the calling thread. */
export class LocalIndex extends QueryIndex {
  readonly #database: ReopeningDatabase;
  readonly #source: LocalSource;
  readonly #roots: IndexRoots;
  readonly #closing = new AbortController();
  /** Watches, rebuilds and comparisons that have not ended, including those that are starting. */
  readonly #running = new Set<Promise<unknown>>();

  /** @internal Use `openIndex`. */
  constructor(database: ReopeningDatabase, roots: IndexRoots, onNotice: (message: string) => void) {
    const source = new LocalSource(database, roots, {
      prepare: async () => {
        const { busy, behind, files } = await this.sync();
        if (busy)
          onNotice(
            `another pidex process is rebuilding the index; ${behind} of ${files} files are not indexed yet`,
          );
      },
      sync: (options) => this.sync(options),
    });
    super(source);
    this.#source = source;
    this.#database = database;
    this.#roots = roots;
  }

  /** Path of the database file. */
  get path(): string {
    return this.#database.path;
  }

  /**
   * Whether this path leaves the roots through a symbolic link, in its last part or a folder above it. Such sessions are indexed, as pi
   * reads them too. Check this before writing to a session that someone else may have put there: `SessionManager` follows links.
   */
  leadsOutside(path: string): boolean {
    return this.#roots.leadsOutside(path);
  }

  /**
   * Prefixes of the real paths of all files in the roots, for `SessionManager`'s option `within`, which also protects against a folder
   * that is replaced by a link after `leadsOutside` was called. Resolved on first use, and again after each `sync` or `refreshRoots`.
   */
  realRoots(): readonly string[] {
    return this.#roots.realPrefixes;
  }

  /**
   * The sessions in the `count` most recently changed files at most, read from the files. Takes up to half a second.
   *
   * @internal
   */
  async readNewestFiles(count: number, { signal }: CallOptions = {}): Promise<SessionInfo[]> {
    const { readNewestFiles } = await import("./newest-files.ts");
    return readNewestFiles(this.#roots.current, count, signal);
  }

  /** The sessions in the trash that were below the roots, most recently deleted first. */
  async listTrashed({ signal }: CallOptions = {}): Promise<TrashedSessionInfo[]> {
    const { listTrashedIn } = await import("./session-trash.ts");
    signal?.throwIfAborted();
    return listTrashedIn(this.#roots.current);
  }

  /**
   * Restores a session that was below the roots, as `SessionManager.restore` does. Sync its path afterwards.
   *
   * @throws as `SessionManager.restore`
   */
  async restore(
    path: string,
    options: Pick<RestoreOptions, "dryRun"> & CallOptions = {},
  ): Promise<RestoredSession> {
    requireText(path, "a path");
    requireOptions(options);
    const { signal, ...restoreOptions } = options;
    const { restoreIn } = await import("./session-trash.ts");
    signal?.throwIfAborted();
    return restoreIn(this.#roots.current, path, restoreOptions);
  }

  /**
   * Reviews sessions that could be compressed or deleted: what matches, how many bytes it takes on disk, and what is kept because
   * it is pinned, labeled, tagged or in use. Changes nothing.
   *
   * @example
   * const { sessions } = await index.prunable({ olderThan: "180d", neverResumed: true });
   * for (const { session, bytes } of sessions) console.log(session.path, bytes);
   *
   * @throws PidexError `BAD_OPTION`; the signal's reason when aborted
   */
  async prunable(options: PruneOptions & CallOptions = {}): Promise<PruneReview> {
    requireOptions(options);
    const { signal, ...params } = options;
    const { findPrunable } = await import("../query/prune/find-prunable.ts");
    return this.#source.read((store) => findPrunable(store, params, signal), signal);
  }

  /** Whether `listTrashed` finds a session that was just moved to the trash: a `trash` command may not record its original path. */
  async isRestorable(trashed: RecentlyTrashed, { signal }: CallOptions = {}): Promise<boolean> {
    const { isRestorable } = await import("./session-trash.ts");
    signal?.throwIfAborted();
    return isRestorable(this.#roots.current, trashed);
  }

  /**
   * Finds session folders of newly installed agents, as `sync` does, unless `roots` were passed to `openIndex`. For an index that another
   * process or thread syncs.
   */
  refreshRoots(): void {
    this.#roots.refresh();
  }

  /** The session folders, whether they exist or not. */
  get roots(): string[] {
    return this.#roots.folders;
  }

  /**
   * Brings the index up to date with the session files: reads only what is new, and removes deleted sessions. Unless `roots` were passed
   * to `openIndex`, also finds session folders of newly installed agents. Safe to call at any time and from any number of processes: one
   * of them syncs, and the others wait for it up to `patienceMs`, then report `busy` and how many files are behind. A corrupt database is
   * quarantined and rebuilt.
   *
   * @throws PidexError `DATABASE_UNAVAILABLE`, for example if the disk is full; the signal's reason when aborted. Files that were
   * synced until then stay synced
   */
  async sync(options: SyncOptions = {}): Promise<SyncReport> {
    requireOptions(options, SYNC_OPTIONS);
    options.signal?.throwIfAborted();
    this.refreshRoots();
    return this.#database.use((database) => sync(database, { ...options, roots: this.#roots.current }));
  }

  /** Whether all session files are indexed as they are. Compares their sizes and times, and reads no file. */
  async isUpToDate({ signal }: CallOptions = {}): Promise<boolean> {
    signal?.throwIfAborted();
    this.refreshRoots();
    return this.#database.use((database) => isUpToDate(database, this.#roots.current, signal));
  }

  /**
   * Syncs only these session files, which may be new, changed, replaced or deleted, without reading any folder. After a rename, sync both
   * paths. Paths outside the roots or without a session's file name are ignored. If the database is corrupt or was replaced,
   * everything is synced.
   *
   * @throws as `sync`
   */
  async syncFiles(paths: readonly string[], options: SyncOptions = {}): Promise<SyncReport> {
    if (!Array.isArray(paths))
      throw badOption("paths must be an array", "Pass an array of session file paths.");
    for (const path of paths) requireText(path, "a path");
    requireOptions(options, SYNC_OPTIONS);
    options.signal?.throwIfAborted();
    const files = [...new Set(paths.map((path) => expandPath(path)))].flatMap((path): CandidateFile[] => {
      const root = findInnermostRoot(path, this.#roots.current);
      if (!root || !isSessionFileName(path)) return [];
      const isOutsideRoots = this.leadsOutside(path) || undefined;
      return [{ path, subagent: isSubagentPath(path, root) ? 1 : 0, isOutsideRoots }];
    });
    let whole: SyncReport | undefined;
    return this.#database.use(
      async (database) => whole ?? syncFiles(database, files, options),
      async () => {
        whole = await this.sync(options);
      },
    );
  }

  /** Syncs only this session file. @throws as `syncFiles` */
  syncFile(path: string, options: SyncOptions = {}): Promise<SyncReport> {
    return this.syncFiles([path], options);
  }

  /**
   * Rebuilds the index from the files in a second database, and replaces the current one in one transaction while other processes keep
   * reading. Includes all roots that the database has indexed. Takes as long and as much disk space as a first index.
   *
   * @throws as `sync`; `FILE_UNREADABLE` if a folder with indexed sessions cannot be read; `DATABASE_BUSY` if another sync takes longer
   * than `patienceMs` (default: unlimited). The index is then unchanged
   */
  async rebuild(options: SyncOptions = {}): Promise<SyncReport> {
    requireOptions(options, SYNC_OPTIONS);
    options.signal?.throwIfAborted();
    const { rebuild } = await import("../indexer/rebuild.ts");
    return this.#withFreshIndex(options, (database, building) => rebuild(database, building));
  }

  /**
   * Syncs everything, then syncs files as soon as they change, until the watch is closed or the signal is aborted. Errors are reported to
   * `onProblem` and retried. Any number of processes can watch at the same time.
   *
   * @example
   * await using watch = await index.watch({ onSynced: (report, { ms }) => console.log(report.appended, ms) });
   *
   * @throws PidexError `BAD_OPTION`; the signal's reason when aborted before the first sync has finished
   */
  async watch(options: WatchOptions = {}): Promise<IndexWatch> {
    requireOptions(options, WATCH_OPTIONS);
    const { watchIndex } = await import("./watch-index.ts");
    const target = {
      roots: () => this.#roots.current,
      sync: (control: SyncOptions) => this.sync(control),
      syncFiles: (paths: readonly string[], control: SyncOptions) => this.syncFiles(paths, control),
    };
    const watch = watchIndex(target, { ...options, signal: this.#untilClosed(options.signal) });
    this.#track(watch.then(({ closed }) => closed));
    return watch;
  }

  /**
   * Syncs the index (unless `sync: false`) and compares it with a second one that is built from all session files. With `repair`, the
   * second one replaces an index that differs. Takes as long as `rebuild`. Differences are reported, not thrown.
   *
   * @throws the signal's reason when aborted; PidexError `DATABASE_BUSY`, `DATABASE_UNAVAILABLE`, `FILE_UNREADABLE`
   */
  async verify(options: VerifyOptions = {}): Promise<VerifyReport> {
    requireOptions(options, VERIFY_OPTIONS);
    options.signal?.throwIfAborted();
    const { verify } = await import("../indexer/verify/verify.ts");
    return this.#withFreshIndex(options, (database, building) => verify(database, building));
  }

  /** Runs work that builds a second database. `close` aborts it, and waits until it has removed the files of that database. */
  #withFreshIndex<Options extends { signal?: AbortSignal | undefined }, T>(
    options: Options,
    work: (
      database: Database,
      building: Options & { signal: AbortSignal } & Pick<RebuildOptions, "roots" | "open">,
    ) => Promise<T>,
  ): Promise<T> {
    const open = (path: string) => openDatabase({ path, migrations });
    const signal = this.#untilClosed(options.signal);
    const building = { ...options, signal, roots: this.#roots.current, open };
    const running = this.#database.use((database) => work(database, building));
    this.#track(running);
    return running;
  }

  /** A signal that is also aborted when this index is closed. */
  #untilClosed(signal: AbortSignal | undefined): AbortSignal {
    const closing = this.#closing.signal;
    return signal ? AbortSignal.any([signal, closing]) : closing;
  }

  /** Makes `close` wait until something has ended. */
  #track(running: Promise<unknown>): void {
    this.#running.add(running);
    const onEnd = () => void this.#running.delete(running);
    running.then(onEnd, onEnd);
  }

  /**
   * The lines of a file in a git working tree, each with the session, the call and the prompt behind it where one wrote it, and whether
   * that is certain: docs/blame.md. Runs git, read-only. Sync first: edits that are not indexed are not found.
   *
   * @param file absolute, or relative to the process's working directory
   *
   * @example
   * const { lines, sessions } = await index.blame("src/tax.ts", { from: 10, to: 20 });
   * for (const { line, session, prompt, confidence } of lines) console.log(line, session, prompt, confidence);
   *
   * @throws PidexError `BAD_OPTION`; `NOT_FOUND` for an unknown file or commit; `NOT_A_REPOSITORY`; `BINARY_FILE`; `GIT_FAILED`;
   *   `FILE_CHANGED` if a session file has changed since it was indexed, `FILE_UNREADABLE`
   */
  async blame(file: string, options: BlameOptions & CallOptions = {}): Promise<Blame> {
    requireText(file, "file");
    const { blameFile } = await import("../query/git/blame.ts");
    return this.#queryGit(options, (store, params, signal) => blameFile(store, file, params, signal));
  }

  /**
   * A commit, those of a range, or those with edits of one session, each with the sessions whose edits it contains, the number of lines of each, and what these sessions
   * cost in US dollars. A session in several commits counts in each, and once in the total.
   *
   * @example
   * const { commits, costUsd } = await index.commits({ range: "main..feature" });
   * const { commits: landed } = await index.commits({ session: "@last" });
   *
   * @throws as `blame`
   */
  async commits(options: CommitsOptions & CallOptions = {}): Promise<Commits> {
    const { listCommitSessions } = await import("../query/git/commits.ts");
    return this.#queryGit(options, listCommitSessions);
  }

  /**
   * The files of a git working tree with lines of sessions that are not committed, by session.
   *
   * @example
   * for (const { file, session, lines } of (await index.uncommitted()).files) console.log(file, lines, session);
   *
   * @throws as `blame`
   */
  async uncommitted(options: UncommittedOptions & CallOptions = {}): Promise<Uncommitted> {
    const { listUncommitted } = await import("../query/git/uncommitted.ts");
    return this.#queryGit(options, listUncommitted);
  }

  async #queryGit<O extends object, T>(
    options: O & CallOptions,
    query: (store: Store, options: O, signal?: AbortSignal) => Promise<T>,
  ): Promise<T> {
    requireOptions(options);
    const { signal, ...params } = options;
    signal?.throwIfAborted();
    return this.#source.read((store) => query(store, params as unknown as O, signal), signal);
  }

  /**
   * Searches the session files themselves for a substring or a regular expression (RE2: linear time, no look-around or back-references).
   * Case-sensitive if the pattern contains an upper-case letter. Reads only sessions that match `query` and the filters, newest first,
   * and yields hits as it finds them.
   *
   * @example
   * for await (const hit of index.scan({ regex: "cannot read .* of null" }, { query: "is:error since:30d" })) {
   *   console.log(hit.path, hit.line, hit.snippet.text);
   * }
   *
   * @returns files that changed since they were indexed: some of their hits may be missing
   * @throws PidexError `BAD_QUERY`, `BAD_OPTION`; the signal's reason when aborted
   */
  async *scan(
    pattern: ScanPattern,
    options: ScanOptions & ScanControl = {},
  ): AsyncGenerator<ScanHit, ScanReport> {
    requireOptions(options);
    const { signal, onProgress, ...params } = options;
    const control = { ...(signal && { signal }), ...(onProgress && { onProgress }) };
    const { scanHits } = await import("../query/scan/scan-hits.ts");
    return yield* this.#source.stream((store) => scanHits(store, pattern, params, control), "hits");
  }

  /**
   * Finds likely keys, tokens and passwords in complete session files, and yields them masked.
   *
   * @returns files that could not be read
   * @throws PidexError `BAD_OPTION`, `NOT_FOUND`, `AMBIGUOUS`; the signal's reason when aborted
   */
  async *secrets(
    options: SecretsOptions & SecretsControl = {},
  ): AsyncGenerator<SecretFinding, SecretsReport> {
    requireOptions(options);
    const { signal, onProgress, ...params } = options;
    const control = { ...(signal && { signal }), ...(onProgress && { onProgress }) };
    const { findSecrets } = await import("../query/secrets/find-secrets.ts");
    return yield* this.#source.stream((store) => findSecrets(store, params, control), "findings");
  }

  /**
   * Runs one SELECT over the views of docs/schema.md, which cover the whole database regardless of `roots`. Runs in a separate, read-only
   * process, which is killed if it runs longer than `timeoutMs` or uses more than 512 MB of memory.
   *
   * @example
   * const { columns, rows } = await index.sql("SELECT project, sum(cost_usd) FROM billed_events GROUP BY project");
   * for await (const [project, costUsd] of rows) console.log(project, costUsd);
   *
   * @throws PidexError `BAD_SQL`, `SQL_TIMEOUT`, `BAD_OPTION`, `DATABASE_BUSY`, `DATABASE_UNAVAILABLE`; the signal's
   * reason when aborted. So does iterating.
   */
  async sql(text: string, options: SqlOptions & { signal?: AbortSignal } = {}): Promise<SqlAnswer> {
    requireText(text, "the SQL");
    requireOptions(options);
    const { signal, ...params } = options;
    const { runSql } = await import("../query/sql/run-sql.ts");
    const { snapshots } = this.#source;
    return snapshots.read((database) =>
      runSql(database.path, text, params, {
        ...(signal && { signal }),
        onLateError: (error) => snapshots.toInterruptedError(database, error, "rows"),
      }),
    );
  }

  /** The views that `sql` can query, with their columns. */
  async sqlViews({ signal }: CallOptions = {}): Promise<SqlView[]> {
    const { readViews } = await import("../query/sql/views.ts");
    signal?.throwIfAborted();
    return this.#source.snapshots.read(async ({ readerHandle }) => readViews(readerHandle));
  }

  /** Totals over the whole index: sessions, entries, tokens, cost and more. */
  override async stats(options: CallOptions = {}): Promise<Stats> {
    const { measureDatabase } = await import("../query/stats.ts");
    const { tokens, costUsd, ...counts } = await super.stats(options);
    return { ...counts, ...measureDatabase(this.#database.path), tokens, costUsd };
  }

  /** Ends all watches and closes the database. The index cannot be used afterwards. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#running);
    await this.#database.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
