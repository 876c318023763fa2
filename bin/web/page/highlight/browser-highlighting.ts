/** Code in colours, in a browser: made in a thread that is begun with the first code that is seen. */
import { LimitedMap } from "../shell/limited-map.ts";
import type { Answer, Task } from "./highlight-worker.ts";
import workerAddress from "./highlight-worker.ts?worker&url";
import type { Highlighting, Line } from "./highlighting.ts";
import { languageOf } from "./languages.ts";

/** Longer texts stay in one colour. */
const MOST_SIGNS = 50_000;
/** How long a text may take once its language is there; and a language, to be there. In milliseconds. */
const LONGEST_MS = 2000;
const LONGEST_LOADING_MS = 20_000;
/** How many texts are remembered, of those that were seen last. */
const MAX_KNOWN = 300;

interface Waiting extends Task {
  done: Set<(lines: readonly Line[]) => void>;
}

interface AddressPolicy {
  createScriptURL(address: string): string;
}

declare global {
  interface Window {
    trustedTypes?: {
      createPolicy(name: string, rules: { createScriptURL(address: string): string }): AddressPolicy;
    };
  }
}

/** The one address that this page makes a script of. */
function ourWorker(address: string): string {
  if (address !== workerAddress) throw new TypeError("this is no script of the page");
  return address;
}

class BrowserHighlighting implements Highlighting {
  readonly #known = new LimitedMap<string, readonly Line[]>(MAX_KNOWN);
  /** The first one is being worked on. */
  readonly #waiting = new Map<string, Waiting>();
  #policy: AddressPolicy | undefined;
  #worker: Worker | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lastId = 0;

  known(text: string, language: string): readonly Line[] | undefined {
    return this.#known.get(keyOf(text, language));
  }

  ask(text: string, name: string, done: (lines: readonly Line[]) => void): () => void {
    const language = languageOf(name);
    if (!language || text.length > MOST_SIGNS) return () => {};
    const key = keyOf(text, language);
    const waiting = this.#waiting.get(key) ?? { id: ++this.#lastId, text, language, done: new Set() };
    waiting.done.add(done);
    this.#waiting.set(key, waiting);
    if (this.#waiting.size === 1) this.#next();
    return () => {
      waiting.done.delete(done);
    };
  }

  #next(): void {
    for (const [key, { done, id, text, language }] of this.#waiting) {
      if (done.size > 0) {
        this.#begun().postMessage({ id, text, language } satisfies Task);
        this.#limit(LONGEST_LOADING_MS);
        return;
      }
      this.#waiting.delete(key); // nobody looks at it any more
    }
  }

  #begun(): Worker {
    if (this.#worker) return this.#worker;
    this.#policy ??= window.trustedTypes?.createPolicy("pidex", { createScriptURL: ourWorker });
    const worker = new Worker(this.#policy?.createScriptURL(workerAddress) ?? ourWorker(workerAddress), {
      type: "module",
    });
    worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => this.#answered(data));
    worker.addEventListener("error", () => this.#giveUp());
    this.#worker = worker;
    return worker;
  }

  #answered(answer: Answer): void {
    const [first] = this.#waiting;
    if (!first || first[1].id !== answer.id) return;
    const [key, { text, done }] = first;
    if ("loaded" in answer) {
      this.#limit(LONGEST_MS);
      return;
    }
    clearTimeout(this.#timer);
    this.#waiting.delete(key);
    // What fails stays as it is, which is what is seen already.
    const lines = "lines" in answer ? answer.lines : inOneColour(text);
    this.#known.set(key, lines);
    for (const each of done) each(lines);
    this.#next();
  }

  #limit(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#giveUp(), milliseconds);
  }

  /** Another thread goes on with the next text. */
  #giveUp(): void {
    clearTimeout(this.#timer);
    this.#worker?.terminate();
    this.#worker = undefined;
    const [first] = this.#waiting;
    if (!first) return;
    this.#known.set(first[0], inOneColour(first[1].text));
    this.#waiting.delete(first[0]);
    this.#next();
  }
}

function keyOf(text: string, language: string): string {
  return `${language}\n${text}`;
}

function inOneColour(text: string): Line[] {
  return text.split("\n").map((line) => [[line]]);
}

/** For all of the page. */
export const browserHighlighting: Highlighting = new BrowserHighlighting();
