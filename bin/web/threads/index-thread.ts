/** The thread that searches: an answer that takes long holds up no other request. */
import { setImmediate } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { type Index, openIndex } from "../../../library/index.ts";
import { warmUp } from "../../actions/warm-up.ts";
import { type FromIndexThread, type ThreadPlace, type ToIndexThread, threadFailure } from "./threads.ts";

const port = parentPort as NonNullable<typeof parentPort>; // it is started as a thread, and as nothing else
const tell = (message: FromIndexThread) => port.postMessage(message);

const { db, roots } = workerData as ThreadPlace;
const opening = openIndex({ db, ...(roots && { roots }) });
opening.catch(() => {}); // told to who asks

/** The questions that wait, in the order in which they came. */
const waiting: Extract<ToIndexThread, { id: number }>[] = [];
let isAnswering = false;
/** Asked what nobody waits for until somebody asks. */
const warming = new AbortController();
void opening.then((index) => warmUp(index, { limit: 12, hits: 2 }, warming.signal)).catch(() => {});

port.on("message", (message: ToIndexThread) => {
  if ("refreshRoots" in message) {
    void opening.then((index) => index.refreshRoots()).catch(() => {}); // why it was not opened, is told to who asks
    return;
  }
  if ("cancel" in message) {
    const at = waiting.findIndex(({ id }) => id === message.cancel);
    if (at >= 0) waiting.splice(at, 1);
    return;
  }
  warming.abort();
  waiting.push(message);
  if (!isAnswering) void answerAll();
});

async function answerAll(): Promise<void> {
  isAnswering = true;
  for (;;) {
    await setImmediate(); // who types has taken back what he asked before, where that had to wait
    const next = waiting.shift();
    if (!next) break;
    const { id, question, asked } = next;
    try {
      const index = await opening;
      const ask = index[question].bind(index) as (...asked: unknown[]) => ReturnType<Index[typeof question]>;
      tell({ id, answer: await ask(...asked) });
    } catch (error) {
      tell({ id, failure: threadFailure(error) });
    }
  }
  isAnswering = false;
}
