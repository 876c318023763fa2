/** The thread that reads files for `read-ahead.ts`: each time it is asked, it says what it read next. */
import { parentPort, workerData } from "node:worker_threads";
import { type Part, type PartsCount, readParts } from "./file-parts.ts";
import { memoryOf as memoryOfEntries } from "./packed-entries.ts";
import type { ReadMessage, ReadRequest } from "./read-ahead.ts";

/** Parts in one message, where files are small. */
const MOST_PARTS = 500;

const { job, messageBytes } = workerData as ReadRequest;
const count: PartsCount = { read: { bytes: 0, lines: 0 }, verified: { bytes: 0, lines: 0 } };
const unread = readParts(job, messageBytes, count);

parentPort?.on("message", () => {
  const message = nextMessage();
  parentPort?.postMessage(message, message.parts.flatMap(memoryOf));
});

/** What of a part is moved to the other thread, and not copied. */
function memoryOf(part: Part): ArrayBuffer[] {
  if ("words" in part) return [part.words.bytes.buffer];
  return "chunk" in part ? memoryOfEntries(part.chunk.entries) : [];
}

function nextMessage(): ReadMessage {
  const parts: Part[] = [];
  const stopAt = count.read.bytes + messageBytes;
  while (parts.length < MOST_PARTS && count.read.bytes < stopAt) {
    const { value, done } = unread.next();
    if (done) return { parts, count, isLast: true };
    parts.push(value);
  }
  return { parts, count, isLast: false };
}
