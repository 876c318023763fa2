/** The threads of the server: what takes long is asked there, so that no other answer waits for it. */
import { Worker } from "node:worker_threads";
import { type ErrorCode, type Index, PidexError } from "../../../library/index.ts";
import { assertNotUpgraded } from "../../../library/internal.ts";

/** Where the index is, for threads that open it. */
export interface ThreadPlace {
  db: string;
  roots: string[] | undefined;
}

const program = (name: string) =>
  new URL(import.meta.url.endsWith(".ts") ? `./${name}.ts` : `./${name}.js`, import.meta.url);

/** What went wrong in a thread, as it is sent. */
export interface ThreadFailure {
  code?: ErrorCode;
  message: string;
  hint: string;
}

export function threadFailure(error: unknown): ThreadFailure {
  if (error instanceof PidexError) {
    const { code, message, hint } = error;
    return { code, message, hint };
  }
  return { message: error instanceof Error ? (error.stack ?? error.message) : String(error), hint: "" };
}

function asError({ code, message, hint }: ThreadFailure): Error {
  return code === undefined ? new Error(message) : new PidexError(code, message, hint);
}

/** The questions of an index that a thread answers: those whose answers can be sent whole. */
export type ThreadQuestion = "search" | "searchEntries";

/** What the thread is told. */
export type ToIndexThread =
  | { id: number; question: ThreadQuestion; asked: Parameters<Index[ThreadQuestion]> }
  | { cancel: number }
  | { refreshRoots: true };

/** What it tells. */
export type FromIndexThread = { id: number } & ({ answer: unknown } | { failure: ThreadFailure });

interface Waiting {
  /** The thread that the question was sent to. */
  worker: Worker;
  resolve(answer: never): void;
  reject(error: unknown): void;
}

/** Asks an index in a thread of its own, one question after the other. */
export class IndexThread {
  readonly #place: ThreadPlace;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #lastId = 0;
  #isClosed = false;

  constructor(place: ThreadPlace) {
    this.#place = place;
  }

