import { ChildServer } from "./child.ts";
import { median } from "./distribution.ts";
import type { Listed, Query, Searched, Synced, Task } from "./processes/open-index.ts";

/** A separate process that has an index open and executes commands, without other benchmark code in memory. */
export class IndexProcess {
  readonly #child: ChildServer;

  /** @param agentDir pi's own folder, for code that finds sessions through it */
  constructor(db: string, roots: readonly string[], agentDir = "") {
    const env = agentDir ? { PI_CODING_AGENT_DIR: agentDir } : {};
    this.#child = new ChildServer("processes/open-index.ts", env, db, ...roots);
  }

  async sync(): Promise<Synced> {
    const [synced] = await this.#ask<Synced[]>({ task: "sync", turns: 1 });
    return synced as Synced;
  }

  /** The median of several repetitions, in milliseconds. @throws Error if it lists another number of sessions */
  async list(
    task: "list" | "sync and list" | "session manager",
    turns: number,
    sessions: number,
  ): Promise<number> {
    const listed = await this.#ask<Listed>({ task, turns });
    if (listed.sessions !== sessions)
      throw new Error(`${task}: ${listed.sessions} sessions, not ${sessions}`);
    return median(listed.ms);
  }

  search(queries: readonly Query[], turns: number): Promise<Searched> {
    return this.#ask({ task: "search", queries, turns });
  }

  async tree(session: string): Promise<number> {
    return (await this.#ask<{ ms: number }>({ task: "tree", session })).ms;
  }

  async peakBytes(): Promise<number> {
    return (await this.#ask<{ bytes: number }>({ task: "peak" })).bytes;
  }

  end(): void {
    this.#child.end();
  }

  #ask<Answer>(task: Task): Promise<Answer> {
    return this.#child.request(task);
  }
}
