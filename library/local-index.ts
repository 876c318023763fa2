import type { CandidateFile } from "../indexer/discover.ts";
import type { SyncOptions, SyncReport } from "../indexer/report.ts";
import { sync, syncFiles } from "../indexer/sync.ts";
import type { VerifyOptions } from "../indexer/verify/verify.ts";
import type { VerifyReport } from "../indexer/verify/verify-answer.ts";
import { migrations } from "../migrations/index.ts";
import type { FileProblem, Label, ScanHit, SessionInfo, Stats, TreeEntry } from "../query/answers.ts";
import type { QueryCompletions } from "../query/complete.ts";
import type { LocatedEntry } from "../query/entries.ts";
import type { FileTouchList } from "../query/files.ts";
import type { ForkLocations } from "../query/forks.ts";
import type { SessionList, SessionSummary } from "../query/list.ts";
import type {
  EntriesOptions,
  FilesOptions,
  ListOptions,
  ScanOptions,
  ScanPattern,
  SearchOptions,
} from "../query/options.ts";
import type { Outline } from "../query/outline.ts";
import type { ResolvedSession } from "../query/resolve-session.ts";
import type { ScanControl, ScanReport } from "../query/scan/scan-hits.ts";
import type { FlatSearchResult, SearchResult } from "../query/search/search.ts";
import type { SearchOutcome } from "../query/search/search-outcome.ts";
import type { SecretsControl, SecretsReport } from "../query/secrets/find-secrets.ts";
import type { SecretFinding, SecretsOptions } from "../query/secrets/secret-answers.ts";
import type { SqlAnswer } from "../query/sql/run-sql.ts";
import type { SqlOptions } from "../query/sql/sql-options.ts";
import type { SqlView } from "../query/sql/sql-view.ts";
import type { SessionUsage, UsageEvent, UsageReport } from "../query/usage/usage-answers.ts";
import type { UsageEventsOptions, UsageOptions } from "../query/usage/usage-options.ts";
import { requireEntryId, requireOptions, requireText } from "../src/arguments.ts";
import { badOption } from "../src/errors.ts";
import type { EntryContext } from "../src/session/context.ts";
import type { EntryId } from "../src/session/entries.ts";
import {
  expandPath,
  findInnermostRoot,
  isSessionFileName,
  isSubagentPath,
} from "../src/session/locations.ts";
import type { RestoredSession } from "../src/session/restore-session.ts";
import type { TreeNode } from "../src/session/tree.ts";
import { type Database, openDatabase } from "../src/store/sqlite/open.ts";
import type { ReopeningDatabase } from "../src/store/sqlite/reopening-database.ts";
import { SnapshotReader } from "../src/store/sqlite/snapshot-reader.ts";
import { SqliteStore } from "../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../src/store/store.ts";
import type { CallOptions, ForksOptions } from "./index-options.ts";
import type { IndexRoots } from "./index-roots.ts";
import type { RecentlyTrashed, RestoreOptions, TrashedSessionInfo } from "./session-trash.ts";
import type { IndexWatch, WatchOptions } from "./watch-index.ts";

const SYNC_OPTIONS: (keyof SyncOptions)[] = ["signal", "patienceMs", "onPlan", "onProgress"];
const VERIFY_OPTIONS: (keyof VerifyOptions)[] = ["signal", "repair", "sync", "onProgress", "onSyncProgress"];
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

/**
 * An index whose queries run in the calling thread. Query modules are loaded on first use, to keep start-up fast:
 * docs/decisions/0016-start-up.md.
 */
export class LocalIndex {
  readonly #database: ReopeningDatabase;
  readonly #snapshots: SnapshotReader;
  readonly #roots: IndexRoots;
  readonly #closing = new AbortController();
  /** Watches that have not ended, including those that are starting. */
  readonly #watches = new Set<Promise<void>>();

