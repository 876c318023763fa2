import { availableParallelism } from "node:os";
import type { Host } from "../../library/host/host.ts";
import type { Ingest, IngestService } from "../../library/hub/server/ingest-service.ts";

/** Each has several connections to the database. */
const MAX_THREADS = 8;

/** An ingest service in several threads, each with its own connections to the database. */
export class IngestThreads implements Ingest {
  readonly #threads: { host: Host<IngestService>; running: number }[];

  /**
   * Starts one thread for each core, up to a limit.
   *
   * @param openHost a thread that runs an ingest service, once something is requested
   */
  constructor(openHost: () => Host<IngestService>) {
    const count = Math.min(availableParallelism(), MAX_THREADS);
    this.#threads = Array.from({ length: count }, () => ({ host: openHost(), running: 0 }));
  }

  append(...args: Parameters<Ingest["append"]>): ReturnType<Ingest["append"]> {
    return this.#run((host) => host.call("append", ...args));
  }

  settle(shelf: number): Promise<void> {
    return this.#run((host) => host.call("settle", shelf));
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map(({ host }) => host.close()));
  }

  /** Runs a request in the thread that has the fewest. */
  async #run<T>(request: (host: Host<IngestService>) => Promise<T>): Promise<T> {
    const thread = this.#threads.reduce((a, b) => (b.running < a.running ? b : a));
    thread.running++;
    try {
      return await request(thread.host);
    } finally {
      thread.running--;
    }
  }
}
