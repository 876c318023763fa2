import type { SyncOptions, SyncReport } from "../indexer/report.ts";
import { sync, syncFiles } from "../indexer/sync.ts";
import type { VerifyOptions, VerifyReport } from "../indexer/verify/verify.ts";
import { migrations } from "../migrations/index.ts";
import type { FileProblem, Label, ScanHit, SessionInfo, Stats, TreeEntry } from "../query/answers.ts";
import type { QueryCompletions } from "../query/complete.ts";
import type { PlacedEntry } from "../query/entries.ts";
import type { FileTouchList } from "../query/files.ts";
import type { FoundSession } from "../query/find.ts";
import type { ForkPlaces } from "../query/forks.ts";
import type { BriefSession, SessionList } from "../query/list.ts";
import type {
  EntriesOptions,
  FilesOptions,
  ListOptions,
  ScanOptions,
  ScanPattern,
  SearchOptions,
} from "../query/options.ts";
import type { Outline } from "../query/outline.ts";
import type { ScanControl, ScanReport } from "../query/scan/scan-hits.ts";
import type { FlatSearchResult, SearchResult } from "../query/search/search.ts";
import type { SecretsControl, SecretsReport } from "../query/secrets/find-secrets.ts";
import type { SecretFinding, SecretsOptions } from "../query/secrets/secret-answers.ts";
import type { SqlAnswer } from "../query/sql/run-sql.ts";
import type { SqlOptions } from "../query/sql/sql-options.ts";
import type { SqlView } from "../query/sql/sql-view.ts";
import type { Spend, UsageEvent, UsageReport } from "../query/usage/usage-answers.ts";
import type { UsageEventsOptions, UsageOptions } from "../query/usage/usage-options.ts";
import { requireEntryId, requireOptions, requireText } from "../src/arguments.ts";
import { badOption } from "../src/errors.ts";
import { once } from "../src/once.ts";
import { noticeUpgrade } from "../src/same-build.ts";
import type { EntryContext } from "../src/session/context.ts";
import type { EntryId } from "../src/session/entries.ts";
import { expandPath, isSessionFileName, isSubagentPath, nearestRoot } from "../src/session/locations.ts";
import type { Restored } from "../src/session/restore-session.ts";
import type { TreeNode } from "../src/session/tree.ts";
import { Asking } from "../src/store/sqlite/asking.ts";
import { LiveDatabase } from "../src/store/sqlite/live.ts";
import { databasePath } from "../src/store/sqlite/locations.ts";
import { type Database, openDatabase } from "../src/store/sqlite/open.ts";
import { IndexRoots } from "./index-roots.ts";
import type { JustTrashed, RestoreOptions, TrashedSessionInfo } from "./session-trash.ts";
import type { IndexWatch, WatchOptions } from "./watch-index.ts";

// What answers is loaded when it is first asked: nobody waits for what he does not use (docs/decisions/0016-start-up.md).
const load = {
  complete: once(() => import("../query/complete.ts")),
  entries: once(() => import("../query/entries.ts")),
  files: once(() => import("../query/files.ts")),
  find: once(() => import("../query/find.ts")),
  labels: once(() => import("../query/labels.ts")),
  list: once(() => import("../query/list.ts")),
  scan: once(() => import("../query/scan/scan-hits.ts")),
  search: once(() => import("../query/search/search.ts")),
  secrets: once(() => import("../query/secrets/find-secrets.ts")),
  sql: once(() => import("../query/sql/run-sql.ts")),
  stats: once(() => import("../query/stats.ts")),
  trash: once(() => import("./session-trash.ts")),
  tree: once(() => import("../query/tree.ts")),
  usage: once(() => import("../query/usage/usage.ts")),
};

