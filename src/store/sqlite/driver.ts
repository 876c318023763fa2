/** Loads the SQLite driver, in a way that lets the process exit at any time. */
import { getEnvironmentData, isMainThread, setEnvironmentData } from "node:worker_threads";
import type SQLite from "better-sqlite3";
import { memoize } from "../../memoize.ts";

// Node aborts a process that exits while one of its threads initializes an addon ("FATAL ERROR: Error::New"). So threads count
// themselves while they do, and the exit waits for them.
const SHARED = "pidex: threads that load the SQLite driver";
const LOADING = 0;
const IS_EXITING = 1;
/** Initializing the driver takes a few milliseconds. */
const MAX_WAIT_MS = 2_000;

/** Returns the driver's class. Not imported statically, because writing and listing sessions doesn't need it. */
export const loadDriver = memoize(async (): Promise<typeof SQLite> => {
  const { default: Handle } = await import("better-sqlite3");
  const shared = isMainThread ? undefined : (getEnvironmentData(SHARED) as Int32Array | undefined);
  if (!shared) return Handle;
  Atomics.add(shared, LOADING, 1);
  const isExiting = Atomics.load(shared, IS_EXITING) === 1;
  if (!isExiting) new Handle(":memory:").close(); // the first handle initializes the addon
  Atomics.sub(shared, LOADING, 1);
  Atomics.notify(shared, LOADING);
  if (isExiting) Atomics.wait(shared, IS_EXITING, 1); // until the process is gone
  return Handle;
});

/** Makes the exit of this process wait for threads that load the driver. Call it before starting a thread that may. */
export const waitForDriverAtExit = memoize((): void => {
  if (!isMainThread) return;
  const shared = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  setEnvironmentData(SHARED, shared);
  process.once("exit", () => {
    Atomics.store(shared, IS_EXITING, 1);
    const deadline = performance.now() + MAX_WAIT_MS;
    for (;;) {
      const loading = Atomics.load(shared, LOADING);
      const leftMs = deadline - performance.now();
      if (loading === 0 || leftMs <= 0) return;
      Atomics.wait(shared, LOADING, loading, leftMs);
    }
  });
});
