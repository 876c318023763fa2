/** Caches the outline of the last session read, because paging through a long session needs it for every page. */
import type { IndexQueries, Outline, SessionInfo } from "../../library/index.ts";
import { OtherBranches } from "./other-branches.ts";

export interface CachedOutline {
  outline: Outline;
  otherBranches: OtherBranches;
}

/** How long an outline is cached, in milliseconds. A session's own state doesn't show every change: a newly found subagent, for example. */
const MAX_AGE_MS = 60_000;

export class OutlineCache {
  readonly #index: IndexQueries;
  #cached: (CachedOutline & { key: string; expires: number }) | undefined;

  constructor(index: IndexQueries) {
    this.#index = index;
  }

  /** Returns the outline of a session in the given state. */
  async get(session: SessionInfo): Promise<CachedOutline> {
    const { path, id, size, entryCount, labelCount, modified } = session; // they change with every write
    const key = JSON.stringify([path, id, size, entryCount, labelCount, modified.getTime()]);
    const now = performance.now();
    if (this.#cached?.key === key && now < this.#cached.expires) return this.#cached;
    const outline = await this.#index.outline(path);
    this.#cached = { outline, otherBranches: new OtherBranches(outline), key, expires: now + MAX_AGE_MS };
    return this.#cached;
  }
}
