import { ChildServer } from "./child.ts";
import { median } from "./distribution.ts";
import type { ListResult, ListTask, Query, SearchResult, SyncResult, Task } from "./processes/open-index.ts";

/** A separate process with an open index, so that other benchmark code does not affect its memory. */
export class IndexProcess {
  readonly #child: ChildServer;

  /** @param agentDir pi's own folder, for code that finds sessions through it */
  constructor(db: string, roots: readonly string[], agentDir = "") {
    const env = agentDir ? { PI_CODING_AGENT_DIR: agentDir } : {};
    this.#child = new ChildServer("processes/open-index.ts", env, db, ...roots);
  }

  async sync(): Promise<SyncResult> {
    const [result] = await this.#request<SyncResult[]>({ task: "sync", turns: 1 });
    return result as SyncResult;
  }

  /** The median of several repetitions, in milliseconds. @throws Error unless it lists this number of sessions */
  async list(task: ListTask, turns: number, sessions: number): Promise<number> {
    const result = await this.#request<ListResult>({ task, turns });
    if (result.sessions !== sessions)
      throw new Error(`${task}: ${result.sessions} sessions, not ${sessions}`);
    return median(result.ms);
  }

  search(queries: readonly Query[], turns: number): Promise<SearchResult> {
    return this.#request({ task: "search", queries, turns });
  }

  async tree(session: string): Promise<number> {
    return (await this.#request<{ ms: number }>({ task: "tree", session })).ms;
  }

  async peakBytes(): Promise<number> {
    return (await this.#request<{ bytes: number }>({ task: "peak" })).bytes;
  }

  end(): void {
    this.#child.end();
  }

  #request<Result>(task: Task): Promise<Result> {
    return this.#child.request(task);
  }
}
