import type { FileProblem, Label, SessionInfo, TreeEntry } from "../../query/answers.ts";
import type { QueryCompletions } from "../../query/complete.ts";
import type { LocatedEntry } from "../../query/entries.ts";
import type { FileTouchList } from "../../query/files.ts";
import type { ForkLocations } from "../../query/forks.ts";
import type { Insights } from "../../query/insights/insight-answers.ts";
import type { InsightsOptions } from "../../query/insights/insight-options.ts";
import type { SessionList, SessionSummary } from "../../query/list.ts";
import type {
  CompleteOptions,
  EntriesOptions,
  FilesOptions,
  ListOptions,
  SearchOptions,
} from "../../query/options.ts";
import type { Outline } from "../../query/outline.ts";
import type { ResolvedSession } from "../../query/resolve-session.ts";
import type { FlatSearchResult, SearchResult } from "../../query/search/search.ts";
import type { SearchOutcome } from "../../query/search/search-outcome.ts";
import type { IndexTotals } from "../../query/stats.ts";
import type { SessionUsage, Spending, UsageEvent, UsageReport } from "../../query/usage/usage-answers.ts";
import type {
  SpendingOptions,
  SpendOptions,
  UsageEventsOptions,
  UsageOptions,
} from "../../query/usage/usage-options.ts";
import { requireEntryId, requireOptions, requireText } from "../../src/arguments.ts";
import { badOption } from "../../src/errors.ts";
import type { EntryContext } from "../../src/session/context.ts";
import type { EntryId } from "../../src/session/entries.ts";
import type { TreeNode } from "../../src/session/tree.ts";
import type { Store } from "../../src/store/store.ts";
import type { CallOptions, ForksOptions } from "./call-options.ts";

/** Runs queries on a store. */
export interface QuerySource {
  /** @param signal cancels the query between two statements, where the store can */
  read<T>(query: (store: Store) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Reads a page; may add to its cursor what identifies the database. @throws PidexError `BAD_CURSOR` */
  readPage<O extends { cursor?: string | undefined }, A extends { next?: string }>(
    options: O,
    query: (store: Store, options: O) => Promise<A>,
    signal?: AbortSignal,
  ): Promise<A>;
  /** @param items names the items in error messages: `hits` */
  stream<T, R>(query: (store: Store) => AsyncGenerator<T, R>, items: string): AsyncGenerator<T, R>;
  /** Streams lines of a session file. */
  streamLines<T>(query: (store: Store) => Promise<AsyncGenerator<T, void>>): AsyncGenerator<T, void>;
  /** Brings the store up to date, where files may have changed since. */
  sync?(options: CallOptions): Promise<unknown>;
}

/** The methods that an index and a hub have: those that need no session files. */
export interface IndexQueries extends Pick<QueryIndex, keyof QueryIndex> {}

/**
 * The queries of an index, on the store of a source. Query modules are loaded on first use, to keep start-up fast:
 * docs/decisions/0016-start-up.md.
 */
export class QueryIndex {
  readonly #source: QuerySource;

  /** @internal */
  constructor(source: QuerySource) {
    this.#source = source;
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
    const { listSessions } = await import("../../query/list.ts");
    return this.#page(options, (store, params) => listSessions(store, params));
  }

