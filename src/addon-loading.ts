/** Lets a process exit at any time, although its threads load addons. */
import { getEnvironmentData, isMainThread, setEnvironmentData } from "node:worker_threads";
import { memoize } from "./memoize.ts";

// Node aborts a process that exits while one of its threads initializes an addon ("FATAL ERROR: Error::New"). So threads count
// themselves while they do, and the exit waits for them.
const SHARED = "pidex: threads that load an addon";
const LOADING = 0;
const IS_EXITING = 1;
/** Initializing an addon takes a few milliseconds. */
const MAX_WAIT_MS = 2_000;

/**
 * Initializes an addon in a thread whose process called `waitForAddonsAtExit` before; elsewhere it does nothing. Never returns if the
 * process is exiting.
 */
export function loadAddon(initialize: () => void): void {
  const shared = isMainThread ? undefined : (getEnvironmentData(SHARED) as Int32Array | undefined);
  if (!shared) return;
  Atomics.add(shared, LOADING, 1);
  const isExiting = Atomics.load(shared, IS_EXITING) === 1;
  try {
    if (!isExiting) initialize();
  } finally {
    Atomics.sub(shared, LOADING, 1);
    Atomics.notify(shared, LOADING);
  }
  if (isExiting) Atomics.wait(shared, IS_EXITING, 1);
}

/** Makes the exit of this process wait for threads in `loadAddon`. Call it before starting a thread. */
export const waitForAddonsAtExit = memoize((): void => {
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
