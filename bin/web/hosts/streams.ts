/** Answers of any length, each from a host of its own, as fast as they are read. */
import type { Host } from "../../../library/host/host.ts";
import type { PageService } from "./page-service.ts";

/** Streams of one kind that run at a time: each has a thread, and uses memory. Others wait. */
const MAX_STREAMS = 4;
/** A stream of which nothing was read for so long is ended: a paused download would keep its slot from others. */
const MAX_IDLE_MS = 60_000;

type Kind = "export" | "scan";

/** Opens one of the host's streams. */
type OpenPieces = (host: Host<PageService>) => AsyncGenerator<string>;

export class Streams {
  readonly #newHost: () => Host<PageService>;
  readonly #maxIdleMs: number;
  readonly #running = new Set<Host<PageService>>();
  /** Of each kind its own: exports that are read slowly don't hold up scans. */
  readonly #slots: Readonly<Record<Kind, Slots>> = {
    export: new Slots(MAX_STREAMS),
    scan: new Slots(MAX_STREAMS),
  };
  #isClosed = false;

  constructor(newHost: () => Host<PageService>, { maxIdleMs = MAX_IDLE_MS }: { maxIdleMs?: number } = {}) {
    this.#newHost = newHost;
    this.#maxIdleMs = maxIdleMs;
  }

  /** How many streams are open. */
  get running(): number {
    return this.#running.size;
  }

  /**
   * The pieces of an answer, at least one of which is there already: until then what fails can be reported as an error. Its host
   * ends with it, when its reader cancels, and when nothing was read for `maxIdleMs`, after which reading it fails.
   *
   * @param signal nobody waits for the first piece any more
   * @throws what fails before the first piece; the signal's reason when aborted before; PidexError `UPGRADED`
   */
  async open(kind: Kind, pieces: OpenPieces, signal?: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const slots = this.#slots[kind];
    await slots.take(signal);
    const host = this.#newHost();
    this.#running.add(host);
    let isEnding = false;
    const end = () => {
      if (isEnding) return;
      isEnding = true;
      void host.close().finally(() => {
        this.#running.delete(host);
        slots.release();
      });
    };
    signal?.addEventListener("abort", end, { once: true });
    const stream = pieces(host);
    let first: IteratorResult<string> | undefined;
    try {
      signal?.throwIfAborted();
      if (this.#isClosed) throw new Error("the server has ended");
      first = await stream.next();
    } catch (error) {
      end();
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
        end();
      };
      idle = setTimeout(onIdle, maxIdleMs).unref();
    };
    return new ReadableStream<Uint8Array>(
      {
        start: waitForReader,
        async pull(controller) {
          clearTimeout(idle); // the next piece may take any time
          try {
            const { done, value } = first ?? (await stream.next());
            first = undefined;
            if (!done) {
              controller.enqueue(encoder.encode(value));
              waitForReader(controller);
              return;
            }
            controller.close();
          } catch (error) {
            controller.error(error);
          }
          end();
        },
        cancel() {
          clearTimeout(idle);
          end();
        },
      },
      { highWaterMark: 0 }, // what is read is asked for
    );
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#running].map((host) => host.close()));
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