  /**
   * The sessions of `listAll` with fewer properties, and without a total: for lists of thousands.
   *
   * @internal
   * @throws as `listAll`
   */
  async listSummaries(options: ListOptions & CallOptions = {}): Promise<SessionSummary[]> {
    const { listSessionSummaries } = await import("../../query/list.ts");
    return (await this.#page(options, (store, params) => listSessionSummaries(store, params))).sessions;
  }

  /**
   * The sessions of the first `limit` threads at most, in the order of `listAll`: the newest ones, their ancestors and their forks. What a
   * list of threads begins with, in a fraction of the time for thousands of sessions.
   *
   * @internal
   * @throws as `listAll`
   */
  async listThreads(options: ListOptions & { limit: number } & CallOptions): Promise<SessionList> {
    const { listThreads } = await import("../../query/threads.ts");
    return this.#page(options, (store, params) => listThreads(store, params));
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
    const { searchSessions } = await import("../../query/search/search.ts");
    return this.#searchUpToDate(query, options, searchSessions);
  }

  /** Searches as `search` does, but returns a flat list of entries instead of sessions. @throws as `search` */
  async searchEntries(query: string, options: SearchOptions & CallOptions = {}): Promise<FlatSearchResult> {
    const { searchEntries } = await import("../../query/search/search.ts");
    return this.#searchUpToDate(query, options, searchEntries);
  }

  /**
   * Completions for a search query at the cursor: field names, and the field's values in the index.
   *
   * @param at cursor position, in UTF-16 code units. Default: the end of the query
   * @param options filters beside the query, as for `search`: only values of their sessions are offered. Default: all sessions, also
   *   archived ones and those of subagents
   *
   * @example
   * await index.complete("checkout proj"); // { from: 9, options: [{ text: "project:" }] }
   * await index.complete("project:s"); // { from: 8, options: [{ text: "shop", sessions: 9 }] }
   */
  async complete(
    query: string,
    at?: number,
    options: CompleteOptions & CallOptions = {},
  ): Promise<QueryCompletions> {
    requireText(query, "query");
    if (at !== undefined && !(Number.isInteger(at) && at >= 0)) {
      throw badOption(
        "at must be a non-negative integer",
        "Pass the cursor position, or omit it for the end of the query.",
      );
    }
    const { completeQuery } = await import("../../query/complete.ts");
    requireOptions(options);
    const { signal, ...view } = options;
    return this.#query({ signal }, (store) => completeQuery(store, query, at, view));
  }

  async #searchUpToDate<T extends SearchOutcome>(
    query: string,
    options: SearchOptions & CallOptions,
    search: (store: Store, query: string, options: SearchOptions) => Promise<T>,
  ): Promise<T> {
    requireText(query, "query");
    requireOptions(options);
    const { sync, signal } = options;
    const searchOnce = () => this.#page(options, (store, params) => search(store, query, params));
    const result = await searchOnce();
    if (result.changedFiles.length === 0 || sync === false || !this.#source.sync) return result;
    await this.#source.sync(signal ? { signal } : {});
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
    const { listFileTouches } = await import("../../query/files.ts");
    return this.#page(options, (store, params) => listFileTouches(store, pattern, params));
  }

  /** The entries of a session as a tree: roots with their children, in order of time. @throws as `find` */
  async tree(session: string, options: CallOptions = {}): Promise<TreeNode<TreeEntry>[]> {
    return this.#queryForSession(session, options, (await import("../../query/tree.ts")).readSessionTree);
  }

  /** The entries of a session as a flat list with their tree properties, in file order. @throws as `find` */
  async treeEntries(session: string, options: CallOptions = {}): Promise<TreeEntry[]> {
    return this.#queryForSession(session, options, (await import("../../query/tree.ts")).readTreeEntries);
  }

  /** Same as `treeEntries`, in columns: for sessions with hundreds of thousands of entries. @throws as `find` */
  async outline(session: string, options: CallOptions = {}): Promise<Outline> {
    const { readSessionOutline } = await import("../../query/outline.ts");
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
    const { findForkLocations } = await import("../../query/forks.ts");
    return this.#queryForSession(session, options, (store, found) => findForkLocations(store, found, limit));
  }

  /**
   * The entries from the root to `entryId`, or to the last entry.
   *
   * @throws as `find`, and `NOT_FOUND` for an unknown entry
   */
  async branch(session: string, entryId?: EntryId, options: CallOptions = {}): Promise<TreeEntry[]> {
    if (entryId !== undefined) requireEntryId(entryId);
    const { readBranchEntries } = await import("../../query/tree.ts");
    return this.#queryForSession(session, options, (store, found) =>
      readBranchEntries(store, found, entryId),
    );
  }

  /** The direct children of an entry. @throws as `find`, and `NOT_FOUND` for an unknown entry */
  async children(session: string, entryId: EntryId, options: CallOptions = {}): Promise<TreeEntry[]> {
    requireEntryId(entryId);
    const { readChildEntries } = await import("../../query/tree.ts");
    return this.#queryForSession(session, options, (store, found) => readChildEntries(store, found, entryId));
  }

  /** The current labels of one session or of all sessions, newest first. @throws as `find` */
  async labels(session?: string, options: CallOptions = {}): Promise<Label[]> {
    const { listLabels } = await import("../../query/labels.ts");
    if (session === undefined) return this.#query(options, (store) => listLabels(store));
    return this.#queryForSession(session, options, (store, { fileId }) => listLabels(store, fileId));
  }

  /** The problems found in one session file or in all files, including files that are not sessions. */
  async problems(session?: string, options: CallOptions = {}): Promise<FileProblem[]> {
    const { listProblems } = await import("../../query/problems.ts");
    if (session === undefined) return this.#query(options, (store) => listProblems(store));
    return this.#queryForSession(session, options, (store, { fileId }) => listProblems(store, fileId));
  }

  /**
   * Reads the entries of a session from its file: the current branch, the path to one entry (`{branch: {leaf}}`), all entries
   * (`{branch: "all"}`), or those on some lines (`{branch: {lines}}`); with `backwards`, from the last. Entries of old versions are upgraded.
   *
   * @throws as `find`; `FILE_UNREADABLE`; `FILE_CHANGED` if the file has changed since it was indexed, or the session goes on elsewhere
   */
  async *entries(session: string, options: EntriesOptions & CallOptions = {}): AsyncGenerator<LocatedEntry> {
    requireOptions(options);
    const { signal, ...params } = options;
    const { readEntries } = await import("../../query/entries.ts");
    requireText(session, "session");
    signal?.throwIfAborted();
    const { resolveSession } = await import("../../query/resolve-session.ts");
    const entries = this.#source.streamLines(async (store) =>
      readEntries(store, await resolveSession(store, session), params),
    );
    for await (const entry of entries) {
      signal?.throwIfAborted();
      yield entry;
    }
  }

