/** Asks the process that has the index. It is begun when something is to be asked, and never keeps pi from ending. */
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type ErrorCode, PidexError } from "../../library/index.ts";
import type { Answer, Progress } from "../agents/answer.ts";
import type { AskingSession } from "../agents/asking.ts";
import { findNode } from "./find-node.ts";
import type { Asks, FromIndex, ToIndex, ToldError } from "./index-messages.ts";

/** From source Node runs TypeScript as it is. */
const PROGRAM = new URL(
  import.meta.url.endsWith(".ts") ? "./index-process.ts" : "../bin/index-process.js",
  import.meta.url,
);

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

interface Open {
  resolve(answer: Answer<unknown>): void;
  reject(error: unknown): void;
  onProgress?: ((progress: Progress) => void) | undefined;
}

export class IndexClient {
  readonly #onNotice: (notice: string) => void;
  readonly #times: typeof TIMES;
  #starting: Promise<ChildProcess> | undefined;
  #child: ChildProcess | undefined;
  #isEnded = false;
  /** The questions without an answer. */
  readonly #open = new Map<number, Open>();
  #lastId = 0;
  #syncTimer: NodeJS.Timeout | undefined;
  #syncedAt = Number.NEGATIVE_INFINITY;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor({ onNotice, ...times }: { onNotice: (notice: string) => void } & Partial<typeof TIMES>) {
    this.#onNotice = onNotice;
    this.#times = { ...TIMES, ...times };
  }

  /** The process, while there is one. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** @throws PidexErrors, as AgentIndex does; the signal's reason when aborted */
  async ask<K extends keyof Asks>(
    ask: K,
    question: Asks[K][0],
    { asking, signal, onProgress }: AskOptions,
  ): Promise<Answer<Asks[K][1]>> {
    signal?.throwIfAborted();
    const child = await this.#running();
    signal?.throwIfAborted();
    const id = ++this.#lastId;
    let cancel = () => {};
    try {
      return (await new Promise<Answer<unknown>>((resolve, reject) => {
        this.#open.set(id, { resolve, reject, onProgress });
        this.#hold(child);
        cancel = () => {
          this.#send(child, { cancel: id });
          reject(signal?.reason);
        };
        signal?.addEventListener("abort", cancel, { once: true });
        this.#send(child, { id, ask, question, asking });
      })) as Answer<Asks[K][1]>;
    } finally {
      signal?.removeEventListener("abort", cancel);
      this.#open.delete(id);
      this.#hold(child);
      this.#rest();
    }
  }

  /** Something was written: the index is brought up to date, soon. */
  sync(): void {
    if (this.#isEnded || this.#syncTimer) return;
    const { syncAfter, syncEvery } = this.#times;
    const wait = Math.max(syncAfter, this.#syncedAt + syncEvery - performance.now());
    this.#syncTimer = setTimeout(() => {
      this.#syncTimer = undefined;
      this.#syncedAt = performance.now();
      this.#running().then(
        (child) => {
          this.#send(child, { sync: true });
          this.#rest();
        },
        (error: unknown) => this.#onNotice(noticeOf(error)),
      );
    }, wait);
    this.#syncTimer.unref();
  }

  /** Lets the process go, which brings the index up to date for the last time. None is begun for that. */
  end(): void {
    this.#isEnded = true;
    clearTimeout(this.#syncTimer);
    const child = this.#child;
    if (child) this.#send(child, { sync: true });
    this.#letGo();
  }

  #running(): Promise<ChildProcess> {
    if (this.#isEnded)
      return Promise.reject(gone("it was let go", "Ask again in the session that pi is in."));
    this.#starting ??= this.#start().catch((error: unknown) => {
      this.#starting = undefined;
      throw error;
    });
    return this.#starting;
  }

  async #start(): Promise<ChildProcess> {
    const node = await findNode();
    const { NODE_OPTIONS: _, ...env } = process.env; // meant for pi
    const child = spawn(node, [fileURLToPath(PROGRAM)], {
      env,
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      windowsHide: true,
    });
    child.on("message", (message: FromIndex) => this.#take(message));
    child.on("error", (error) => this.#lost(child, error.message));
    child.on("exit", (code, by) => this.#lost(child, by ?? `exit ${code}`));
    this.#child = child;
    this.#hold(child);
    if (this.#isEnded) this.#letGo(); // meanwhile
    return child;
  }

  #send(child: ChildProcess, message: ToIndex): void {
    if (child.connected)
      child.send(message, () => {}); // that it could not be sent is told by how the process ends
    else this.#lost(child, "it does not listen");
  }

  #take(message: FromIndex): void {
    if ("notice" in message) {
      this.#onNotice(message.notice);
      return;
    }
    const open = this.#open.get(message.id);
    if ("progress" in message) open?.onProgress?.(message.progress);
    else if ("answer" in message) open?.resolve(message.answer);
    else open?.reject(thrown(message.error));
  }

  /** The process is gone: nobody answers what was asked, and the next question begins another. */
  #lost(child: ChildProcess, how: string): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    this.#starting = undefined;
    const error = gone(how, "Ask again; where that does not help, look with: pidex doctor.");
    for (const { reject } of this.#open.values()) reject(error);
  }

  /** While an answer is awaited pi is not to end, which it does when nothing holds it; else the process is nothing to wait for. */
  #hold(child: ChildProcess): void {
    const hold = this.#open.size > 0 ? "ref" : "unref";
    child[hold]();
    child.channel?.[hold]?.(); // which Bun lacks: there it goes with the process
  }

  #rest(): void {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => {
      if (this.#open.size === 0) this.#letGo();
    }, this.#times.idle);
    this.#idleTimer.unref();
  }

  #letGo(): void {
    clearTimeout(this.#idleTimer);
    const child = this.#child;
    if (!child) return;
    this.#lost(child, "it was let go");
    if (child.connected) child.disconnect();
  }
}

function gone(how: string, hint: string): PidexError {
  return new PidexError("DATABASE_UNAVAILABLE", `the process that has the index is gone: ${how}`, hint);
}

function thrown({ message, code, hint }: ToldError): Error {
  if (code === undefined || hint === undefined) return new Error(message);
  return new PidexError(code as ErrorCode, message, hint); // ours: it comes from a program of the same package
}

/** An error as a user reads it, what to do included. */
export function noticeOf(error: unknown): string {
  if (error instanceof PidexError) return `${error.message}. ${error.hint}`;
  return error instanceof Error ? error.message : String(error);
}
