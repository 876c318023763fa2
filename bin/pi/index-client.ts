/** The extension's side of the host that has the index: a process that is started when something is asked, and never keeps pi from ending. */
import { Host } from "../../library/host/host.ts";
import { startProcess } from "../../library/host/process.ts";
import { PidexError } from "../../library/index.ts";
import type { AgentService, Asks } from "../agents/agent-service.ts";
import type { Answer, Progress } from "../agents/answer.ts";
import type { AskingSession } from "../agents/asking.ts";
import { findNode } from "./find-node.ts";

/** From source Node runs TypeScript as it is. */
const PROGRAM = new URL(import.meta.url.endsWith(".ts") ? "../host.ts" : "../bin/host.js", import.meta.url);

/** In milliseconds. */
const TIMES = {
  /** So long after something happened the index is brought up to date: more may happen at once. */
  syncAfter: 1000,
  /** Not more often than this. */
  syncEvery: 5000,
  /** So long without a question, and the process is let go. */
  idle: 5 * 60_000,
};

export interface AskOptions {
  asking: AskingSession;
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
}

export class IndexClient {
  readonly #onNotice: (notice: string) => void;
  readonly #times: typeof TIMES;
  readonly #host: Host<AgentService>;
  #process: ReturnType<typeof startProcess> | undefined;
  #isEnded = false;
  #syncTimer: NodeJS.Timeout | undefined;
  #syncedAt = Number.NEGATIVE_INFINITY;

  constructor({ onNotice, ...times }: { onNotice: (notice: string) => void } & Partial<typeof TIMES>) {
    this.#onNotice = onNotice;
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

  /** The process, while there is one. */
  get pid(): number | undefined {
    return this.#host.isRunning ? this.#process?.pid : undefined;
  }

  /** @throws PidexErrors, as AgentIndex does; the signal's reason when aborted */
  async ask<K extends keyof Asks>(
    ask: K,
    question: Asks[K][0],
    { asking, signal, onProgress }: AskOptions,
  ): Promise<Answer<Asks[K][1]>> {
    return this.#host.call("ask", ask, question, asking, { signal, onProgress }) as Promise<
      Answer<Asks[K][1]>
    >;
  }

  /** Something was written: the index is brought up to date, soon. Nothing waits for that. */
  sync(): void {
    if (this.#isEnded || this.#syncTimer) return;
    const { syncAfter, syncEvery } = this.#times;
    const wait = Math.max(syncAfter, this.#syncedAt + syncEvery - performance.now());
    this.#syncTimer = setTimeout(() => {
      this.#syncTimer = undefined;
      this.#syncedAt = performance.now();
      this.#host.call("sync").catch((error: unknown) => {
        if (!this.#isEnded) this.#onNotice(noticeOf(error));
      });
    }, wait);
    this.#syncTimer.unref();
  }

  /** Lets the process go, which brings the index up to date for the last time. None is begun for that. */
  end(): void {
    this.#isEnded = true;
    clearTimeout(this.#syncTimer);
    void this.#host.close();
  }
}

/** An error as a user reads it, what to do included. */
export function noticeOf(error: unknown): string {
  if (error instanceof PidexError) return `${error.message}. ${error.hint}`;
  return error instanceof Error ? error.message : String(error);
}
