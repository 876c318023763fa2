/** A process that has an index open and executes commands: see `index-process.ts`. */
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
  | { task: "list" | "sync and list" | "session manager"; turns: number }
  | { task: "search"; queries: readonly Query[]; turns: number }
  | { task: "tree"; session: string }
  | { task: "peak" };

/** Milliseconds of each turn, and what came of it. */
export interface Listed {
  ms: number[];
  sessions: number;
}

export interface Synced extends Pick<SyncReport, "files" | "bytesRead" | "linesRead" | "bytesVerified"> {
  ms: number;
  /** Processor time of all threads. */
  cpuMs: number;
}

/** Of each query, in milliseconds of each turn, and how many hits it says there are. */
export type Searched = { ms: number[]; hitCount: number }[];

async function timed<T>(work: () => Promise<T>): Promise<[ms: number, result: T]> {
  const began = performance.now();
  const result = await work();
  return [performance.now() - began, result];
}

async function answer(index: Index, task: Task): Promise<object> {
  switch (task.task) {
    case "sync": {
      const syncs: Synced[] = [];
      for (let turn = 0; turn < task.turns; turn++) {
        const cpuBegan = process.cpuUsage();
        const [ms, report] = await timed(() => index.sync());
        const { user, system } = process.cpuUsage(cpuBegan);
        const cpuMs = (user + system) / 1000;
        const { files, bytesRead, linesRead, bytesVerified } = report;
        syncs.push({ ms, cpuMs, files, bytesRead, linesRead, bytesVerified });
      }
      return syncs;
    }
    case "list":
      return list(task.turns, async () => (await index.listAll()).sessions);
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
      const [ms, tree] = await timed(() => index.tree(task.session));
      return { ms, roots: tree.length };
    }
    case "peak":
      return { bytes: process.resourceUsage().maxRSS * 1024 };
  }
}

async function list(turns: number, ask: () => Promise<readonly unknown[]>): Promise<Listed> {
  const listed: Listed = { ms: [], sessions: 0 };
  for (let turn = 0; turn < turns; turn++) {
    const [ms, sessions] = await timed(ask);
    listed.ms.push(ms);
    listed.sessions = sessions.length;
  }
  return listed;
}

/** In turns, so that no query is asked again while all that it read is at hand. */
async function search(index: Index, queries: readonly Query[], turns: number): Promise<Searched> {
  const searched: Searched = queries.map(() => ({ ms: [], hitCount: 0 }));
  for (let turn = 0; turn < turns; turn++) {
    for (const [n, { text, options = {} }] of queries.entries()) {
      const [ms, { hitCount }] = await timed(() => index.search(text, options));
      searched[n]?.ms.push(ms);
      Object.assign(searched[n] ?? {}, { hitCount });
    }
  }
  return searched;
}

if (import.meta.main) {
  const [db = "", ...roots] = process.argv.slice(2);
  const index = await openIndex({ db, roots });
  process.on("message", async (task: Task) => process.send?.(await answer(index, task)));
  process.on("disconnect", () => index.close());
}
