import { AgentIndex, type AgentIndexOptions } from "../agents/agent-index.ts";

/** Opens the index on first use. A failed open is retried on the next use. */
export class LazyIndex {
  readonly #options: AgentIndexOptions;
  #opening: Promise<AgentIndex> | undefined;

  constructor(options: AgentIndexOptions) {
    this.#options = options;
  }

  /** @throws as `openIndex` */
  open(): Promise<AgentIndex> {
    const opening = this.#opening ?? AgentIndex.open(this.#options);
    this.#opening = opening;
    opening.catch(() => {
      if (this.#opening === opening) this.#opening = undefined;
    });
    return opening;
  }

  async close(): Promise<void> {
    await (await this.#opening?.catch(() => undefined))?.close();
  }
}
