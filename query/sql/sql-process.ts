/**
 * The program that runs one SQL query for another process. Nothing can interrupt SQLite in its own thread: so it works in
 * a second one, while the first watches the clock, the memory and whoever asked, and ends the process with both.
 */
import { isMainThread, Worker } from "node:worker_threads";
import { BATCHES_AHEAD, CREDIT, type SqlMessage, type SqlRequest, WAITING } from "./sql-messages.ts";

/** More resident memory than this ends a query, in bytes. About 100 MB of it are Node and its page cache. */
const MOST_MEMORY = 512 * 1024 * 1024;
/** How often is looked: filled as fast as can be, memory grows by some 20 MB meanwhile. */
const LOOK_EVERY_MS = 10;
/** How long the message may take that says why it ends. */
const LAST_WORDS_MS = 100;

if (isMainThread) {
  process.once("disconnect", end); // whoever asked is gone
  process.once("message", (request: SqlRequest) => watch(request));
} else {
  const { work } = await import("./sql-thread.ts");
  work();
}

function watch(request: SqlRequest): void {
  const shared = new Int32Array(new SharedArrayBuffer(8));
  shared[CREDIT] = BATCHES_AHEAD;
  const worker = new Worker(new URL(import.meta.url), { workerData: { request, shared } });
  const tell = (message: SqlMessage) => void process.send?.(message);
  worker.on("message", tell);
  worker.on("error", ({ message }) => tell({ failed: { code: "", message } }));
  process.on("message", () => {
    Atomics.add(shared, CREDIT, 1);
    Atomics.notify(shared, CREDIT);
  });

  let worked = 0;
  let before = performance.now();
  setInterval(() => {
    const now = performance.now();
    // Waiting for the reader of its rows is not its fault.
    if (Atomics.load(shared, WAITING) === 0) worked += now - before;
    before = now;
    if (worked > request.timeoutMs) stop("time");
    else if (process.memoryUsage.rss() > MOST_MEMORY) stop("memory");
  }, LOOK_EVERY_MS);
}

function stop(stopped: "time" | "memory"): void {
  process.send?.({ stopped } satisfies SqlMessage, end);
  setTimeout(end, LAST_WORDS_MS);
}

/** The one way that does not wait for the other thread. */
function end(): void {
  process.kill(process.pid, "SIGKILL");
}
