/** The host's side: opens a service and answers requests, in a worker thread or a child process. */
import { setImmediate } from "node:timers/promises";
import { parentPort } from "node:worker_threads";
import { guardAddons } from "./exit-guard.ts";
import { type FromHost, type RequestControls, STREAM_WINDOW, type ToHost, toSentError } from "./messages.ts";

/** Opens a service: an object with methods. Its `close` method, if any, is called before the host ends. */
export type OpenService = (options: never, onNotice: (notice: string) => void) => Promise<object>;

/** Minimum time between two calls of a callback named `onProgress`, in milliseconds; calls in between are dropped. */
const PROGRESS_INTERVAL_MS = 50;

interface Request {
  abort: AbortController;
  /** Number of stream items that may be sent now. */
  room: number;
  onRoom: () => void;
}

/** Serves the service that the first message names, until the caller closes this host or exits. */
export function serveHost(services: Readonly<Record<string, OpenService>>): void {
  const requests = new Map<number, Request>();
  let openRequest: Extract<ToHost, { open: string }> | undefined;
  let opening: Promise<object> | undefined;
  let isClosing = false;
  /** Requests start one after the other, each in its own turn of the event loop, so that they can be cancelled before they block it. */
  let turn: Promise<unknown> = Promise.resolve();

  const post = (message: FromHost): void => {
    if (parentPort) parentPort.postMessage(message);
    else process.send?.(message, () => {}); // the "disconnect" event reports a caller that is gone
  };

  /** Opens the service once; after a failure, the next request retries. */
  const openService = (): Promise<object> => {
    const { open = "", options = {} } = openRequest ?? {};
    opening ??= Promise.resolve(services[open]?.(options as never, (notice) => post({ notice }))).then(
      (service) => service ?? Promise.reject(new Error(`the index host has no service ${open}`)),
    );
    opening.catch(() => {
      opening = undefined;
    });
    return opening;
  };

  const answer = async ({ id, name, args, controls }: Extract<ToHost, { name: string }>): Promise<void> => {
    const request: Request = { abort: new AbortController(), room: STREAM_WINDOW, onRoom: () => {} };
    const { signal } = request.abort;
    requests.set(id, request);
    try {
      turn = turn.then(() => setImmediate());
      await turn;
      signal.throwIfAborted();
      const service = (await openService()) as Record<string, (...args: unknown[]) => unknown>;
      const result = service[name]?.(...withControls(args, controls, signal, id));
      const value = isGenerator(result) ? await sendItems(id, result, request) : await result;
      post({ id, value });
    } catch (error) {
      post({ id, error: toSentError(error) });
    } finally {
      requests.delete(id);
    }
  };

  const withControls = (
    args: unknown[],
    { hasSignal, callbacks }: RequestControls,
    signal: AbortSignal,
    id: number,
  ): unknown[] => {
    if (!hasSignal && callbacks.length === 0) return args;
    const functions = callbacks.map((callback) => {
      let calledAt = Number.NEGATIVE_INFINITY;
      const call = (...args: unknown[]) => {
        if (callback === "onProgress" && performance.now() - calledAt < PROGRESS_INTERVAL_MS) return;
        calledAt = performance.now();
        const sent = args.map((value) => (value instanceof Error ? toSentError(value) : { value }));
        post({ id, callback, args: sent });
      };
      return [callback, call] as const;
    });
    const options = {
      ...(args.at(-1) as object),
      ...Object.fromEntries(functions),
      ...(hasSignal && { signal }),
    };
    return [...args.slice(0, -1), options];
  };

  /** Sends a generator's items, no faster than they are read. @returns the generator's return value */
  const sendItems = async (id: number, items: AsyncGenerator, request: Request): Promise<unknown> => {
    const { signal } = request.abort;
    const wake = () => request.onRoom();
    signal.addEventListener("abort", wake);
    try {
      for (;;) {
        const next = await items.next();
        if (next.done) return next.value;
        while (request.room === 0 && !signal.aborted) {
          await new Promise<void>((resolve) => {
            request.onRoom = resolve;
          });
        }
        signal.throwIfAborted();
        request.room--;
        post({ id, item: next.value });
      }
    } finally {
      signal.removeEventListener("abort", wake);
      await items.return(undefined);
    }
  };

  const close = async (): Promise<void> => {
    if (isClosing) return;
    isClosing = true;
    for (const { abort } of requests.values()) abort.abort();
    const service = (await opening?.catch(() => undefined)) as { close?(): Promise<void> } | undefined;
    await service?.close?.().catch(() => {}); // the caller no longer listens
    process.exit(); // in a worker thread, ends only that thread
  };

  const onMessage = (message: ToHost): void => {
    if ("open" in message) {
      openRequest = message;
      void openService().catch(() => {}); // the first request reports it
    } else if ("cancel" in message) requests.get(message.cancel)?.abort.abort();
    else if ("more" in message) {
      const request = requests.get(message.more);
      if (!request) return;
      request.room += message.count;
      request.onRoom();
    } else if ("close" in message) void close();
    else if (!isClosing) void answer(message);
  };

  if (parentPort) {
    guardAddons();
    parentPort.on("message", onMessage);
  } else process.on("message", onMessage).once("disconnect", () => void close());
}

function isGenerator(result: unknown): result is AsyncGenerator {
  return typeof result === "object" && result !== null && Symbol.asyncIterator in result;
}
