/**
 * Opens a session with a SessionManager, pidex's or the published pi's, builds its context, appends messages and builds the
 * tree. Prints the time of each.
 */
import { statSync, truncateSync } from "node:fs";

export interface SessionTimes {
  openMs: number;
  contextMs: number;
  /** Number of messages in the context. */
  messages: number;
  /** The first append after opening; the others are in `appendsMs`. */
  firstAppendMs: number;
  appendsMs: number[];
  treeMs: number;
  peakRssBytes: number;
}

const APPENDS = 21;

const [module = "", path = ""] = process.argv.slice(2);
const { SessionManager } = await import(module);

function measureTime<T>(work: () => T): [ms: number, result: T] {
  const startedAt = performance.now();
  const result = work();
  return [performance.now() - startedAt, result];
}

const { size } = statSync(path);
const [openMs, session] = measureTime(() => SessionManager.open(path));
const [contextMs, context] = measureTime(() => session.buildSessionContext());
const appends: number[] = [];
for (let n = 0; n < APPENDS; n++) {
  const message = {
    role: "user",
    content: [{ type: "text", text: `One line more: ${n}.` }],
    timestamp: Date.now(),
  };
  appends.push(measureTime(() => session.appendMessage(message))[0]);
}
const [firstAppendMs = Number.NaN, ...appendsMs] = appends;
const [treeMs] = measureTime(() => session.getTree());
const written = statSync(path).size - size;
if (written < APPENDS * 100) throw new Error(`${written} bytes were appended to ${path}`);
truncateSync(path, size); // restores the file for the next round
const times: SessionTimes = {
  openMs,
  contextMs,
  messages: context.messages.length,
  firstAppendMs,
  appendsMs,
  treeMs,
  peakRssBytes: process.resourceUsage().maxRSS * 1024,
};
console.log(JSON.stringify(times));
