/** The caller's side of an index host: a thread or process that works on an index, so that the caller is never blocked. */
import { PidexError } from "../../src/errors.ts";
import {
  type FromHost,
  fromSentError,
  type RequestControls,
  STREAM_WINDOW,
  type ToHost,
} from "./messages.ts";

/** A connection to a thread or process that runs `serveHost`. */
export interface Endpoint {
  post(message: ToHost): void;
  /** @param onEnd called once, also when the thread or process could not start */
  listen(onMessage: (message: FromHost) => void, onEnd: (reason: Error) => void): void;
  /** Whether it keeps this process alive. */
  setKeepAlive(isHeld: boolean): void;
  /** Resolves once it has ended. Call it after sending `close`. */
  end(): Promise<void>;
}

export interface HostOptions {
  /** Starts the program; called again for the first request after it ended. If it throws, that request rejects. */
  start: () => Endpoint | Promise<Endpoint>;
  /** Name of the service to open, and the options to open it with. */
  service: string;
  options: object;
  /** Ends an idle host after this many milliseconds; the next request starts another. Default: never. */
  idleMs?: number;
  /** Called with the service's notices, each a sentence. */
  onNotice?: ((notice: string) => void) | undefined;
}

type Method = (...args: never[]) => unknown;
type CallName<T> = {
  [K in keyof T]: T[K] extends Method ? (ReturnType<T[K]> extends AsyncGenerator ? never : K) : never;
}[keyof T] &
  string;
type StreamName<T> = {
  [K in keyof T]: T[K] extends (...args: never[]) => AsyncGenerator ? K : never;
}[keyof T] &
  string;
type ArgsOf<F> = F extends (...args: infer A) => unknown ? A : never;
type ResultOf<F> = F extends (...args: never[]) => infer R ? Awaited<R> : never;
type StreamOf<F> = F extends (...args: never[]) => infer R ? R : never;

interface Receiver {
  onItem?: (item: unknown) => void;
  onValue: (value: never) => void;
  onError: (error: unknown) => void;
}

interface Pending extends Receiver {
  callbacks: Readonly<Record<string, (...args: unknown[]) => unknown>>;
  finish: () => void;
}

interface Running {
  endpoint: Endpoint;
  pending: Map<number, Pending>;
}

/**
 * A host that runs the service `T`. A method's last argument, the options, may contain a `signal` and callbacks; aborting the signal rejects
 * the call immediately, and the host stops working on it when it next checks its own signal. Requests start in the order they were made.
 *
 * If a host ends, its requests reject with `DATABASE_UNAVAILABLE`, or with the PidexError that its endpoint reports; the next request starts
 * another host.
 */