  /**
   * Begins the thread, which warms up: else the first question does.
   *
   * @throws PidexError `UPGRADED`
   */
  begin(): Worker {
    assertNotUpgraded();
    const worker = new Worker(program("index-thread"), { workerData: this.#place });
    this.#worker = worker;
    worker.on("message", (told: FromIndexThread) => {
      const waiting = this.#waiting.get(told.id);
      this.#waiting.delete(told.id);
      if ("failure" in told) waiting?.reject(asError(told.failure));
      else waiting?.resolve(told.answer as never);
    });
    // A failure, such as running out of memory, rejects the questions sent to this thread. The next question starts another
    // thread, perhaps between "error" and "exit".
    const ended = (error: Error) => {
      if (this.#worker === worker) this.#worker = undefined;
      for (const [id, waiting] of this.#waiting) {
        if (waiting.worker !== worker) continue;
        this.#waiting.delete(id);
        waiting.reject(error);
      }
    };
    worker.once("error", ended);
    worker.once("exit", () => ended(new Error("the thread that searches has ended")));
    return worker;
  }

  /**
   * @param signal takes the question back; one that is being answered is answered, and the answer thrown away
   * @throws as the index does; the signal's reason when aborted; PidexError `UPGRADED`
   */
  ask<Q extends ThreadQuestion>(
    question: Q,
    asked: Parameters<Index[Q]>,
    signal?: AbortSignal,
  ): ReturnType<Index[Q]> {
    const id = ++this.#lastId;
    const answer = new Promise<unknown>((resolve, reject) => {
      signal?.throwIfAborted();
      if (this.#isClosed) throw new Error("the server has ended");
      const worker = this.#worker ?? this.begin();
      this.#waiting.set(id, { worker, resolve, reject });
      worker.postMessage({ id, question, asked } satisfies ToIndexThread);
      signal?.addEventListener(
        "abort",
        () => {
          if (!this.#waiting.delete(id)) return;
          worker.postMessage({ cancel: id } satisfies ToIndexThread);
          reject(signal.reason);
        },
        { once: true },
      );
    });
    return answer as ReturnType<Index[Q]>;
  }

  /** Has it look for session folders that have come since, before it answers what is asked from now on. */
  refreshRoots(): void {
    this.#worker?.postMessage({ refreshRoots: true } satisfies ToIndexThread);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker?.terminate();
  }
}

/** All of them. */
export interface Threads {
  searching: IndexThread;
  /** Counting takes longer than what is shown while somebody types. */
  counting: IndexThread;
  streams: StreamThreads;
}

export function makeThreads(place: ThreadPlace): Threads {
  return {
    searching: new IndexThread(place),
    counting: new IndexThread(place),
    streams: new StreamThreads(place),
  };
}

export async function closeThreads({ searching, counting, streams }: Threads): Promise<void> {
  await Promise.all([searching.close(), counting.close(), streams.close()]);
}

/** What is told as a stream: of the routes' questions, those that go through files. */
export type StreamJob =
  | { kind: "export"; options: object; redact: boolean }
  | { kind: "scan"; regex: string; options: object };

/** What a streaming thread is told: that there is room for another piece. */
export interface ToStreamThread {
  room: true;
}

/** What it tells. */
export type FromStreamThread = { piece: string } | { end: true } | { failure: ThreadFailure };

/** Streams of one kind that run at a time: each has a thread, and uses memory. Others wait. */
const MAX_STREAMS = 4;
/** Pieces that are on their way at most: the thread waits until they are read. */
const ROOM = 8;
/** A stream of which nothing was read for so long is ended: a paused download would keep its slot from others. */
const MAX_IDLE_MS = 60_000;

/** Tells answers of any length, each from a thread of its own, as fast as they are read. */
export class StreamThreads {
  readonly #place: ThreadPlace;
  readonly #maxIdleMs: number;
  readonly #running = new Set<Worker>();
  /** Of each kind its own: exports that are read slowly don't hold up scans. */
  readonly #slots: Readonly<Record<StreamJob["kind"], Slots>> = {
    export: new Slots(MAX_STREAMS),
    scan: new Slots(MAX_STREAMS),
  };
  #isClosed = false;

  constructor(place: ThreadPlace, { maxIdleMs = MAX_IDLE_MS }: { maxIdleMs?: number } = {}) {
    this.#place = place;
    this.#maxIdleMs = maxIdleMs;
  }

  /** How many streams are being told. */
  get running(): number {
    return this.#running.size;
  }

  /**
   * The pieces of an answer, at least one of which is there already: until then what fails can be told as an error. Its thread
   * ends with it, when its reader cancels, and when nothing was read for `maxIdleMs`, after which reading it fails.
   *
   * @param signal nobody waits for the first piece any more
   * @throws what the job throws before its first piece; the signal's reason when aborted before; PidexError `UPGRADED`
   */
  async open(job: StreamJob, signal?: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const slots = this.#slots[job.kind];
    await slots.take(signal);
    let worker: Worker;
    try {
      signal?.throwIfAborted();
      worker = this.#begin(job);
    } catch (error) {
      slots.release();
      throw error;
    }
    worker.once("exit", () => {
      this.#running.delete(worker);
      slots.release();
    });
    const pieces = piecesOf(worker);
    const stop = () => void worker.terminate();
    signal?.addEventListener("abort", stop, { once: true });
    let first: IteratorResult<string> | undefined;
    try {
      first = await pieces.next();
    } catch (error) {
      stop();
      signal?.throwIfAborted();
      throw error;
    }
    const encoder = new TextEncoder();
    const maxIdleMs = this.#maxIdleMs;
    let idle: NodeJS.Timeout | undefined;
    /** Counts from now on until something is read. */
    const waitForReader = (controller: ReadableStreamDefaultController) => {
      const onIdle = () => {
        controller.error(new StreamIdleError(maxIdleMs));
        stop();
      };
      idle = setTimeout(onIdle, maxIdleMs).unref();
    };
    const end = () => {
      clearTimeout(idle);
      stop();
    };
    return new ReadableStream<Uint8Array>(
      {
        start: waitForReader,
        async pull(controller) {
          clearTimeout(idle); // the next piece may take any time
          try {
            const { done, value } = first ?? (await pieces.next());
            first = undefined;
            if (!done) {
              controller.enqueue(encoder.encode(value));
              return waitForReader(controller);
            }
            controller.close();
          } catch (error) {
            controller.error(error);
          }
          stop();
        },
        cancel: end,
      },
      { highWaterMark: 0 }, // what is read is asked for
    );
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#running].map((worker) => worker.terminate()));
  }

  #begin(job: StreamJob): Worker {
    if (this.#isClosed) throw new Error("the server has ended");
    assertNotUpgraded();
    const worker = new Worker(program("stream-thread"), {
      workerData: { place: this.#place, job, room: ROOM },
    });
    this.#running.add(worker);
    return worker;
  }
}

/** Nothing was read of a stream for too long. */
export class StreamIdleError extends Error {
  constructor(maxIdleMs: number) {
    super(`A paused download was ended: nothing was read for ${maxIdleMs / 1000} s.`);
    this.stack = this.message; // the server prints it where pidex serve was started
  }
}

/** A number of slots, each with one holder at a time. */
class Slots {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Resolves once the caller holds a slot, first come, first served. @throws the signal's reason when aborted before */
  async take(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const onAbort = () => {
        this.#waiting.delete(onFree);
        reject(signal?.reason);
      };
      const onFree = () => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      };
      this.#waiting.add(onFree);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  /** Hands the slot to the first that waits. */
  release(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#free++;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}

/** What a thread tells, piece by piece. Each that is taken makes room for another. */
async function* piecesOf(worker: Worker): AsyncGenerator<string, undefined> {
  const told: FromStreamThread[] = [];
  let wake = () => {};
  const tell = (message: FromStreamThread) => {
    told.push(message);
    wake();
  };
  worker.on("message", tell);
  worker.once("error", (error) => tell({ failure: threadFailure(error) }));
  worker.once("exit", () => tell({ failure: { message: "the thread has ended", hint: "" } }));
  for (;;) {
    const next = told.shift();
    if (!next) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      continue;
    }
    if ("failure" in next) throw asError(next.failure);
    if ("end" in next) return undefined;
    yield next.piece;
    worker.postMessage({ room: true } satisfies ToStreamThread);
  }
}
