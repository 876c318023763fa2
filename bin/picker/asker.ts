/** The picker's side of the thread that answers. */
import { Worker } from "node:worker_threads";
import { type ErrorCode, PidexError } from "../../library/index.ts";
import { assertNotUpgraded } from "../../library/internal.ts";
import type { IndexPlace } from "../actions/synced.ts";
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
  /** The thread that the question was sent to. */
  thread: Worker;
  resolve: (answer: unknown) => void;
  reject: (error: Error) => void;
  part?: (answer: unknown) => void;
}

/** Asks the thread. */
export class Asker {
  readonly #place: IndexPlace;
  readonly #onNotice: (notice: string) => void;
  #thread: Worker | undefined;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #isClosed = false;

  /** @param onNotice told, in a sentence, what was done unasked */
  constructor(place: IndexPlace, onNotice: (notice: string) => void) {
    this.#place = place;
    this.#onNotice = onNotice;
  }

  /** The thread that answers now; undefined before the first question, and after a thread has ended until the next one. */
  get thread(): Worker | undefined {
    return this.#thread;
  }

  /**
   * Begins the thread: else the first question does.
   *
   * @throws PidexError `UPGRADED`
   */
  begin(): Worker {
    assertNotUpgraded();
    const thread = new Worker(PROGRAM, {
      workerData: this.#place,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB, maxOldGenerationSizeMb: OLD_MB },
    });
    this.#thread = thread;
    thread.on("message", (message: FromThread) => {
      if ("notice" in message) this.#onNotice(message.notice);
      else this.#answered(message);
    });
    // What ended it, want of memory for one, rejects the questions that it had. The next one begins another thread, perhaps
    // between "error" and "exit".
    thread.once("error", (error) => this.#ended(thread, error));
    thread.once("exit", () => this.#ended(thread, new Error("the thread that answers has ended")));
    return thread;
  }

  #ended(thread: Worker, error: Error): void {
    if (this.#thread === thread) this.#thread = undefined;
    const lost = [...this.#waiting].filter(([, waiting]) => waiting.thread === thread);
    if (lost.length === 0) return;
    const why = upgraded() ?? error;
    for (const [id, { reject }] of lost) {
      this.#waiting.delete(id);
      reject(why);
    }
  }

  /**
   * @param part told what is known before all is
   * @param signal ends work that nobody waits for any more
   * @throws PidexError as the index does; `UPGRADED` where the thread has ended and the program's files are another version's
   */
  ask<N extends QuestionName>(
    name: N,
    ask: Questions[N]["ask"],
    { part, signal }: { part?: (answer: Questions[N]["answer"]) => void; signal?: AbortSignal } = {},
  ): Promise<Questions[N]["answer"]> {
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<Questions[N]["answer"]>();
    try {
      if (this.#isClosed) throw new Error("the thread that answers has been closed");
      const thread = this.#thread ?? this.begin();
      const waiting = { thread, resolve, reject, ...(part && { part }) };
      this.#waiting.set(id, waiting as Waiting);
      const cancel = () => thread.postMessage({ cancel: id } satisfies ToThread);
      signal?.addEventListener("abort", cancel, { once: true });
      thread.postMessage({ id, name, ask } satisfies ToThread);
    } catch (error) {
      reject(error);
    }
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
    this.#thread?.postMessage({ changed: true } satisfies ToThread);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const thread = this.#thread;
    if (!thread) return;
    thread.removeAllListeners(); // what was asked is answered no more, and waits for nothing
    thread.on("error", () => {}); // one that comes while it ends would be thrown otherwise
    await thread.terminate();
  }
}

function upgraded(): PidexError | undefined {
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
