import { emptyReport, type SyncOptions as IndexerSyncOptions, type SyncReport } from "./indexer/report.ts";
import { sync, syncFile } from "./indexer/sync.ts";
import { migrations } from "./migrations/index.ts";
import type { FileProblem, Label, ScanHit, SessionInfo, Stats, TreeEntry } from "./query/answers.ts";
import { type PlacedEntry, readContext, readEntries, readEntry } from "./query/entries.ts";
import { type FileTouchList, filesTouched } from "./query/files.ts";
import { type FoundSession, findSession } from "./query/find.ts";
import { listLabels, listProblems } from "./query/labels.ts";
import { listSessions, type SessionList } from "./query/list.ts";
import type {
  EntriesOptions,
  FilesOptions,
  ListOptions,
  ScanOptions,
  ScanPattern,
  SearchOptions,
} from "./query/options.ts";
import { type ScanControl, type ScanReport, scanHits } from "./query/scan/scan-hits.ts";
import {
  type FlatSearchResult,
  type SearchResult,
  searchEntries,
  searchSessions,
} from "./query/search/search.ts";
import type { SqlAnswer } from "./query/sql/run-sql.ts";
import type { SqlOptions } from "./query/sql/sql-options.ts";
import type { SqlView } from "./query/sql/sql-view.ts";
import { readViews } from "./query/sql/views.ts";
import { indexStats } from "./query/stats.ts";
import { branchEntries, childEntries, sessionTree, treeEntries } from "./query/tree.ts";
import { spend } from "./query/usage/spend.ts";
import { usage } from "./query/usage/usage.ts";
import type { Spend, UsageEvent, UsageReport } from "./query/usage/usage-answers.ts";
import { usageEvents } from "./query/usage/usage-events.ts";
import type { UsageEventsOptions, UsageOptions } from "./query/usage/usage-options.ts";
import { databasePath } from "./src/database/locations.ts";
import { type Database, isCorruption, moveAside, openDatabase } from "./src/database/open.ts";
import { PidexError } from "./src/errors.ts";
import type { SessionContext } from "./src/session/context.ts";
import type { EntryId } from "./src/session/entries.ts";
import {
  expandPath,
  isSessionFileName,
  nearestRoot,
  type Root,
  rootAt,
  usualRoots,
} from "./src/session/locations.ts";
import type { TreeNode } from "./src/session/tree.ts";

export interface OpenIndexOptions {
  /** The database file. Default: `$PIDEX_DB`, else `pidex/index.db` in the user's cache folder. */
  db?: string;
  /**
   * The folders to look for sessions in. Default: `$PIDEX_ROOTS` (separated like `$PATH`), else where pi,
   * Atomic and their subagents keep them.
   */
  roots?: readonly string[];
  /** Told, in a sentence, what was done unasked: a broken database moved aside, settings that were not read. */
  onNotice?: (message: string) => void;
}

/** What `sync` can be told: a signal to stop it, and somebody who wants to know how far it is. */
export type SyncOptions = Omit<IndexerSyncOptions, "roots">;

/**
 * Opens the index, and makes it where there is none. Answers come from what was indexed last: call `sync` first,
 * it costs little when little is new.
 *
 * @throws PidexError `NODE_TOO_OLD`, `DATABASE_UNAVAILABLE`, `DATABASE_BUSY`, `FOREIGN_DATABASE`,
 * `MIGRATION_FAILED`
 */
export async function openIndex(options: OpenIndexOptions = {}): Promise<Index> {
  const { onNotice = () => {} } = options;
  const path = expandPath(options.db ?? databasePath());
  const roots = options.roots?.map(rootAt) ?? usualRoots(onNotice);
  const database = await openDatabase({ path, migrations, onNotice });
  return new Index(database, roots, onNotice);
}

/**
 * An open index. `session` is always one of: the path of a session file, a session's id, the start of an id
 * that no other session has, or `@last`.
 *
 * All times are Dates, or ISO strings in UTC; offsets and lengths are bytes; lines count from 1.
 */
