/** An index host in a worker thread. */
import { type ResourceLimits, Worker } from "node:worker_threads";
import { assertNotUpgraded } from "../../src/same-build.ts";
import type { Endpoint } from "./host.ts";

/** How long a thread may take to close its index, in milliseconds. A sync that is broken off harms nothing. */
const PATIENCE_MS = 300;

/** @throws PidexError `UPGRADED` when the program's files were replaced: a thread of another version might change the database */
export function startThread(program: URL, resourceLimits: ResourceLimits = {}): Endpoint {
  assertNotUpgraded();
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
    hold: (isHeld) => worker[isHeld ? "ref" : "unref"](),
    async end() {
      worker.ref();
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, PATIENCE_MS);
      });
      await Promise.race([ended, late]);
      clearTimeout(timer);
      await worker.terminate();
    },
  };
}
