/**
 * Opens one session with a SessionManager, ours or the published pi's, asks what the model sees, appends messages and
 * asks for the tree: each timed, in a process of its own.
 */
import { statSync, truncateSync } from "node:fs";

export interface OneSession {
  openMs: number;
  contextMs: number;
  /** How many messages the model sees. */
  messages: number;
  /** The first append after opening, and the median of the others. */
  firstAppendMs: number;
  appendsMs: number[];
  treeMs: number;
  peakRssBytes: number;
}

const APPENDS = 21;

const [module = "", path = ""] = process.argv.slice(2);
const { SessionManager } = await import(module);

function timed<T>(work: () => T): [ms: number, result: T] {
  const began = performance.now();
  const result = work();
  return [performance.now() - began, result];
}

const { size } = statSync(path);
const [openMs, session] = timed(() => SessionManager.open(path));
const [contextMs, context] = timed(() => session.buildSessionContext());
const appends: number[] = [];
for (let n = 0; n < APPENDS; n++) {
  const message = {
    role: "user",
    content: [{ type: "text", text: `One line more: ${n}.` }],
    timestamp: Date.now(),
  };
  appends.push(timed(() => session.appendMessage(message))[0]);
}
const [firstAppendMs = Number.NaN, ...appendsMs] = appends;
const [treeMs] = timed(() => session.getTree());
const written = statSync(path).size - size;
if (written < APPENDS * 100) throw new Error(`${written} bytes were appended to ${path}`);
truncateSync(path, size); // as it was, for the next round
const answer: OneSession = {
  openMs,
  contextMs,
  messages: context.messages.length,
  firstAppendMs,
  appendsMs,
  treeMs,
  peakRssBytes: process.resourceUsage().maxRSS * 1024,
};
console.log(JSON.stringify(answer));
