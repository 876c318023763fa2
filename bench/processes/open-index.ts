/** A process with an open index that executes tasks: see `index-process.ts`. */
import {
  type Index,
  openIndex,
  type SearchOptions,
  SessionManager,
  type SyncReport,
} from "../../library/index.ts";

export interface Query {
  text: string;
  options?: SearchOptions;
}

export type Task =
  | { task: "sync"; turns: number }
  | { task: ListTask; turns: number }
  | { task: "search"; queries: readonly Query[]; turns: number }
  | { task: "tree"; session: string }
  | { task: "peak" };

/** `newest` lists 50 sessions, the others all. */
export type ListTask = "list" | "newest" | "sync and list" | "session manager";

export interface ListResult {
  /** One number per turn. */
  ms: number[];
  sessions: number;
}

export interface SyncResult extends Pick<SyncReport, "files" | "bytesRead" | "linesRead" | "bytesVerified"> {
  ms: number;
  /** Processor time of all threads. */
  cpuMs: number;
}

/** For each query: milliseconds of each turn, and the number of hits it reports. */
export type SearchResult = { ms: number[]; hitCount: number }[];

async function measureTime<T>(work: () => Promise<T>): Promise<[ms: number, result: T]> {
  const startedAt = performance.now();
  const result = await work();
  return [performance.now() - startedAt, result];
}

async function execute(index: Index, task: Task): Promise<object> {
  switch (task.task) {
    case "sync": {
      const syncs: SyncResult[] = [];
      for (let turn = 0; turn < task.turns; turn++) {
        const cpuStart = process.cpuUsage();
        const [ms, report] = await measureTime(() => index.sync());
        const { user, system } = process.cpuUsage(cpuStart);
        const cpuMs = (user + system) / 1000;
        const { files, bytesRead, linesRead, bytesVerified } = report;
        syncs.push({ ms, cpuMs, files, bytesRead, linesRead, bytesVerified });
      }
      return syncs;
    }
    case "list":
      return list(task.turns, async () => (await index.listAll()).sessions);
    case "newest":
      return list(task.turns, async () => (await index.listAll({ limit: 50 })).sessions);
    case "sync and list":
      return list(task.turns, async () => {
        await index.sync();
        return (await index.listAll()).sessions;
      });
    case "session manager":
      return list(task.turns, () => SessionManager.listAll("", undefined, undefined, { db: index.path }));
    case "search":
      return search(index, task.queries, task.turns);
    case "tree": {
      const [ms, tree] = await measureTime(() => index.tree(task.session));
      return { ms, roots: tree.length };
    }
    case "peak":
      return { bytes: process.resourceUsage().maxRSS * 1024 };
  }
}

async function list(turns: number, listSessions: () => Promise<readonly unknown[]>): Promise<ListResult> {
  const result: ListResult = { ms: [], sessions: 0 };
  for (let turn = 0; turn < turns; turn++) {
    const [ms, sessions] = await measureTime(listSessions);
    result.ms.push(ms);
    result.sessions = sessions.length;
  }
  return result;
}

/** Alternates between the queries, so that a query is not repeated while everything it read is still cached. */
async function search(index: Index, queries: readonly Query[], turns: number): Promise<SearchResult> {
  const results: SearchResult = queries.map(() => ({ ms: [], hitCount: 0 }));
  for (let turn = 0; turn < turns; turn++) {
    for (const [n, { text, options = {} }] of queries.entries()) {
      const [ms, { hitCount }] = await measureTime(() => index.search(text, options));
      results[n]?.ms.push(ms);
      Object.assign(results[n] ?? {}, { hitCount });
    }
  }
  return results;
}

if (import.meta.main) {
  const [db = "", ...roots] = process.argv.slice(2);
  const index = await openIndex({ db, roots });
  process.on("message", async (task: Task) => process.send?.(await execute(index, task)));
  process.on("disconnect", () => index.close());
}