export class Index {
  #database: Database;
  readonly #roots: readonly Root[];
  readonly #onNotice: (message: string) => void;
  /** The last database that was found broken, and when there is a new one in its place. */
  #broken: Database | undefined;
  #replaced: Promise<void> = Promise.resolve();

  /** @internal Use `openIndex`. */
  constructor(database: Database, roots: readonly Root[], onNotice: (message: string) => void) {
    this.#database = database;
    this.#roots = roots;
    this.#onNotice = onNotice;
  }

  /** The database file. */
  get path(): string {
    return this.#database.path;
  }

  /** The folders that are looked at, whether they exist or not. */
  get roots(): string[] {
    return this.#roots.map(({ folder }) => folder);
  }

  /**
   * Reads what is new in the session files, and only that; forgets deleted ones. Safe at any time and in any
   * number of processes. A database that turns out to be broken is moved aside and built anew.
   *
   * @throws the signal's reason when aborted: what was done until then stays
   */
  async sync(options: SyncOptions = {}): Promise<SyncReport> {
    const database = this.#database;
    try {
      return await sync(database, { ...options, roots: this.#roots });
    } catch (error) {
      if (!isCorruption(error) && database !== this.#broken) throw error;
      await this.#replace(database);
      return await sync(this.#database, { ...options, roots: this.#roots });
    }
  }

  /**
   * Brings the index up to one session file alone, which was written to, is new, was replaced or deleted: no folder is
   * walked. After a rename, sync both paths. A path that `sync` would not look at (below none of the roots, or without a
   * session's name) is left alone. Where the database turns out to be broken, everything is synced.
   */
  async syncFile(path: string): Promise<SyncReport> {
    const file = expandPath(path);
    const root = nearestRoot(file, this.#roots);
    if (!root || !isSessionFileName(file)) return emptyReport(0);
    const database = this.#database;
    try {
      return await syncFile(database, file, root);
    } catch (error) {
      if (!isCorruption(error) && database !== this.#broken) throw error;
      await this.#replace(database);
      return await this.sync();
    }
  }

  /**
   * The sessions of a working directory, newest first; archived ones only if asked for.
   *
   * @throws PidexError `BAD_OPTION`, `BAD_CURSOR`
   */
  async list(cwd: string, options: Omit<ListOptions, "cwd"> = {}): Promise<SessionList> {
    return this.listAll({ ...options, cwd });
  }

  /**
   * The sessions of all working directories, newest first; archived ones and those of subagents only if asked for.
   * Without a `limit` all of them.
   *
   * @throws PidexError `BAD_OPTION`, `BAD_CURSOR`
   */
  listAll(options: ListOptions = {}): Promise<SessionList> {
    return this.#ask((db) => listSessions(db, this.#scope, options));
  }

  /** One session. @throws PidexError `NOT_FOUND`, `AMBIGUOUS` */
  async find(session: string): Promise<SessionInfo> {
    return (await this.#ask((db) => findSession(db, this.#scope, session))).info;
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
  search(query: string, options: SearchOptions = {}): Promise<SearchResult> {
    return this.#searchUpToDate(options, () =>
      this.#ask((db) => searchSessions(db, this.#scope, query, options)),
    );
  }

  /** Finds entries as `search` does, one by one instead of by session. @throws as `search` */
  searchEntries(query: string, options: SearchOptions = {}): Promise<FlatSearchResult> {
    return this.#searchUpToDate(options, () =>
      this.#ask((db) => searchEntries(db, this.#scope, query, options)),
    );
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
    { signal, onProgress, ...options }: ScanOptions & ScanControl = {},
  ): AsyncGenerator<ScanHit, ScanReport> {
    const control = { ...(signal && { signal }), ...(onProgress && { onProgress }) };
    // Until the first hit a broken database is built anew and asked again; afterwards hits would be told twice.
    const asked = this.#database;
    const [hits, first] = await this.#ask(async (db) => {
      const hits = scanHits(db, this.#scope, pattern, options, control);
      return [hits, await hits.next()] as const;
    });
    try {
      for (let next = first; ; next = await hits.next()) {
        if (next.done) return next.value;
        yield next.value;
      }
    } catch (error) {
      throw await this.#brokenMeanwhile(asked, error, "hits");
    } finally {
      await hits.return({ changedFiles: [] });
    }
  }

  async #searchUpToDate<T extends { changedFiles: string[] }>(
    { sync }: SearchOptions,
    search: () => Promise<T>,
  ): Promise<T> {
    const found = await search();
    if (found.changedFiles.length === 0 || sync === false) return found;
    await this.sync();
    return search();
  }

  /**
   * Which sessions read, wrote, edited or otherwise touched the files a pattern means, with the entries that say so;
   * the session that did so last comes first. A pattern is a path, the end of one (`tax.ts`, `src/tax.ts`), a
   * folder (`src/`), or a glob (`*.py`): docs/cli.md. Sessions of subagents are among them.
   *
   * @throws PidexError `BAD_OPTION`, `BAD_CURSOR`
   */
  files(pattern: string, options: FilesOptions = {}): Promise<FileTouchList> {
    return this.#ask((db) => filesTouched(db, this.#scope, pattern, options));
  }

  /** The entries of a session as a tree: roots with their children, by time. @throws as `find` */
  async tree(session: string): Promise<TreeNode<TreeEntry>[]> {
    return this.#askOf(session, sessionTree);
  }

  /** The entries of a session as rows of its tree, in file order. @throws as `find` */
  async treeEntries(session: string): Promise<TreeEntry[]> {
    return this.#askOf(session, treeEntries);
  }

  /**
   * The entries from the root to `entryId`, or to the last entry.
   *
   * @throws as `find`, and `NOT_FOUND` for an unknown entry
   */
  async branch(session: string, entryId?: EntryId): Promise<TreeEntry[]> {
    return this.#askOf(session, (db, found) => branchEntries(db, found, entryId));
  }

  /** The entries that hang directly from one. @throws as `find`, and `NOT_FOUND` for an unknown entry */
  async children(session: string, entryId: EntryId): Promise<TreeEntry[]> {
    return this.#askOf(session, (db, found) => childEntries(db, found, entryId));
  }

  /** The labels in force, newest first: of one session, or of all. @throws as `find` */
  async labels(session?: string): Promise<Label[]> {
    if (session === undefined) return this.#ask((db) => listLabels(db, this.#scope));
    return this.#askOf(session, (db, { fileId }) => listLabels(db, this.#scope, fileId));
  }

  /** What is wrong in session files: of one session, or of all, files that are no session included. */
  async problems(session?: string): Promise<FileProblem[]> {
    if (session === undefined) return this.#ask((db) => listProblems(db, this.#scope));
    return this.#askOf(session, (db, { fileId }) => listProblems(db, this.#scope, fileId));
  }

  /**
   * The entries of a session one after the other, read from its file: on the current branch, on the path to one
   * entry (`{branch: {leaf}}`), or all (`{branch: "all"}`). Old versions come upgraded.
   *
   * @throws as `find`; `FILE_UNREADABLE`; `FILE_CHANGED` when the file is no longer what was indexed
   */
  async *entries(session: string, options: EntriesOptions = {}): AsyncGenerator<PlacedEntry> {
    // The first takes all that is asked of the database; the rest come from the file.
    const [entries, first] = await this.#askOf(session, async (db, found) => {
      const entries = readEntries(db, found, options);
      return [entries, await entries.next()];
    });
    try {
      for (let next = first; !next.done; next = await entries.next()) yield next.value;
    } finally {
      await entries.return(undefined);
    }
  }

  /** One entry, read from the file. @throws as `entries` */
  async entry(session: string, entryId: EntryId): Promise<PlacedEntry> {
    return this.#askOf(session, (db, found) => readEntry(db, found, entryId));
  }

  /**
   * What the model sees of a session at an entry, by the rules of pi 1.5: messages, thinking level, model.
   *
   * @param leafId undefined for the last entry, null for before the first
   * @throws as `entries`
   */
  async context(session: string, leafId?: EntryId | null): Promise<SessionContext> {
    return this.#askOf(session, (db, found) => readContext(db, found, leafId));
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
  usage(options: UsageOptions = {}): Promise<UsageReport> {
    return this.#ask((db) => usage(db, this.#scope, options));
  }

  /**
   * What one session cost: itself, through its subagents and forks, and what it only holds copies of.
   *
   * @throws as `find`
   */
  spend(session: string): Promise<Spend> {
    return this.#ask((db) => spend(db, this.#scope, session));
  }

  /**
   * The acts behind what `usage` answers for the same options, by time, each with path and line. Messages of people,
   * which cost nothing, only as `kind: "user"`.
   *
   * @throws as `usage`; `FILE_CHANGED` when files were read again while events were told
   */
  async *usageEvents(options: UsageEventsOptions = {}): AsyncGenerator<UsageEvent> {
    const asked = this.#database;
    const [events, first] = await this.#ask(async (db) => {
      const events = usageEvents(db, this.#scope, options);
      return [events, await events.next()] as const;
    });
    try {
      for (let next = first; !next.done; next = await events.next()) yield next.value;
    } catch (error) {
      throw await this.#brokenMeanwhile(asked, error, "events");
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
  async sql(
    sql: string,
    { signal, ...options }: SqlOptions & { signal?: AbortSignal } = {},
  ): Promise<SqlAnswer> {
    const { runSql } = await import("./query/sql/run-sql.ts"); // lazy: a chunk of its own
    return this.#ask(() => {
      const asked = this.#database;
      return runSql(asked.path, sql, options, {
        ...(signal && { signal }),
        onLateError: (error) => this.#brokenMeanwhile(asked, error, "rows"),
      });
    });
  }

  /** The views that `sql` may ask, and their columns. */
  sqlViews(): Promise<SqlView[]> {
    return this.#ask(async () => readViews(this.#database.readerHandle));
  }

  /** What the index holds, counted. */
  stats(): Promise<Stats> {
    return this.#ask(async (db) => {
      const [counted, { total }] = await Promise.all([
        indexStats(db, this.#scope, this.#database.path),
        usage(db, this.#scope),
      ]);
      const { input, output, cacheRead, cacheWrite, reasoning } = total.tokens;
      const tokens = { input, output, cacheRead, cacheWrite, reasoning };
      return { ...counted, tokens, costUsd: total.costUsd };
    });
  }

  /** Closes the database. The index is of no use afterwards. */
  close(): Promise<void> {
    return this.#database.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get #scope() {
    return { roots: this.#roots };
  }

  /** Asks the database; one that turns out to be broken is built anew and asked again. */
  async #ask<T>(query: (db: Database["reader"]) => Promise<T>): Promise<T> {
    const asked = this.#database;
    try {
      return await query(asked.reader);
    } catch (error) {
      // Another query may have found it broken first, and have closed it under this one.
      if (!isCorruption(error) && asked !== this.#broken) throw error;
      await this.#replace(asked);
      await this.sync();
      return query(this.#database.reader);
    }
  }

  /** Asks the database about one session. @throws as `find` */
  #askOf<T>(session: string, query: (db: Database["reader"], found: FoundSession) => Promise<T>): Promise<T> {
    return this.#ask(async (db) => query(db, await findSession(db, this.#scope, session)));
  }

  /** What to throw for an error that came when part of the answer was told: a broken database is built anew. */
  async #brokenMeanwhile(asked: Database, error: unknown, missing: string): Promise<unknown> {
    if (!isCorruption(error)) return error;
    await this.#replace(asked);
    const hint = "Ask again: a new index is built.";
    return new PidexError("DATABASE_UNAVAILABLE", `${asked.path} is broken: ${missing} are missing`, hint, {
      cause: error,
    });
  }

  /** Moves a broken database aside and opens a new one, once however many find it broken. */
  #replace(broken: Database): Promise<void> {
    if (broken === this.#database && broken !== this.#broken) {
      this.#broken = broken;
      this.#replaced = this.#startAnew(broken);
    }
    return this.#replaced;
  }

  async #startAnew(broken: Database): Promise<void> {
    const { path } = broken;
    await broken.close();
    const aside = moveAside(path);
    this.#onNotice(`${path} is broken: it was moved to ${aside}, and a new index is built`);
    this.#database = await openDatabase({ path, migrations, onNotice: this.#onNotice });
  }
}
