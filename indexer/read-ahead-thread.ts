/** The thread that reads files for `read-ahead.ts`: each time it is asked, it says what it read next. */
import { parentPort, workerData } from "node:worker_threads";
import { type PartsCount, readParts } from "./file-parts.ts";
import { memoryOfParts, PartPacker } from "./packed-message.ts";
import type { ReadMessage, ReadRequest } from "./read-ahead.ts";

/** Parts in one message, where files are small. */
const MOST_PARTS = 500;

const { job, messageBytes } = workerData as ReadRequest;
const count: PartsCount = { read: { bytes: 0, lines: 0 }, verified: { bytes: 0, lines: 0 } };
const unread = readParts(job, messageBytes, count);
const packer = new PartPacker();

parentPort?.on("message", () => {
  const message = nextMessage();
  parentPort?.postMessage(message, memoryOfParts(message));
});

function nextMessage(): ReadMessage {
  const stopAt = count.read.bytes + messageBytes;
  let isLast = false;
  while (!isLast && packer.size < MOST_PARTS && count.read.bytes < stopAt) {
    const { value, done = false } = unread.next();
    isLast = done;
    if (!done) packer.add(value);
  }
  return { ...packer.take(), count, isLast };
}