export interface OpenIndexOptions {
  /** The database file, which is created where there is none. Default: `$PIDEX_DB`, else `pidex/index.db` in the user's cache folder. */
  db?: string;
  /**
   * Folders with sessions, each with all folders below it. Default: `$PIDEX_ROOTS` (separated like `$PATH`), else where pi,
   * Atomic and their subagents keep them.
   *
   * @example
   * await openIndex({ roots: ["~/.pi/agent/sessions"] });
   */
  roots?: readonly string[];
  /**
   * Megabytes of the database that each of two handles may keep in memory.
   *
   * @default 32
   */
  cacheMb?: number;
  /**
   * Whether the index works in a thread of its own: its methods never block the caller, and a thread that ends is replaced at the next
   * call. Callbacks run slightly later, `onProgress` at most every 50 ms, and what they return is ignored.
   */
  isolated?: boolean;
  /** Called with a sentence about what pidex did by itself: a broken database moved aside, settings that could not be read. */
  onNotice?: (message: string) => void;
}

export interface ForksOptions {
  /** Maximum number of forks, newest first. @default 30 */
  limit?: number;
}

noticeUpgrade(import.meta.filename); // when the module loads, not when the first index is opened

/**
 * Every method takes a `signal` among its options. Work that is done in slices (sync, scans, streams of entries) stops between two of them;
 * other work is not started once the signal is aborted. Both reject with the signal's reason.
 */
export interface CallOptions {
  signal?: AbortSignal | undefined;
}

/**
 * Opens the index, and makes it where there is none. Answers come from what was indexed last: call `sync` first,
 * it costs little when little is new.
 *
 * @throws PidexError `NODE_TOO_OLD`, `DATABASE_UNAVAILABLE`, `DATABASE_BUSY`, `FOREIGN_DATABASE`,
 * `MIGRATION_FAILED`
 */
export async function openIndex(options: OpenIndexOptions = {}): Promise<Index> {
  requireOptions(options);
  if (options.db !== undefined) requireText(options.db, "db");
  if (options.roots !== undefined && !Array.isArray(options.roots)) {
    throw badOption("roots must be an array", "Give the folders to look for sessions in.");
  }
  for (const root of options.roots ?? []) requireText(root, "a root");
  const { isolated, onNotice = () => {}, cacheMb } = options;
  if (isolated) {
    const { openIsolatedIndex } = await import("./isolated-index.ts");
    return openIsolatedIndex(options);
  }
  const path = expandPath(options.db ?? databasePath());
  const roots = new IndexRoots(options.roots, onNotice);
  return new LocalIndex(await LiveDatabase.open({ path, migrations, onNotice, cacheMb }), roots, onNotice);
}

/** What `openIndex` opens: see `LocalIndex` for its methods, which an isolated index has as well. */
export interface Index extends Pick<LocalIndex, keyof LocalIndex> {}

/**
 * An open index. Methods return promises, and yet most of their work is synchronous: SQLite runs in the calling thread, which waits
 * for it. See docs/library.md.
 *
 * `session` is always one of: the path of a session file, a session's id, the start of an id
 * that no other session has, or `@last`.
 *
 * All times are Dates, or ISO strings in UTC; offsets and lengths are bytes; lines count from 1.
 */
export class LocalIndex {
  readonly #database: LiveDatabase;
  readonly #asking: Asking;
  readonly #roots: IndexRoots;
  readonly #closing = new AbortController();
  /** The watches that have not ended, those that are beginning too. */
  readonly #watches = new Set<Promise<void>>();

