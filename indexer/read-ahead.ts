import { on } from "node:events";
import { Worker } from "node:worker_threads";
import { systemCode } from "../src/errors.ts";
import { assertNotUpgraded } from "../src/same-build.ts";
import type { ReadCount } from "../src/session/lines.ts";
import type { Part, ReadingJob } from "./file-parts.ts";

/** Limits garbage in the thread: V8 would let it grow to several times that. */
const YOUNG_MB = 8;

const PROGRAM = new URL(
  import.meta.url.endsWith(".ts") ? "./read-ahead-thread.ts" : "../read-ahead-thread.js",
  import.meta.url,
);

/** What the thread is started with. */
export interface ReadRequest {
  job: ReadingJob;
  /** As many bytes of files make a message, more or less. */
  messageBytes: number;
  /** So many messages wait, read, for who takes them: more than are taken at once, or nobody reads meanwhile. */
  ahead: number;
}

/** What the thread reads in one go; it crosses threads as a structured clone. */
export interface ReadMessage {
  parts: Part[];
  /** What reading has cost since the thread began. */
  count: ReadCount;
  isLast: boolean;
}

/**
 * Reads files in a thread of its own, a little ahead of who takes what it read. Ends early where no thread is to be had, or
 * one breaks off, for want of memory for one: then files are to be read without it, and what is wrong with them is met there.
 */
export async function* readAhead(request: ReadRequest): AsyncGenerator<ReadMessage> {
  const thread = startThread(request);
  if (!thread) return;
  const messages = on(thread, "message", { close: ["exit"] }) as AsyncIterator<[ReadMessage]>;
  try {
    for (let n = 0; n < request.ahead; n++) thread.postMessage("more");
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
    if (systemCode(error)?.startsWith("ERR_")) return undefined; // not allowed to, by Node's permissions for one
    throw error;
  }
}
