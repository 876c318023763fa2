/**
 * Lets a process exit at any time although its threads load the SQLite driver. Node aborts a process that exits while one of its
 * threads initializes an addon ("FATAL ERROR: Error::New"). So threads count themselves while they do, and the exit waits for them.
 */
import { getEnvironmentData, isMainThread, setEnvironmentData } from "node:worker_threads";
import { setAddonGuard } from "../../src/addon-loading.ts";
import { memoize } from "../../src/memoize.ts";

const SHARED = "pidex: threads that initialize an addon";
const INITIALIZING = 0;
const IS_EXITING = 1;
/** Initializing an addon takes a few milliseconds. */
const MAX_WAIT_MS = 2_000;

/** Counts this thread while it initializes an addon. If the process is exiting, the thread stops instead. */
export function guardAddons(): void {
  const shared = getEnvironmentData(SHARED) as Int32Array | undefined;
  if (!shared) return;
  setAddonGuard((initialize) => {
    Atomics.add(shared, INITIALIZING, 1);
    const isExiting = Atomics.load(shared, IS_EXITING) === 1;
    try {
      if (!isExiting) initialize();
    } finally {
      Atomics.sub(shared, INITIALIZING, 1);
      Atomics.notify(shared, INITIALIZING);
    }
    if (isExiting) Atomics.wait(shared, IS_EXITING, 1);
  });
}

/** Makes the exit of this process wait for guarded threads. Call it before starting a thread. */
export const waitForAddonsAtExit = memoize((): void => {
  if (!isMainThread) return;
  const shared = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  setEnvironmentData(SHARED, shared);
  process.once("exit", () => {
    Atomics.store(shared, IS_EXITING, 1);
    const deadline = performance.now() + MAX_WAIT_MS;
    for (;;) {
      const initializing = Atomics.load(shared, INITIALIZING);
      const leftMs = deadline - performance.now();
      if (initializing === 0 || leftMs <= 0) return;
      Atomics.wait(shared, INITIALIZING, initializing, leftMs);
    }
  });
});