  /** @internal Use `openIndex`. */
  constructor(database: LiveDatabase, roots: IndexRoots, onNotice: (message: string) => void) {
    this.#database = database;
    this.#asking = new Asking(database, async () => {
      const { busy, behind, files } = await this.sync();
      if (busy) onNotice(`another pidex is building a new index: answers lack ${behind} of ${files} files`);
    });
    this.#roots = roots;
  }

  /** The database file. */
  get path(): string {
    return this.#database.path;
  }

  /**
   * Whether a link leads from this path, or from a folder above it, to somewhere outside the roots. Sessions there are read, as pi
   * reads them. Before something is written to a session that others may have put there, ask this: `SessionManager` writes wherever
   * a path leads.
   */
  leadsOutside(path: string): boolean {
    return this.#roots.leadsOutside(path);
  }

  /**
   * What the real paths of the roots' files begin with: for `SessionManager`'s option `within`, which holds also where a folder is
   * replaced by a link after `leadsOutside` was asked. Looked up when first needed, and again after each `sync` or `refreshRoots`.
   */
  realRoots(): readonly string[] {
    return this.#roots.realPrefixes;
  }

  /** The sessions in the trash that lay below the roots, the last deleted first. */
  async listTrashed({ signal }: CallOptions = {}): Promise<TrashedSessionInfo[]> {
    const { listTrashedIn } = await load.trash();
    signal?.throwIfAborted();
    return listTrashedIn(this.#roots.current);
  }

  /**
   * Brings back a session that lay below the roots, as `SessionManager.restore` does. Sync its path afterwards.
   *
   * @throws as `SessionManager.restore`
   */
  async restore(path: string, options: Pick<RestoreOptions, "dryRun"> & CallOptions = {}): Promise<Restored> {
    requireText(path, "a path");
    requireOptions(options);
    const { signal, ...asked } = options;
    const { restoreIn } = await load.trash();
    signal?.throwIfAborted();
    return restoreIn(this.#roots.current, path, asked);
  }

  /** Whether `listTrashed` has a session that was just moved to the trash: a `trash` command may leave no note of it. */
  async isRestorable(trashed: JustTrashed, { signal }: CallOptions = {}): Promise<boolean> {
    const { isRestorable } = await load.trash();
    signal?.throwIfAborted();
    return isRestorable(this.#roots.current, trashed);
  }

  /**
   * Looks for folders of agents that have come since, as `sync` does, where no roots were given. For an index that
   * another process or thread syncs.
   */
  refreshRoots(): void {
    this.#roots.refresh();
  }

  /** The folders that are looked at, whether they exist or not. */
  get roots(): string[] {
    return this.#roots.folders;
  }

  /**
   * Reads what is new in the session files, and only that; forgets deleted ones. Where no roots were given, looks for those
   * of agents that have come since. Safe at any time and in any number of
   * processes: one of them does the work, and the others wait for it for `patienceMs`, or report `busy` and how many files
   * are behind. A database that turns out to be broken is moved aside and built anew.
   *
   * @throws PidexError `DATABASE_UNAVAILABLE`, on a full disk for one; the signal's reason when aborted. What was done until
   * then stays
   */
  async sync(options: SyncOptions = {}): Promise<SyncReport> {
    requireOptions(options);
    options.signal?.throwIfAborted();
    this.refreshRoots();
    return this.#database.use((database) => sync(database, { ...options, roots: this.#roots.current }));
  }

  /**
   * Brings the index up to these session files alone, which were written to, are new, were replaced or deleted: no folder
   * is walked. After a rename, sync both paths. A path that `sync` would not look at (below none of the roots, or without a
   * session's name) is left alone. Where the database turns out to be broken, or is another, everything is synced.
   *
   * @throws as `sync`
   */
  async syncFiles(paths: readonly string[], options: SyncOptions = {}): Promise<SyncReport> {
    if (!Array.isArray(paths)) throw badOption("paths must be an array", "Give the paths of session files.");
    for (const path of paths) requireText(path, "a path");
    requireOptions(options);
    options.signal?.throwIfAborted();
    const files = [...new Set(paths.map((path) => expandPath(path)))].flatMap((path) => {
      const root = nearestRoot(path, this.#roots.current);
      if (!root || !isSessionFileName(path)) return [];
      const outside = this.leadsOutside(path) || undefined;
      return [{ path, subagent: isSubagentPath(path, root) ? (1 as const) : (0 as const), outside }];
    });
    let whole: SyncReport | undefined;
    return this.#database.use(
      async (database) => whole ?? syncFiles(database, files, options),
      async () => {
        whole = await this.sync(options);
      },
    );
  }

  /** Brings the index up to one session file alone. @throws as `syncFiles` */
  syncFile(path: string, options: SyncOptions = {}): Promise<SyncReport> {
    return this.syncFiles([path], options);
  }

  /**
   * Builds the index anew from the files, beside the one there is, and puts it in its place in one transaction, while others
   * go on reading. What other roots the database knows of is read again too. Takes as long as a first index, and as much
   * room again.
   *
   * @throws as `sync`, `FILE_UNREADABLE` for a folder with indexed sessions that cannot be looked into, and `DATABASE_BUSY`
   * when another sync goes on for longer than `patienceMs` (default: no end); then the index is as it was
   */
  async rebuild(options: SyncOptions = {}): Promise<SyncReport> {
    requireOptions(options);
    options.signal?.throwIfAborted();
    const { rebuild } = await import("../indexer/rebuild.ts");
    const open = (path: string) => openDatabase({ path, migrations });
    return this.#database.use((database) =>
      rebuild(database, { ...options, roots: this.#roots.current, open }),
    );
  }

  /**
   * Syncs everything, and from then on what changes, as soon as it does, until it is closed or the signal comes. What fails
   * is told by `onProblem`, and tried again. Any number of processes may watch at once.
   *
   * @example
   * await using watch = await index.watch({ onSynced: (report, { ms }) => console.log(report.appended, ms) });
   *
   * @throws PidexError `BAD_OPTION`; the signal's reason when aborted before all was synced once
   */
  async watch(options: WatchOptions = {}): Promise<IndexWatch> {
    requireOptions(options);
    const { watchIndex } = await import("./watch-index.ts");
    const target = {
      roots: () => this.#roots.current,
      sync: (control: SyncOptions) => this.sync(control),
      syncFiles: (paths: readonly string[], control: SyncOptions) => this.syncFiles(paths, control),
    };
    const closing = this.#closing.signal;
    const signal = options.signal ? AbortSignal.any([options.signal, closing]) : closing;
    const beginning = watchIndex(target, { ...options, signal });
    const ending = beginning.then(({ closed }) => closed);
    this.#watches.add(ending);
    const ended = () => void this.#watches.delete(ending);
    ending.then(ended, ended);
    return beginning;
  }

  /**
   * Brings the index up to date (`sync: false` does not) and compares it with one that is built beside it from all session
   * files. With `repair`, that one replaces an index that differs. Takes as long as `rebuild`. Differences are no errors.
   *
   * @throws the signal's reason when aborted; PidexError `DATABASE_BUSY`, `DATABASE_UNAVAILABLE`, `FILE_UNREADABLE`
   */
  async verify(options: VerifyOptions = {}): Promise<VerifyReport> {
    requireOptions(options);
    options.signal?.throwIfAborted();
    const { verify } = await import("../indexer/verify/verify.ts");
    const open = (path: string) => openDatabase({ path, migrations });
    return this.#database.use((database) =>
      verify(database, { ...options, roots: this.#roots.current, open }),
    );
  }

  /**
   * The sessions of a working directory, newest first; archived ones only if asked for.
   *
   * @throws PidexError `BAD_OPTION`, `BAD_CURSOR`
   */
  async list(cwd: string, options: Omit<ListOptions, "cwd"> & CallOptions = {}): Promise<SessionList> {
    requireOptions(options);
    return this.listAll({ ...options, cwd });
  }

  /**
   * The sessions of all working directories, newest first; archived ones and those of subagents only if asked for.
   * Without a `limit` all of them.
   *
   * @throws PidexError `BAD_OPTION`, `BAD_CURSOR`
   */
  async listAll(options: ListOptions & CallOptions = {}): Promise<SessionList> {
    const { listSessions } = await load.list();
    return this.#page(options, (db, asked) => listSessions(db, this.#scope, asked));
  }

  /**
   * The sessions of `listAll`, told briefly, and without how many there are: for who shows thousands at once.
   *
   * @internal
   * @throws as `listAll`
   */
  async listBriefly(options: ListOptions & CallOptions = {}): Promise<BriefSession[]> {
    const { listBriefly } = await load.list();
    return (await this.#page(options, (db, asked) => listBriefly(db, this.#scope, asked))).sessions;
  }

  /** One session. @throws PidexError `NOT_FOUND`, `AMBIGUOUS` */
  async find(session: string, options: CallOptions = {}): Promise<SessionInfo> {
    return this.#askOf(session, options, async (_, { info }) => info);
  }

  /**
   * Finds sessions by words and fields, in the language of docs/search.md: `checkout "double tax" role:user`.
   * First those with an entry that holds all of it, then those whose entries do together. Searches messages,
   * thinking, tool calls and their output, summaries, names and labels. A file that changed since the last sync
   * is synced and searched again.
   *
   * @example
   * const { sessions, next } = await index.search("rounding -blog file:tax.ts", { limit: 10 });
   * for (const { session, hits } of sessions) console.log(session.path, hits[0]?.snippet.text);
   * if (next) await index.search("rounding -blog file:tax.ts", { limit: 10, cursor: next });
   *
   * @throws PidexError `BAD_QUERY`, `BAD_OPTION`, `BAD_CURSOR`; `NOT_FOUND` for `session:@last` where there is none
   */
  async search(query: string, options: SearchOptions & CallOptions = {}): Promise<SearchResult> {
    requireText(query, "query");
    requireOptions(options);
    return this.#searchUpToDate(options, async () => {
      const { searchSessions } = await load.search();
      return this.#page(options, (db, asked) => searchSessions(db, this.#scope, query, asked));
    });
  }

  /** Finds entries as `search` does, one by one instead of by session. @throws as `search` */
  async searchEntries(query: string, options: SearchOptions & CallOptions = {}): Promise<FlatSearchResult> {
    requireText(query, "query");
    requireOptions(options);
    return this.#searchUpToDate(options, async () => {
      const { searchEntries } = await load.search();
      return this.#page(options, (db, asked) => searchEntries(db, this.#scope, query, asked));
    });
  }

  /**
   * What could stand in a query of `search` where the cursor is: the names of fields, and values of theirs that sessions have.
   *
   * @param at where the cursor is, in UTF-16 units; at the end unless told
   *
   * @example
   * await index.complete("checkout proj"); // { from: 9, options: [{ text: "project:" }] }
   * await index.complete("project:s"); // { from: 8, options: [{ text: "shop", sessions: 9 }] }
   */
  async complete(query: string, at?: number, options: CallOptions = {}): Promise<QueryCompletions> {
    requireText(query, "query");
    if (at !== undefined && !(Number.isInteger(at) && at >= 0)) {
      throw badOption("at must be a whole number from 0", "Give the place of the cursor, or leave it out.");
    }
    const { completeQuery } = await load.complete();
    return this.#ask(options, (db) => completeQuery(db, this.#scope, query, at));
  }

  /**
   * Finds a text, or a regular expression (RE2's: linear in time, without look-around and back-references), in the
   * session files themselves: what words cannot tell. Case counts when the pattern has an upper-case letter. Reads
   * what `query` and the filters leave, the newest sessions first, and yields hits as it finds them.
   *
   * @example
   * for await (const hit of index.scan({ regex: "cannot read .* of null" }, { query: "is:error since:30d" })) {
   *   console.log(hit.path, hit.line, hit.snippet.text);
   * }
   *
   * @returns files that changed since they were indexed, whose hits may be missing
   * @throws PidexError `BAD_QUERY`, `BAD_OPTION`; the signal's reason when aborted
   */
  async *scan(
    pattern: ScanPattern,
    asked: ScanOptions & ScanControl = {},
  ): AsyncGenerator<ScanHit, ScanReport> {
    requireOptions(asked);
    const { signal, onProgress, ...options } = asked;
    const control = { ...(signal && { signal }), ...(onProgress && { onProgress }) };
    const { scanHits } = await load.scan();
    return yield* this.#asking.stream((db) => scanHits(db, this.#scope, pattern, options, control), "hits");
  }

  /**
   * Finds likely keys, tokens and passwords in session files, all of what stands there, and yields them masked.
   *
   * @returns files that could not be read
   * @throws PidexError `BAD_OPTION`, `NOT_FOUND`, `AMBIGUOUS`; the signal's reason when aborted
   */
  async *secrets(
    options: SecretsOptions & SecretsControl = {},
  ): AsyncGenerator<SecretFinding, SecretsReport> {
    requireOptions(options);
    const { signal, onProgress, ...asked } = options;
    const control = { ...(signal && { signal }), ...(onProgress && { onProgress }) };
    const { findSecrets } = await load.secrets();
    return yield* this.#asking.stream((db) => findSecrets(db, this.#scope, asked, control), "findings");
  }

  async #searchUpToDate<T extends { changedFiles: string[] }>(
    { sync, signal }: SearchOptions & CallOptions,
    ask: () => Promise<T>,
  ): Promise<T> {
    const found = await ask();
    if (found.changedFiles.length === 0 || sync === false) return found;
    await this.sync(signal ? { signal } : {});
    return ask();
  }

  /**
   * Which sessions read, wrote, edited or otherwise touched the files a pattern means, with the entries that say so;
   * the session that did so last comes first. A pattern is a path, the end of one (`tax.ts`, `src/tax.ts`), a
   * folder (`src/`), or a glob (`*.py`): docs/cli.md. Sessions of subagents are among them.
   *
   * @throws PidexError `BAD_OPTION`, `BAD_CURSOR`
   */
  async files(pattern: string, options: FilesOptions & CallOptions = {}): Promise<FileTouchList> {
    const { filesTouched } = await load.files();
    return this.#page(options, (db, asked) => filesTouched(db, this.#scope, pattern, asked));
  }

  /** The entries of a session as a tree: roots with their children, by time. @throws as `find` */
  async tree(session: string, options: CallOptions = {}): Promise<TreeNode<TreeEntry>[]> {
    return this.#askOf(session, options, (await load.tree()).sessionTree);
  }

  /** The entries of a session as rows of its tree, in file order. @throws as `find` */
  async treeEntries(session: string, options: CallOptions = {}): Promise<TreeEntry[]> {
    return this.#askOf(session, options, (await load.tree()).treeEntries);
  }

  /** The same in columns, for who has to do with hundreds of thousands of entries at once. @throws as `find` */
  async outline(session: string, options: CallOptions = {}): Promise<Outline> {
    const { sessionOutline } = await import("../query/outline.ts");
    return this.#askOf(session, options, (db, found) => sessionOutline(db, this.#scope, found));
  }

  /**
   * Where a session came off the one it was forked from, and where its newest forks came off it: the last entry that both
   * hold. Of forks, `limit` at the most are told; without one, 30.
   *
   * @throws as `find`
   */
  async forks(session: string, options: ForksOptions & CallOptions = {}): Promise<ForkPlaces> {
    requireOptions(options);
    const { limit = 30 } = options;
    if (!Number.isSafeInteger(limit) || limit < 0) {
      throw badOption("limit must be a whole number from 0", "Say how many forks to list, or leave it out.");
    }
    const { forkPlaces } = await import("../query/forks.ts");
    return this.#askOf(session, options, (db, found) => forkPlaces(db, this.#scope, found, limit));
  }

  /**
   * The entries from the root to `entryId`, or to the last entry.
   *
   * @throws as `find`, and `NOT_FOUND` for an unknown entry
   */
  async branch(session: string, entryId?: EntryId, options: CallOptions = {}): Promise<TreeEntry[]> {
    if (entryId !== undefined) requireEntryId(entryId);
    const { branchEntries } = await load.tree();
    return this.#askOf(session, options, (db, found) => branchEntries(db, found, entryId));
  }

  /** The entries that hang directly from one. @throws as `find`, and `NOT_FOUND` for an unknown entry */
  async children(session: string, entryId: EntryId, options: CallOptions = {}): Promise<TreeEntry[]> {
    requireEntryId(entryId);
    const { childEntries } = await load.tree();
    return this.#askOf(session, options, (db, found) => childEntries(db, found, entryId));
  }

  /** The labels in force, newest first: of one session, or of all. @throws as `find` */
  async labels(session?: string, options: CallOptions = {}): Promise<Label[]> {
    const { listLabels } = await load.labels();
    if (session === undefined) return this.#ask(options, (db) => listLabels(db, this.#scope));
    return this.#askOf(session, options, (db, { fileId }) => listLabels(db, this.#scope, fileId));
  }

  /** What is wrong in session files: of one session, or of all, files that are no session included. */
  async problems(session?: string, options: CallOptions = {}): Promise<FileProblem[]> {
    const { listProblems } = await load.labels();
    if (session === undefined) return this.#ask(options, (db) => listProblems(db, this.#scope));
    return this.#askOf(session, options, (db, { fileId }) => listProblems(db, this.#scope, fileId));
  }

  /**
   * The entries of a session one after the other, read from its file: on the current branch, on the path to one
   * entry (`{branch: {leaf}}`), or all (`{branch: "all"}`). Old versions come upgraded.
   *
   * @throws as `find`; `FILE_UNREADABLE`; `FILE_CHANGED` when the file is no longer what was indexed
   */
  async *entries(session: string, options: EntriesOptions & CallOptions = {}): AsyncGenerator<PlacedEntry> {
    requireOptions(options);
    const { signal, ...asked } = options;
    const { readEntries } = await load.entries();
    // The first takes all that is asked of the database; the rest come from the file.
    const { first, rest } = await this.#askOf(session, options, async (db, found) => {
      const rest = readEntries(db, found, asked);
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

  /** One entry, read from the file. @throws as `entries` */
  async entry(session: string, entryId: EntryId, options: CallOptions = {}): Promise<PlacedEntry> {
    requireEntryId(entryId);
    const { readEntry } = await load.entries();
    return this.#askOf(session, options, (db, found) => readEntry(db, found, entryId));
  }

  /**
   * What the model sees of a session at an entry, by the rules of pi 1.5: messages, thinking level, model.
   *
   * @param leafId undefined for the last entry, null for before the first
   * @throws as `entries`
   */
  async context(session: string, leafId?: EntryId | null, options: CallOptions = {}): Promise<EntryContext> {
    if (leafId !== undefined && leafId !== null) requireEntryId(leafId);
    const { readContext } = await load.entries();
    return this.#askOf(session, options, (db, found) => readContext(db, found, leafId));
  }

  /**
   * What was used and what it cost, in all and broken down by one or two of: hour, day, week, month, weekday,
   * hour-of-day, model, provider, project, session, tool, agent, kind, branch, stop. Every act of spending counts once,
   * however many forks hold a copy of it: docs/usage.md.
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
    const { signal, ...asked } = options;
    const { usage } = await load.usage();
    return this.#ask({ signal }, (db) => usage(db, this.#scope, asked));
  }

  /**
   * What one session cost: itself, through its subagents and forks, and what it only holds copies of.
   *
   * @throws as `find`
   */
  async spend(session: string, options: CallOptions = {}): Promise<Spend> {
    requireText(session, "session");
    const { spend } = await import("../query/usage/spend.ts");
    return this.#ask(options, (db) => spend(db, this.#scope, session));
  }

  /**
   * The acts behind what `usage` answers for the same options, by time, each with path and line. Messages of people,
   * which cost nothing, only as `kind: "user"`.
   *
   * @throws as `usage`; `FILE_CHANGED` when files were read again while events were told
   */
  async *usageEvents(options: UsageEventsOptions & CallOptions = {}): AsyncGenerator<UsageEvent> {
    requireOptions(options);
    const { signal, ...asked } = options;
    const { usageEvents } = await import("../query/usage/usage-events.ts");
    signal?.throwIfAborted();
    for await (const event of this.#asking.stream((db) => usageEvents(db, this.#scope, asked), "events")) {
      signal?.throwIfAborted();
      yield event;
    }
  }

  /**
   * Asks what nobody thought of: one SELECT over the views of docs/schema.md, which see all that the database knows,
   * whatever the roots. It runs in a process of its own, which can only read, and is killed when it works longer than
   * `timeoutMs` or takes more than 512 MB of memory.
   *
   * @example
   * const { columns, rows } = await index.sql("SELECT project, sum(cost_usd) FROM billed_events GROUP BY project");
   * for await (const [project, costUsd] of rows) console.log(project, costUsd);
   *
   * @throws PidexError `BAD_SQL`, `SQL_TIMEOUT`, `BAD_OPTION`, `DATABASE_BUSY`, `DATABASE_UNAVAILABLE`; the signal's
   * reason when aborted. So does iterating.
   */
  async sql(text: string, asked: SqlOptions & { signal?: AbortSignal } = {}): Promise<SqlAnswer> {
    requireText(text, "the SQL");
    requireOptions(asked);
    const { signal, ...options } = asked;
    const { runSql } = await load.sql();
    return this.#asking.ask((database) =>
      runSql(database.path, text, options, {
        ...(signal && { signal }),
        onLateError: (error) => this.#asking.brokenMeanwhile(database, error, "rows"),
      }),
    );
  }

  /** The views that `sql` may ask, and their columns. */
  async sqlViews({ signal }: CallOptions = {}): Promise<SqlView[]> {
    const { readViews } = await import("../query/sql/views.ts");
    signal?.throwIfAborted();
    return this.#asking.ask(async ({ readerHandle }) => readViews(readerHandle));
  }

  /** What the index holds, counted. */
  async stats(options: CallOptions = {}): Promise<Stats> {
    const [{ indexStats }, { usage }] = await Promise.all([load.stats(), load.usage()]);
    return this.#ask(options, async (db) => {
      const [counted, { total }] = await Promise.all([
        indexStats(db, this.#scope, this.#database.path),
        usage(db, this.#scope),
      ]);
      const { input, output, cacheRead, cacheWrite, reasoning } = total.tokens;
      const tokens = { input, output, cacheRead, cacheWrite, reasoning };
      return { ...counted, tokens, costUsd: total.costUsd };
    });
  }

  /** Ends its watches and closes the database. The index is of no use afterwards. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#watches);
    await this.#database.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
  get #scope() {
    return { roots: this.#roots.current };
  }

  async #ask<T>({ signal }: CallOptions, query: (db: Database["reader"]) => Promise<T>): Promise<T> {
    signal?.throwIfAborted();
    return this.#asking.ask(({ reader }) => query(reader));
  }

  /** Asks for a page of an answer. @throws PidexError `BAD_CURSOR` */
  async #page<O extends { cursor?: string | undefined }, A extends { next?: string }>(
    options: O & CallOptions,
    query: (db: Database["reader"], options: O) => Promise<A>,
  ): Promise<A> {
    requireOptions(options);
    const { signal, ...asked } = options;
    signal?.throwIfAborted();
    return this.#asking.page(asked as unknown as O, query);
  }

  /** Asks the database about one session. @throws PidexError `NOT_FOUND`, `AMBIGUOUS` */
  async #askOf<T>(
    session: string,
    options: CallOptions,
    query: (db: Database["reader"], found: FoundSession) => Promise<T>,
  ): Promise<T> {
    requireText(session, "session");
    requireOptions(options);
    const { findSession } = await load.find();
    return this.#ask(options, async (db) => query(db, await findSession(db, this.#scope, session)));
  }
}
