/**
 * The program that runs one SQL query for another process. SQLite can't be interrupted from its own thread, so it runs
 * in a worker; the main thread watches the time, the memory and the connection to the caller, and kills the process.
 */
import { isMainThread, Worker } from "node:worker_threads";
import {
  CREDIT_SLOT,
  MAX_UNREAD_BATCHES,
  type SqlMessage,
  type SqlRequest,
  WAITING_SLOT,
} from "./sql-messages.ts";

/** Maximum resident memory in bytes. Node and its page cache take about 100 MB of it. */
const MAX_MEMORY_BYTES = 512 * 1024 * 1024;
/** Between two checks. At most about 20 MB can be allocated in that time. */
const CHECK_INTERVAL_MS = 10;
/** How long to wait until the last message has been sent. */
const SEND_TIMEOUT_MS = 100;

if (isMainThread) {
  process.once("disconnect", end); // the caller has ended
  process.once("message", (request: SqlRequest) => watch(request));
} else {
  const { runQueryThread } = await import("./sql-thread.ts");
  runQueryThread();
}

function watch(request: SqlRequest): void {
  const shared = new Int32Array(new SharedArrayBuffer(8));
  shared[CREDIT_SLOT] = MAX_UNREAD_BATCHES;
  const worker = new Worker(new URL(import.meta.url), { workerData: { request, shared } });
  const send = (message: SqlMessage) => void process.send?.(message);
  worker.on("message", send);
  worker.on("error", ({ message }) => send({ failed: { code: "", message } }));
  process.on("message", () => {
    Atomics.add(shared, CREDIT_SLOT, 1);
    Atomics.notify(shared, CREDIT_SLOT);
  });

  let elapsed = 0;
  let lastCheck = performance.now();
  setInterval(() => {
    const now = performance.now();
    // Time spent waiting for rows to be read does not count.
    if (Atomics.load(shared, WAITING_SLOT) === 0) elapsed += now - lastCheck;
    lastCheck = now;
    if (elapsed > request.timeoutMs) stop("time");
    else if (process.memoryUsage.rss() > MAX_MEMORY_BYTES) stop("memory");
  }, CHECK_INTERVAL_MS);
}

function stop(stopped: "time" | "memory"): void {
  process.send?.({ stopped } satisfies SqlMessage, end);
  setTimeout(end, SEND_TIMEOUT_MS);
}

/** Kills the process: any other way to exit waits for the worker. */
function end(): void {
  process.kill(process.pid, "SIGKILL");
}
