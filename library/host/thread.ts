/** An index host in a worker thread. */
import { type ResourceLimits, Worker } from "node:worker_threads";
import { assertNotUpgraded } from "../../src/upgrade-check.ts";
import { waitForAddonsAtExit } from "./exit-guard.ts";
import type { Endpoint } from "./host.ts";

/**
 * Time a thread has to end by itself, in milliseconds, before it is terminated. Its requests are aborted, so it needs the time of
 * one SQLite statement, or of loading the driver.
 */
const CLOSE_TIMEOUT_MS = 5_000;

/** @throws PidexError `UPGRADED` if the program's files were replaced: a thread of another version could migrate the database */
export function startThread(program: URL, resourceLimits: ResourceLimits = {}): Endpoint {
  assertNotUpgraded();
  waitForAddonsAtExit();
  const worker = new Worker(program, { resourceLimits });
  const ended = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
  return {
    post: (message) => worker.postMessage(message),
    listen(onMessage, onEnd) {
      worker.on("message", onMessage);
      const end = (reason: Error) => {
        try {
          assertNotUpgraded();
          onEnd(reason);
        } catch (upgraded) {
          onEnd(upgraded as Error);
        }
      };
      worker.on("error", end);
      worker.once("exit", (code) => end(new Error(`exit ${code}`)));
    },
    setKeepAlive: (isHeld) => worker[isHeld ? "ref" : "unref"](),
    async end() {
      worker.ref();
      let timer: NodeJS.Timeout | undefined;
      const timeout = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, CLOSE_TIMEOUT_MS);
      });
      await Promise.race([ended, timeout]);
      clearTimeout(timer);
      await worker.terminate();
    },
  };
}
