/** The thread of `read-ahead.ts`: sends the next message for each one that it receives. */
import { parentPort, workerData } from "node:worker_threads";
import { type FilePart, readParts } from "./file-parts.ts";
import type { ReadMessage, ReadRequest } from "./read-ahead.ts";

/** Limit for roots with many small files. */
const MAX_PARTS_PER_MESSAGE = 500;

const { job, messageBytes } = workerData as ReadRequest;
const unread = readParts(job, messageBytes);

parentPort?.on("message", () => parentPort?.postMessage(nextMessage()));

function nextMessage(): ReadMessage {
  const parts: FilePart[] = [];
  let bytes = 0;
  let isLast = false;
  while (!isLast && parts.length < MAX_PARTS_PER_MESSAGE && bytes < messageBytes) {
    const { value, done = false } = unread.next();
    isLast = done;
    if (done) break;
    parts.push(value);
    bytes += value.read.bytes;
  }
  return { parts, isLast };
}
