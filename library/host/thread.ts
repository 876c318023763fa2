/** An index host in a worker thread. */
import { type ResourceLimits, Worker } from "node:worker_threads";
import type { Endpoint } from "./host.ts";

/** How long a thread may take to close its index, in milliseconds. A sync that is broken off harms nothing. */
const PATIENCE_MS = 300;

export function startThread(program: URL, resourceLimits: ResourceLimits = {}): Endpoint {
  const worker = new Worker(program, { resourceLimits });
  const ended = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
  return {
    post: (message) => worker.postMessage(message),
    listen(onMessage, onEnd) {
      worker.on("message", onMessage);
      worker.on("error", onEnd);
      worker.once("exit", (code) => onEnd(new Error(`exit ${code}`)));
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
