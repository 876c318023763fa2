/** Client of the index process, which starts with the first request and never keeps pi from exiting. */

import { Host } from "../../library/host/host.ts";
import { startProcess } from "../../library/host/process.ts";
import type { AgentService } from "../agents/agent-service.ts";
import type { Answer, RequestOptions } from "../agents/answer.ts";
import type { RequestData, RequestInput, RequestName } from "../agents/requests.ts";
import { formatErrorNotice } from "../format/error-notice.ts";
import { findNode } from "./find-node.ts";

/** The host program: TypeScript when run from source. */
const PROGRAM = new URL(import.meta.url.endsWith(".ts") ? "../host.ts" : "../bin/host.js", import.meta.url);

/** In milliseconds. */
const TIMES = {
  /** Delay of a sync after an event, because more events may follow at once. */
  syncAfter: 1000,
  /** Minimum interval between syncs. */
  syncEvery: 5000,
  /** The process ends after this time without requests. */
  idle: 5 * 60_000,
};

export class IndexClient {
  readonly #onNotice: (notice: string) => void;
  readonly #onSync: (() => void) | undefined;
  readonly #times: typeof TIMES;
  readonly #host: Host<AgentService>;
  #process: ReturnType<typeof startProcess> | undefined;
  #isEnded = false;
  #syncTimer: NodeJS.Timeout | undefined;
  #syncedAt = Number.NEGATIVE_INFINITY;

  /** @param options.onSync called when a scheduled sync has started: requests that follow wait for it */
  constructor({
    onNotice,
    onSync,
    ...times
  }: { onNotice: (notice: string) => void; onSync?: () => void } & Partial<typeof TIMES>) {
    this.#onNotice = onNotice;
    this.#onSync = onSync;
    this.#times = { ...TIMES, ...times };
    this.#host = new Host<AgentService>({
      start: async () => {
        this.#process = startProcess(PROGRAM, await findNode());
        return this.#process;
      },
      service: "agents",
      options: {},
      idleMs: this.#times.idle,
      onNotice,
    });
  }

  /** Id of the process, if it runs. */
  get pid(): number | undefined {
    return this.#host.isRunning ? this.#process?.pid : undefined;
  }

  /** @throws PidexErrors, as AgentIndex does; the signal's reason when aborted */
  async request<N extends RequestName>(
    name: N,
    params: RequestInput<N>,
    options: RequestOptions,
  ): Promise<Answer<RequestData<N>>> {
    return this.#host.call("request", name, params, options) as Promise<Answer<RequestData<N>>>;
  }

  /** Schedules a sync after a write, without waiting for it. */
  scheduleSync(): void {
    if (this.#isEnded || this.#syncTimer) return;
    const { syncAfter, syncEvery } = this.#times;
    const wait = Math.max(syncAfter, this.#syncedAt + syncEvery - performance.now());
    this.#syncTimer = setTimeout(() => {
      this.#syncTimer = undefined;
      this.#syncedAt = performance.now();
      this.#host.call("sync").then(
        () => {
          if (!this.#isEnded) this.#onSync?.();
        },
        (error: unknown) => {
          if (!this.#isEnded) this.#onNotice(formatErrorNotice(error));
        },
      );
    }, wait);
    this.#syncTimer.unref();
  }

  /** Ends the process after a final sync. Doesn't start a process for that. */
  close(): void {
    this.#isEnded = true;
    clearTimeout(this.#syncTimer);
    void this.#host.close();
  }
}