export class Host<T extends object> {
  readonly #options: HostOptions;
  #starting: Promise<Running> | undefined;
  #running: Running | undefined;
  #lastId = 0;
  #isClosed = false;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(options: HostOptions) {
    this.#options = options;
  }

  /** Whether a thread or process runs. */
  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Starts the host now instead of with the first request. @throws PidexError `UPGRADED`, `DATABASE_UNAVAILABLE` after `close` */
  async start(): Promise<void> {
    await this.#begin();
  }

  /** @throws as the method; the signal's reason when aborted; PidexError `DATABASE_UNAVAILABLE`, `UPGRADED` */
  call<N extends CallName<T>>(name: N, ...args: ArgsOf<T[N]>): Promise<ResultOf<T[N]>> {
    return new Promise((onValue, onError) => {
      this.#request(name, args, { onValue, onError }, false).catch(onError);
    });
  }

  /** @throws as `call`, when iterated */
  stream<N extends StreamName<T>>(name: N, ...args: ArgsOf<T[N]>): StreamOf<T[N]> {
    return this.#stream(name, args) as StreamOf<T[N]>;
  }

  /** Ends the host for good: pending and later requests reject. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.end();
  }

  /** Rejects pending requests and ends the thread or process; the next request starts another. */
  async end(): Promise<void> {
    clearTimeout(this.#idleTimer);
    const running = this.#running ?? (await this.#starting?.catch(() => undefined));
    if (!running) return;
    this.#rejectAll(running, this.#isClosed ? closed() : unavailable("it was stopped"));
    running.endpoint.post({ close: true });
    await running.endpoint.end();
  }

  async #begin(): Promise<Running> {
    if (this.#isClosed) throw closed();
    this.#starting ??= this.#start().catch((error: unknown) => {
      this.#starting = undefined;
      throw error;
    });
    return this.#starting;
  }

  async #start(): Promise<Running> {
    const { start, service, options, onNotice } = this.#options;
    const running: Running = { endpoint: await start(), pending: new Map() };
    const { endpoint, pending } = running;
    const onMessage = (message: FromHost): void => {
      if ("notice" in message) {
        onNotice?.(message.notice);
        return;
      }
      const request = pending.get(message.id);
      if (!request) return; // it was cancelled
      if ("item" in message) request.onItem?.(message.item);
      else if ("callback" in message) this.#callBack(running, message, request);
      else {
        request.finish();
        if ("error" in message) request.onError(fromSentError(message.error));
        else request.onValue(message.value as never);
      }
    };
    endpoint.listen(onMessage, (reason) =>
      this.#rejectAll(running, reason instanceof PidexError ? reason : unavailable(reason.message, reason)),
    );
    endpoint.post({ open: service, options });
    endpoint.setKeepAlive(false);
    this.#running = running;
    return running;
  }

  /** A callback that throws fails its request. */
  #callBack(
    { endpoint }: Running,
    { id, callback, args }: Extract<FromHost, { callback: string }>,
    { callbacks, finish, onError }: Pending,
  ): void {
    try {
      callbacks[callback]?.(...args.map((arg) => ("value" in arg ? arg.value : fromSentError(arg))));
    } catch (error) {
      finish();
      endpoint.post({ cancel: id });
      onError(error);
    }
  }

  /** The host has ended, or is about to. */
  #rejectAll(running: Running, error: Error): void {
    if (this.#running === running) {
      this.#running = undefined;
      this.#starting = undefined;
    }
    for (const { finish, onError } of [...running.pending.values()]) {
      finish();
      onError(error);
    }
  }

  /** @returns functions that request more items of a stream, and cancel the request */
  async #request(
    name: string,
    args: unknown[],
    receiver: Receiver,
    isStream: boolean,
  ): Promise<{ more(count: number): void; cancel(): void }> {
    const { sent, signal, callbacks, controls } = splitControls(args, isStream);
    signal?.throwIfAborted();
    // Sent at once if a host runs: a caller that then draws a frame would delay it by that.
    const running = this.#running ?? (await this.#begin());
    signal?.throwIfAborted();
    if (this.#running !== running) throw unavailable("it ended"); // while awaiting it
    const { endpoint, pending } = running;
    const id = ++this.#lastId;
    const cancel = () => {
      if (!pending.has(id)) return;
      finish();
      endpoint.post({ cancel: id });
    };
    const onAbort = () => {
      cancel();
      receiver.onError(signal?.reason);
    };
    const finish = () => {
      pending.delete(id);
      signal?.removeEventListener("abort", onAbort);
      if (pending.size === 0) this.#becomeIdle(running);
    };
    endpoint.post({ id, name, args: sent, controls });
    pending.set(id, { ...receiver, callbacks, finish });
    signal?.addEventListener("abort", onAbort, { once: true });
    clearTimeout(this.#idleTimer);
    endpoint.setKeepAlive(true);
    return { more: (count) => pending.has(id) && endpoint.post({ more: id, count }), cancel };
  }

  /** Called when no request is pending: the host then does not keep this process alive. */
  #becomeIdle({ endpoint }: Running): void {
    endpoint.setKeepAlive(false);
    const { idleMs } = this.#options;
    if (idleMs === undefined) return;
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => void this.end(), idleMs).unref();
  }

  async *#stream(name: string, args: unknown[]): AsyncGenerator {
    const items: unknown[] = [];
    let end: (() => unknown) | undefined;
    let wake = () => {};
    let consumed = 0;
    const receiver: Receiver = {
      onItem(item) {
        items.push(item);
        wake();
      },
      onValue(value) {
        end = () => value;
        wake();
      },
      onError(error) {
        end = () => {
          throw error;
        };
        wake();
      },
    };
    const request = await this.#request(name, args, receiver, true);
    try {
      for (;;) {
        if (items.length > 0) {
          yield items.shift();
          if (++consumed < STREAM_WINDOW / 2) continue;
          request.more(consumed);
          consumed = 0;
        } else if (end) return end();
        else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    } finally {
      request.cancel();
    }
  }
}

/**
 * Separates what cannot be sent, a signal and callbacks, from the options in the last argument.
 *
 * @param isStream whether the reader may stop early, which the host learns through a signal
 */
function splitControls(
  args: unknown[],
  isStream: boolean,
): {
  sent: unknown[];
  signal: AbortSignal | undefined;
  callbacks: Pending["callbacks"];
  controls: RequestControls;
} {
  const last = args.at(-1);
  const isOptions = typeof last === "object" && last !== null && !Array.isArray(last);
  const option = isOptions ? (last as { signal?: unknown }).signal : undefined;
  const signal = option instanceof AbortSignal ? option : undefined;
  const entries = Object.entries(isOptions ? last : {}).filter(([, value]) => value !== signal);
  const functions = entries.filter(([, value]) => typeof value === "function");
  const data = Object.fromEntries(entries.filter(([, value]) => typeof value !== "function"));
  return {
    sent: isOptions ? [...args.slice(0, -1), data] : args,
    signal,
    callbacks: Object.fromEntries(functions) as Pending["callbacks"],
    controls: {
      hasSignal: signal !== undefined || (isStream && isOptions),
      callbacks: functions.map(([name]) => name),
    },
  };
}

function closed(): PidexError {
  return new PidexError("DATABASE_UNAVAILABLE", "the index is closed", "Open the index again.");
}

function unavailable(reason: string, cause?: Error): PidexError {
  return new PidexError(
    "DATABASE_UNAVAILABLE",
    `the index process stopped: ${reason}`,
    "Try again. If that does not help, run: pidex doctor",
    cause && { cause },
  );
}