  /** @internal Use `openIndex`. */
  constructor(database: ReopeningDatabase, roots: IndexRoots, onNotice: (message: string) => void) {
    this.#database = database;
    this.#snapshots = new SnapshotReader(database, async () => {
      const { busy, behind, files } = await this.sync();
      if (busy)
        onNotice(
          `another pidex process is rebuilding the index; ${behind} of ${files} files are not indexed yet`,
        );
    });
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
    const open = (path: string) => openDatabase({ path, migrations });
    return this.#database.use((database) =>
      rebuild(database, { ...options, roots: this.#roots.current, open }),
    );
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
    const closing = this.#closing.signal;
    const signal = options.signal ? AbortSignal.any([options.signal, closing]) : closing;
    const watch = watchIndex(target, { ...options, signal });
    const end = watch.then(({ closed }) => closed);
    this.#watches.add(end);
    const onEnd = () => void this.#watches.delete(end);
    end.then(onEnd, onEnd);
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
    const open = (path: string) => openDatabase({ path, migrations });
    return this.#database.use((database) =>
      verify(database, { ...options, roots: this.#roots.current, open }),
    );
  }

  /**
   * The sessions of a working directory, newest first, as `listAll`.
   *
   * @throws PidexError `BAD_OPTION`, `BAD_CURSOR`
   */
  async list(cwd: string, options: Omit<ListOptions, "cwd"> & CallOptions = {}): Promise<SessionList> {
    requireOptions(options);
    return this.listAll({ ...options, cwd });
  }

  /**
   * The sessions of all working directories, newest first. Archived sessions and subagent sessions are included only on request. Default
   * limit: none.
   *
   * @throws PidexError `BAD_OPTION`, `BAD_CURSOR`
   */
  async listAll(options: ListOptions & CallOptions = {}): Promise<SessionList> {
    const { listSessions } = await import("../query/list.ts");
    return this.#page(options, (db, params) => listSessions(this.#toStore(db), params));
  }

  /**
   * The sessions of `listAll` with fewer properties, and without a total: for lists of thousands.
   *
   * @internal
   * @throws as `listAll`
   */
  async listSummaries(options: ListOptions & CallOptions = {}): Promise<SessionSummary[]> {
    const { listSessionSummaries } = await import("../query/list.ts");
    return (await this.#page(options, (db, params) => listSessionSummaries(this.#toStore(db), params)))
      .sessions;
  }

  /** Finds one session. @throws PidexError `NOT_FOUND`, `AMBIGUOUS` */
  async find(session: string, options: CallOptions = {}): Promise<SessionInfo> {
    return this.#queryForSession(session, options, async (_, { info }) => info);
  }

  /**
   * Searches for sessions by words and fields, in the query language of docs/search.md: `checkout "double tax" role:user`. Searches
   * messages, thinking, tool calls and their output, summaries, names and labels. Sessions with an entry that matches the whole query come
   * first, then sessions in which several entries match it together. If a file with hits has changed since the last sync, syncs and
   * searches again.
   *
   * @example
   * const { sessions, next } = await index.search("rounding -blog file:tax.ts", { limit: 10 });
   * for (const { session, hits } of sessions) console.log(session.path, hits[0]?.snippet.text);
   * if (next) await index.search("rounding -blog file:tax.ts", { limit: 10, cursor: next });
   *
   * @throws PidexError `BAD_QUERY`, `BAD_OPTION`, `BAD_CURSOR`; `NOT_FOUND` for `session:@last` if there are no sessions
   */
  async search(query: string, options: SearchOptions & CallOptions = {}): Promise<SearchResult> {
    const { searchSessions } = await import("../query/search/search.ts");
    return this.#searchUpToDate(query, options, searchSessions);
  }

  /** Searches as `search` does, but returns a flat list of entries instead of sessions. @throws as `search` */
  async searchEntries(query: string, options: SearchOptions & CallOptions = {}): Promise<FlatSearchResult> {
    const { searchEntries } = await import("../query/search/search.ts");
    return this.#searchUpToDate(query, options, searchEntries);
  }

  /**
   * Completions for a search query at the cursor: field names, and the field's values in the index.
   *
   * @param at cursor position, in UTF-16 code units. Default: the end of the query
   *
   * @example
   * await index.complete("checkout proj"); // { from: 9, options: [{ text: "project:" }] }
   * await index.complete("project:s"); // { from: 8, options: [{ text: "shop", sessions: 9 }] }
   */
  async complete(query: string, at?: number, options: CallOptions = {}): Promise<QueryCompletions> {
    requireText(query, "query");
    if (at !== undefined && !(Number.isInteger(at) && at >= 0)) {
      throw badOption(
        "at must be a non-negative integer",
        "Pass the cursor position, or omit it for the end of the query.",
      );
    }
    const { completeQuery } = await import("../query/complete.ts");
    return this.#query(options, (db) => completeQuery(this.#toStore(db), query, at));
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
    return yield* this.#snapshots.stream(
      (db) => scanHits(this.#toStore(db), pattern, params, control),
      "hits",
    );
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
    return yield* this.#snapshots.stream((db) => findSecrets(this.#toStore(db), params, control), "findings");
  }

  async #searchUpToDate<T extends SearchOutcome>(
    query: string,
    options: SearchOptions & CallOptions,
    search: (store: Store, query: string, options: SearchOptions) => Promise<T>,
  ): Promise<T> {
    requireText(query, "query");
    requireOptions(options);
    const { sync, signal } = options;
    const searchOnce = () => this.#page(options, (db, params) => search(this.#toStore(db), query, params));
    const result = await searchOnce();
    if (result.changedFiles.length === 0 || sync === false) return result;
    await this.sync(signal ? { signal } : {});
    return searchOnce();
  }

  /**
   * The sessions that read, wrote, edited or otherwise touched files matching a pattern, with the entries that did; most recent touch
   * first. A pattern is a path, the end of a path (`tax.ts`, `src/tax.ts`), a folder (`src/`), or a glob (`*.py`): docs/cli.md. Includes
   * subagent sessions.
   *
   * @throws PidexError `BAD_OPTION`, `BAD_CURSOR`
   */
  async files(pattern: string, options: FilesOptions & CallOptions = {}): Promise<FileTouchList> {
    const { listFileTouches } = await import("../query/files.ts");
    return this.#page(options, (db, params) => listFileTouches(this.#toStore(db), pattern, params));
  }

  /** The entries of a session as a tree: roots with their children, in order of time. @throws as `find` */
  async tree(session: string, options: CallOptions = {}): Promise<TreeNode<TreeEntry>[]> {
    return this.#queryForSession(session, options, (await import("../query/tree.ts")).readSessionTree);
  }

  /** The entries of a session as a flat list with their tree properties, in file order. @throws as `find` */
  async treeEntries(session: string, options: CallOptions = {}): Promise<TreeEntry[]> {
    return this.#queryForSession(session, options, (await import("../query/tree.ts")).readTreeEntries);
  }

  /** Same as `treeEntries`, in columns: for sessions with hundreds of thousands of entries. @throws as `find` */
  async outline(session: string, options: CallOptions = {}): Promise<Outline> {
    const { readSessionOutline } = await import("../query/outline.ts");
    return this.#queryForSession(session, options, readSessionOutline);
  }

  /**
   * Where a session branched off its parent session, and where its newest forks branched off it: the last entry that both contain.
   *
   * @throws as `find`
   */
  async forks(session: string, options: ForksOptions & CallOptions = {}): Promise<ForkLocations> {
    requireOptions(options);
    const { limit = 30 } = options;
    if (!Number.isSafeInteger(limit) || limit < 0) {
      throw badOption(
        "limit must be a non-negative integer",
        "Pass the maximum number of forks, or omit it for 30.",
      );
    }
    const { findForkLocations } = await import("../query/forks.ts");
    return this.#queryForSession(session, options, (store, found) => findForkLocations(store, found, limit));
  }

  /**
   * The entries from the root to `entryId`, or to the last entry.
   *
   * @throws as `find`, and `NOT_FOUND` for an unknown entry
   */
  async branch(session: string, entryId?: EntryId, options: CallOptions = {}): Promise<TreeEntry[]> {
    if (entryId !== undefined) requireEntryId(entryId);
    const { readBranchEntries } = await import("../query/tree.ts");
    return this.#queryForSession(session, options, (store, found) =>
      readBranchEntries(store, found, entryId),
    );
  }

  /** The direct children of an entry. @throws as `find`, and `NOT_FOUND` for an unknown entry */
  async children(session: string, entryId: EntryId, options: CallOptions = {}): Promise<TreeEntry[]> {
    requireEntryId(entryId);
    const { readChildEntries } = await import("../query/tree.ts");
    return this.#queryForSession(session, options, (store, found) => readChildEntries(store, found, entryId));
  }

  /** The current labels of one session or of all sessions, newest first. @throws as `find` */
  async labels(session?: string, options: CallOptions = {}): Promise<Label[]> {
    const { listLabels } = await import("../query/labels.ts");
    if (session === undefined) return this.#query(options, (db) => listLabels(this.#toStore(db)));
    return this.#queryForSession(session, options, (store, { fileId }) => listLabels(store, fileId));
  }

  /** The problems found in one session file or in all files, including files that are not sessions. */
  async problems(session?: string, options: CallOptions = {}): Promise<FileProblem[]> {
    const { listProblems } = await import("../query/problems.ts");
    if (session === undefined) return this.#query(options, (db) => listProblems(this.#toStore(db)));
    return this.#queryForSession(session, options, (store, { fileId }) => listProblems(store, fileId));
  }

  /**
   * Reads the entries of a session from its file: the current branch, the path to one entry (`{branch: {leaf}}`), all entries
   * (`{branch: "all"}`), or those on some lines (`{branch: {lines}}`). Entries of old versions are upgraded.
   *
   * @throws as `find`; `FILE_UNREADABLE`; `FILE_CHANGED` if the file has changed since it was indexed
   */
  async *entries(session: string, options: EntriesOptions & CallOptions = {}): AsyncGenerator<LocatedEntry> {
    requireOptions(options);
    const { signal, ...params } = options;
    const { readEntries } = await import("../query/entries.ts");
    // Only the first entry needs the database; the rest come from the file.
    const { first, rest } = await this.#queryForSession(session, options, async (store, found) => {
      const rest = readEntries(store, found, params);
      return { first: await rest.next(), rest };
    });
    try {
      for (let next = first; !next.done; next = await rest.next()) {
        signal?.throwIfAborted();
        yield next.value;
      }
    } finally {
      await rest.return(undefined);
    }
  }

  /** Reads one entry from the file. @throws as `entries` */
  async entry(session: string, entryId: EntryId, options: CallOptions = {}): Promise<LocatedEntry> {
    requireEntryId(entryId);
    const { readEntry } = await import("../query/entries.ts");
    return this.#queryForSession(session, options, (store, found) => readEntry(store, found, entryId));
  }

  /**
   * The context that pi 1.5 sends to the model at an entry: messages, thinking level, model.
   *
   * @param leafId undefined for the last entry, null for an empty context
   * @throws as `entries`
   */
  async context(session: string, leafId?: EntryId | null, options: CallOptions = {}): Promise<EntryContext> {
    if (leafId !== undefined && leafId !== null) requireEntryId(leafId);
    const { readContext } = await import("../query/entries.ts");
    return this.#queryForSession(session, options, (store, found) => readContext(store, found, leafId));
  }

  /**
   * Token usage and cost, in total and broken down by one or two dimensions: hour, day, week, month, weekday, hour-of-day, model,
   * provider, project, session, tool, agent, kind, branch, stop. Every billable event counts once, however many forks contain a copy of it:
   * docs/usage.md.
   *
   * @example
   * const { rows, total } = await index.usage({ by: ["month", "model"], since: "2026-01-01", timeZone: "Europe/Berlin" });
   * for (const { key, costUsd } of rows) console.log(key.month, key.model, costUsd.toFixed(2));
   * console.log(total.costUsd, total.cacheHitRate);
   *
   * @throws PidexError `BAD_OPTION`; as `find` for a `session`
   */
  async usage(options: UsageOptions & CallOptions = {}): Promise<UsageReport> {
    requireOptions(options);
    const { signal, ...params } = options;
    const { usage } = await import("../query/usage/usage.ts");
    return this.#query({ signal }, (db) => usage(this.#toStore(db), params));
  }

  /**
   * The cost of one session: its own, that of its subagents and forks, and that of entries it only has copies of.
   *
   * @throws as `find`
   */
  async spend(session: string, options: CallOptions = {}): Promise<SessionUsage> {
    requireText(session, "session");
    const { sessionUsage } = await import("../query/usage/session-usage.ts");
    return this.#query(options, (db) => sessionUsage(this.#toStore(db), session));
  }

  /**
   * The billable events behind the totals of `usage` with the same options, in order of time, each with path and line. User messages, which
   * cost nothing, are included only with `kind: "user"`.
   *
   * @throws as `usage`; `FILE_CHANGED` if files were indexed again during iteration
   */
  async *usageEvents(options: UsageEventsOptions & CallOptions = {}): AsyncGenerator<UsageEvent> {
    requireOptions(options);
    const { signal, ...params } = options;
    const { usageEvents } = await import("../query/usage/usage-events.ts");
    signal?.throwIfAborted();
    for await (const event of this.#snapshots.stream(
      (db) => usageEvents(this.#toStore(db), params),
      "events",
    )) {
      signal?.throwIfAborted();
      yield event;
    }
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
    return this.#snapshots.read((database) =>
      runSql(database.path, text, params, {
        ...(signal && { signal }),
        onLateError: (error) => this.#snapshots.toInterruptedError(database, error, "rows"),
      }),
    );
  }

  /** The views that `sql` can query, with their columns. */
  async sqlViews({ signal }: CallOptions = {}): Promise<SqlView[]> {
    const { readViews } = await import("../query/sql/views.ts");
    signal?.throwIfAborted();
    return this.#snapshots.read(async ({ readerHandle }) => readViews(readerHandle));
  }

  /** Totals over the whole index: sessions, entries, tokens, cost and more. */
  async stats(options: CallOptions = {}): Promise<Stats> {
    const [{ readIndexStats }, { usage }] = await Promise.all([
      import("../query/stats.ts"),
      import("../query/usage/usage.ts"),
    ]);
    return this.#query(options, async (db) => {
      const [counted, { total }] = await Promise.all([
        readIndexStats(this.#toStore(db), this.#database.path),
        usage(this.#toStore(db)),
      ]);
      const { input, output, cacheRead, cacheWrite, reasoning } = total.tokens;
      const tokens = { input, output, cacheRead, cacheWrite, reasoning };
      return { ...counted, tokens, costUsd: total.costUsd };
    });
  }

  /** Ends all watches and closes the database. The index cannot be used afterwards. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#watches);
    await this.#database.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #toStore(db: Database["reader"]): SqliteStore {
    return new SqliteStore(db, this.#scope);
  }

  get #scope() {
    return { roots: this.#roots.current };
  }

  async #query<T>({ signal }: CallOptions, query: (db: Database["reader"]) => Promise<T>): Promise<T> {
    signal?.throwIfAborted();
    return this.#snapshots.read(({ reader }) => query(reader));
  }

  /** Queries one page of a result. @throws PidexError `BAD_CURSOR` */
  async #page<O extends { cursor?: string | undefined }, A extends { next?: string }>(
    options: O & CallOptions,
    query: (db: Database["reader"], options: O) => Promise<A>,
  ): Promise<A> {
    requireOptions(options);
    const { signal, ...params } = options;
    signal?.throwIfAborted();
    return this.#snapshots.readPage(params as unknown as O, query);
  }

  /** Finds a session and runs a query about it. @throws PidexError `NOT_FOUND`, `AMBIGUOUS` */
  async #queryForSession<T>(
    session: string,
    options: CallOptions,
    query: (store: Store, found: ResolvedSession) => Promise<T>,
  ): Promise<T> {
    requireText(session, "session");
    requireOptions(options);
    const { resolveSession } = await import("../query/resolve-session.ts");
    return this.#query(options, async (db) => {
      const store = this.#toStore(db);
      return query(store, await resolveSession(store, session));
    });
  }
}
