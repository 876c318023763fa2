/** The thread that has the index and answers the picker: a search that takes long holds up no key. */
import { parentPort, workerData } from "node:worker_threads";
import { openIndex, PidexError } from "../../../library/index.ts";
import type { IndexPlace } from "../../actions/synced.ts";
import type { Failure, FromThread, QuestionName, ResultsAsked, ToThread } from "../model/questions.ts";
import { Answers } from "./answers.ts";

const port = parentPort as NonNullable<typeof parentPort>; // it is started as a thread, and as nothing else
const tell = (message: FromThread) => port.postMessage(message);

/** A quarter of the usual: the system keeps the file in memory as well, and the picker is to be a small process. */
const CACHE_MB = 8;

const { db, roots } = workerData as IndexPlace;
const opening = openIndex({ db, roots, cacheMb: CACHE_MB, onNotice: (notice) => tell({ notice }) });
const answering = opening.then((index) => new Answers(index));
answering.catch(() => {}); // told to who asks
const running = new Map<number, AbortController>();

/** What is done before anybody types; the first letter ends it. */
const warming = new AbortController();
let isWarm = false;

port.on("message", (message: ToThread) => {
  if ("changed" in message) void answering.then((answers) => answers.changed(), nobodyAsked);
  else if ("cancel" in message) running.get(message.cancel)?.abort();
  else void answer(message.id, message.name, message.ask);
});

/** Why the index could not be opened is told to who asks for something. */
function nobodyAsked(): void {}

async function answer(id: number, name: QuestionName, ask: unknown): Promise<void> {
  const abort = new AbortController();
  if (name === "results" && (ask as ResultsAsked).view.query !== "") warming.abort();
  running.set(id, abort);
  try {
    const answers = await answering;
    const part = (known: unknown) => tell({ id, answer: known, isPart: true });
    // What is asked was made of the same types: see `Asker`.
    const run = answers[name] as (ask: unknown, control: object) => Promise<unknown>;
    tell({ id, answer: await run(ask, { signal: abort.signal, part }) });
  } catch (error) {
    tell({ id, error: failure(error) });
  } finally {
    running.delete(id);
    if (!isWarm) warmUp();
  }
}

/** Once the first list is there. */
function warmUp(): void {
  isWarm = true;
  void answering.then((answers) => answers.warmUp(warming.signal)).catch(nobodyAsked);
}

function failure(error: unknown): Failure {
  if (error instanceof PidexError) return { message: error.message, hint: error.hint, code: error.code };
  return { message: error instanceof Error ? error.message : String(error) };
}
