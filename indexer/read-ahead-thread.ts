/** The thread of `read-ahead.ts`: sends the next message for each one that it receives. */
import { parentPort, workerData } from "node:worker_threads";
import type { ReadCounters } from "../src/session/lines.ts";
import { type FilePart, readParts } from "./file-parts.ts";
import type { ReadMessage, ReadRequest } from "./read-ahead.ts";

/** Limit for roots with many small files. */
const MAX_PARTS_PER_MESSAGE = 500;

const { job, messageBytes } = workerData as ReadRequest;
const count: ReadCounters = { bytes: 0, lines: 0 };
const unread = readParts(job, messageBytes, count);

parentPort?.on("message", () => parentPort?.postMessage(nextMessage()));

function nextMessage(): ReadMessage {
  const stopAt = count.bytes + messageBytes;
  const parts: FilePart[] = [];
  let isLast = false;
  while (!isLast && parts.length < MAX_PARTS_PER_MESSAGE && count.bytes < stopAt) {
    const { value, done = false } = unread.next();
    isLast = done;
    if (!done) parts.push(value);
  }
  return { parts, total: count, isLast };
}
