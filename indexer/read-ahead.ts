import { on } from "node:events";
import { Worker } from "node:worker_threads";
import { systemCode } from "../src/errors.ts";
import { assertNotUpgraded } from "../src/upgrade-check.ts";
import type { FilePart, ReadJob } from "./file-parts.ts";

/** Limits garbage in the thread: V8 would let it grow to several times this size. */
const YOUNG_MB = 8;

/** Messages that the thread reads before they are taken, so that it keeps reading while the caller writes. */
const MESSAGES_AHEAD = 4;

const PROGRAM = new URL(
  import.meta.url.endsWith(".ts") ? "./read-ahead-thread.ts" : "../read-ahead-thread.js",
  import.meta.url,
);

/** The thread's start parameters. */
export interface ReadRequest {
  job: ReadJob;
  /** Approximate bytes of files per message. */
  messageBytes: number;
}

/** Parts that the thread read, sent as a structured clone. */
export interface ReadMessage {
  parts: FilePart[];
  isLast: boolean;
}

/**
 * Reads files in another thread, a few messages ahead of the caller. Ends early if the thread cannot start or fails, for
 * example for lack of memory; the caller then reads the remaining files itself and meets their errors there.
 */
export async function* readAhead(request: ReadRequest): AsyncGenerator<ReadMessage> {
  const thread = startThread(request);
  if (!thread) return;
  const messages = on(thread, "message", { close: ["exit"] }) as AsyncIterator<[ReadMessage]>;
  try {
    for (let n = 0; n < MESSAGES_AHEAD; n++) thread.postMessage("more");
    for (;;) {
      const { value, done } = await messages.next().catch(() => ({ value: undefined, done: true }) as const);
      if (done) return;
      thread.postMessage("more");
      yield value[0];
      if (value[0].isLast) return;
    }
  } finally {
    await thread.terminate();
  }
}

function startThread(workerData: ReadRequest): Worker | undefined {
  assertNotUpgraded();
  try {
    return new Worker(PROGRAM, { workerData, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB } });
  } catch (error) {
    if (systemCode(error)?.startsWith("ERR_")) return undefined; // for example not permitted by Node's permission model
    throw error;
  }
}