  /** Reads one entry from the file. @throws as `entries` */
  async entry(session: string, entryId: EntryId, options: CallOptions = {}): Promise<LocatedEntry> {
    requireEntryId(entryId);
    const { readEntry } = await import("../../query/entries.ts");
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
    const { readContext } = await import("../../query/entries.ts");
    return this.#queryForSession(session, options, (store, found) => readContext(store, found, leafId));
  }

  /**
   * Token usage and cost, in total and broken down by one or two dimensions: hour, day, week, month, weekday, hour-of-day, model,
   * provider, project, session, tool, agent, kind, branch, stop, and on a hub machine and person. Every billable event counts once, however many forks contain a copy of it:
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
    const { usage } = await import("../../query/usage/usage.ts");
    return this.#query({ signal }, (store) => usage(store, params));
  }

  /**
   * The cost of one session: its own, that of its subagents and forks, and that of entries it only has copies of.
   *
   * @throws as `find`
   */
  async spend(session: string, options: SpendOptions & CallOptions = {}): Promise<SessionUsage> {
    requireText(session, "session");
    requireOptions(options);
    const { signal, ...params } = options;
    const { sessionUsage } = await import("../../query/usage/session-usage.ts");
    return this.#query({ signal }, (store) => sessionUsage(store, session, params));
  }

  /**
   * What was spent today, this week and this month, and the state of budgets: `200/month`, `50/month project:shop`.
   *
   * @example
   * const { today, budgets } = await index.spending({ budgets: ["10/day", "200/month"] });
   * if (budgets.some(({ share }) => share >= 1)) console.log("a budget is used up", today.costUsd);
   *
   * @throws PidexError `BAD_OPTION`; as `find` for a `session`
   */
  async spending(options: SpendingOptions & CallOptions = {}): Promise<Spending> {
    requireOptions(options);
    const { signal, ...params } = options;
    const { readSpending } = await import("../../query/usage/spending.ts");
    return this.#query({ signal }, (store) => readSpending(store, params));
  }

  /**
   * Where work stalls, what works, and what has changed since the period before, over all sessions: docs/insights.md. Every finding has
   * counts, the money or time that it cost, and sessions with lines. Default period: the last 30 days.
   *
   * @example
   * const { findings } = await index.insights({ since: "7d", project: "shop" });
   * for (const { kind, subject, occurrences, examples } of findings) {
   *   console.log(kind, subject, occurrences, examples.map(({ path, line }) => `${path}:${line}`));
   * }
   *
   * @throws PidexError `BAD_OPTION`
   */
  async insights(options: InsightsOptions & CallOptions = {}): Promise<Insights> {
    requireOptions(options);
    const { signal, ...params } = options;
    const { insights } = await import("../../query/insights/insights.ts");
    return this.#query({ signal }, (store) => insights(store, params));
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
    const { usageEvents } = await import("../../query/usage/usage-events.ts");
    signal?.throwIfAborted();
    for await (const event of this.#source.stream((store) => usageEvents(store, params), "events")) {
      signal?.throwIfAborted();
      yield event;
    }
  }

  /** Totals over the whole index: sessions, entries, tokens, cost and more. */
  async stats(options: CallOptions = {}): Promise<IndexTotals> {
    const [{ countIndex }, { sumUsage }] = await Promise.all([
      import("../../query/stats.ts"),
      import("../../query/usage/total.ts"),
    ]);
    return this.#query(options, async (store) => {
      const [counted, total] = await Promise.all([countIndex(store), sumUsage(store)]);
      const { input, output, cacheRead, cacheWrite, reasoning } = total.tokens;
      const tokens = { input, output, cacheRead, cacheWrite, reasoning };
      const { costUsd, toolCalls, failedToolCalls } = total;
      return { ...counted, toolCalls, failedToolCalls, tokens, costUsd };
    });
  }

  async #query<T>({ signal }: CallOptions, query: (store: Store) => Promise<T>): Promise<T> {
    signal?.throwIfAborted();
    return this.#source.read(query, signal);
  }

  /** Queries one page of a result. @throws PidexError `BAD_CURSOR` */
  async #page<O extends { cursor?: string | undefined }, A extends { next?: string }>(
    options: O & CallOptions,
    query: (store: Store, options: O) => Promise<A>,
  ): Promise<A> {
    requireOptions(options);
    const { signal, ...params } = options;
    signal?.throwIfAborted();
    return this.#source.readPage(params as unknown as O, query, signal);
  }

  /** Finds a session and runs a query about it. @throws PidexError `NOT_FOUND`, `AMBIGUOUS` */
  async #queryForSession<T>(
    session: string,
    options: CallOptions,
    query: (store: Store, found: ResolvedSession) => Promise<T>,
  ): Promise<T> {
    requireText(session, "session");
    requireOptions(options);
    const { resolveSession } = await import("../../query/resolve-session.ts");
    return this.#query(options, async (store) => query(store, await resolveSession(store, session)));
  }
}
