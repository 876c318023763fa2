/** The picker's side of the thread that answers. */
import { Worker } from "node:worker_threads";
import { assertNotUpgraded, type ErrorCode, PidexError } from "../../index.ts";
import type { IndexPlace } from "../doing/synced.ts";
import type { Failure, FromThread, QuestionName, Questions, ToThread } from "./model/questions.ts";

const PROGRAM = new URL(
  import.meta.url.endsWith(".ts") ? "./answering/asking-thread.ts" : "./asking-thread.js",
  import.meta.url,
);

/** Room for what is thrown away at once: by itself it would take several times that, and no less time. */
const YOUNG_MB = 6;
/** Room for all else: the smaller it is, the sooner garbage goes. A session of 200,000 entries fits. */
const OLD_MB = 384;

/** Who waits for an answer. */
interface Waiting {
  resolve: (answer: unknown) => void;
  reject: (error: Error) => void;
  part?: (answer: unknown) => void;
}

/** Asks the thread. */
export class Asker {
  readonly #place: IndexPlace;
  readonly #onNotice: (notice: string) => void;
  #thread: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  /** Why there will be no other thread: the program's files are those of another version. */
  #over: PidexError | undefined;

  /** @param onNotice told, in a sentence, what was done unasked */
  constructor(place: IndexPlace, onNotice: (notice: string) => void) {
    this.#place = place;
    this.#onNotice = onNotice;
    this.#thread = this.#start();
  }

  #start(): Worker {
    const thread = new Worker(PROGRAM, {
      workerData: this.#place,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB, maxOldGenerationSizeMb: OLD_MB },
    });
    thread.on("message", (message: FromThread) => {
      if ("notice" in message) this.#onNotice(message.notice);
      else this.#answered(message);
    });
    // What broke it off, want of memory for one, is told to who asked for it; the next question finds another.
    thread.on("error", (error) => {
      this.#over = afterUpgrade();
      if (!this.#over) this.#thread = this.#start();
      for (const { reject } of this.#waiting.values()) reject(this.#over ?? error);
      this.#waiting.clear();
    });
    return thread;
  }

  /**
   * @param part told what is known before all is
   * @param signal ends work that nobody waits for any more
   * @throws PidexError as the index does
   */
  ask<N extends QuestionName>(
    name: N,
    ask: Questions[N]["ask"],
    { part, signal }: { part?: (answer: Questions[N]["answer"]) => void; signal?: AbortSignal } = {},
  ): Promise<Questions[N]["answer"]> {
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<Questions[N]["answer"]>();
    if (this.#over) reject(this.#over);
    const waiting = { resolve, reject, ...(part && { part }) };
    this.#waiting.set(id, waiting as Waiting);
    signal?.addEventListener("abort", () => this.#post({ cancel: id }), { once: true });
    this.#post({ id, name, ask });
    return promise;
  }

  #answered(message: Exclude<FromThread, { notice: string }>): void {
    const waiting = this.#waiting.get(message.id);
    if ("answer" in message && message.isPart) waiting?.part?.(message.answer);
    else {
      this.#waiting.delete(message.id);
      if ("error" in message) waiting?.reject(asError(message.error));
      else waiting?.resolve(message.answer);
    }
  }

  /** What the thread remembers is old. */
  changed(): void {
    this.#post({ changed: true });
  }

  #post(message: ToThread): void {
    this.#thread.postMessage(message);
  }

  async close(): Promise<void> {
    await this.#thread.terminate();
  }
}

function afterUpgrade(): PidexError | undefined {
  try {
    assertNotUpgraded();
    return undefined;
  } catch (error) {
    if (error instanceof PidexError) return error;
    throw error;
  }
}

function asError({ message, hint = "", code }: Failure): Error {
  return code === undefined ? new Error(message) : new PidexError(code as ErrorCode, message, hint);
}
