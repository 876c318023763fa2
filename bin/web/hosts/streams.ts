/** Streamed responses of any length. Each has its own host and runs as fast as it is read. */
import { EventEmitter, once } from "node:events";
import type { Host } from "../../../library/host/host.ts";
import type { PageService } from "./page-service.ts";

/** Maximum number of concurrent streams of a kind, because each uses a thread and memory. Others wait. */
const MAX_STREAMS = 4;
/** A stream that is not read for this long is aborted, because a paused download would block a slot. */
const MAX_IDLE_MS = 60_000;

type Kind = "export" | "scan";

/** Opens one of the host's streams. */
type OpenPieces = (host: Host<PageService>) => AsyncGenerator<string>;

export class Streams {
  readonly #newHost: () => Host<PageService>;
  readonly #maxIdleMs: number;
  readonly #running = new Set<Host<PageService>>();
  /** Per kind, so that slow exports don't block scans. */
  readonly #slots: Readonly<Record<Kind, Slots>> = {
    export: new Slots(MAX_STREAMS),
    scan: new Slots(MAX_STREAMS),
  };
  #isClosed = false;

  constructor(newHost: () => Host<PageService>, { maxIdleMs = MAX_IDLE_MS }: { maxIdleMs?: number } = {}) {
    this.#newHost = newHost;
    this.#maxIdleMs = maxIdleMs;
  }

  /** Number of open streams. */
  get openCount(): number {
    return this.#running.size;
  }

  /**
   * Opens a stream once its first chunk is available, so that earlier failures can still be reported as errors. The host closes
   * at the end of the stream, when the reader cancels, and after `maxIdleMs` without a read, which also fails the stream.
   *
   * @param signal aborts waiting for the first chunk
   * @throws errors before the first chunk; the signal's reason when aborted before; PidexError `UPGRADED`
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
      if (this.#isClosed) throw new Error("the server is closed");
      first = await stream.next();
    } catch (error) {
      end();
      signal?.throwIfAborted();
      throw error;
    }
    const encoder = new TextEncoder();
    const maxIdleMs = this.#maxIdleMs;
    let idle: NodeJS.Timeout | undefined;
    /** Restarts the idle timer. */
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
          clearTimeout(idle); // the next chunk may take any time
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
      { highWaterMark: 0 }, // nothing is buffered ahead of the reader
    );
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#running].map((host) => host.close()));
  }
}

/** A stream was not read for too long. */
class StreamIdleError extends Error {
  constructor(maxIdleMs: number) {
    super(`paused download aborted: no data read for ${maxIdleMs / 1000} s`);
    this.stack = this.message; // the server logs the stack
  }
}

/** A number of slots, each with one holder at a time. */
class Slots extends EventEmitter {
  #free: number;

  constructor(count: number) {
    super();
    this.setMaxListeners(0); // any number may wait
    this.#free = count;
  }

  /** Resolves once the caller holds a slot, first come, first served. @throws the signal's reason when aborted before */
  async take(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    while (this.#free === 0) await once(this, "free", { signal }).catch(() => signal?.throwIfAborted());
    this.#free--;
  }

  release(): void {
    this.#free++;
    this.emit("free");
  }
}
