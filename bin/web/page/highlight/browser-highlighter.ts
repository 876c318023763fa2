/** Syntax highlighting in a worker, which starts when the first code is displayed. */
import { LimitedMap } from "../shell/limited-map.ts";
import type { HighlightRequest, HighlightResult } from "./highlight-worker.ts";
import workerAddress from "./highlight-worker.ts?worker&url";
import type { CodeLine, Highlighter } from "./highlighter.ts";
import { findLanguage } from "./languages.ts";

/** Longer texts are not highlighted. */
const MAX_CHARACTERS = 50_000;
/** Time limits for one text, and for loading its language. */
const HIGHLIGHT_LIMIT_MS = 2000;
const LOAD_LIMIT_MS = 20_000;
const MAX_CACHED_TEXTS = 300;

interface Waiting extends HighlightRequest {
  done: Set<(lines: readonly CodeLine[]) => void>;
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

/** Allows only the worker's address as a script URL. */
function checkWorkerUrl(address: string): string {
  if (address !== workerAddress) throw new TypeError("unexpected script address");
  return address;
}

class BrowserHighlighting implements Highlighter {
  readonly #cache = new LimitedMap<string, readonly CodeLine[]>(MAX_CACHED_TEXTS);
  /** In the order requested; the first is in progress. */
  readonly #waiting = new Map<string, Waiting>();
  #policy: AddressPolicy | undefined;
  #worker: Worker | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lastId = 0;

  getCached(text: string, language: string): readonly CodeLine[] | undefined {
    return this.#cache.get(toKey(text, language));
  }

  request(text: string, name: string, done: (lines: readonly CodeLine[]) => void): () => void {
    const language = findLanguage(name);
    if (!language || text.length > MAX_CHARACTERS) return () => {};
    const key = toKey(text, language);
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
        this.#startWorker().postMessage({ id, text, language } satisfies HighlightRequest);
        this.#limit(LOAD_LIMIT_MS);
        return;
      }
      this.#waiting.delete(key); // no longer displayed
    }
  }

  #startWorker(): Worker {
    if (this.#worker) return this.#worker;
    this.#policy ??= window.trustedTypes?.createPolicy("pidex", { createScriptURL: checkWorkerUrl });
    const worker = new Worker(this.#policy?.createScriptURL(workerAddress) ?? checkWorkerUrl(workerAddress), {
      type: "module",
    });
    worker.addEventListener("message", ({ data }: MessageEvent<HighlightResult>) => this.#onResult(data));
    worker.addEventListener("error", () => this.#giveUp());
    this.#worker = worker;
    return worker;
  }

  #onResult(answer: HighlightResult): void {
    const [first] = this.#waiting;
    if (!first || first[1].id !== answer.id) return;
    const [key, { text, done }] = first;
    if ("loaded" in answer) {
      this.#limit(HIGHLIGHT_LIMIT_MS);
      return;
    }
    clearTimeout(this.#timer);
    this.#waiting.delete(key);
    const lines = "lines" in answer ? answer.lines : withoutColors(text);
    this.#cache.set(key, lines);
    for (const each of done) each(lines);
    this.#next();
  }

  #limit(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#giveUp(), milliseconds);
  }

  /** Stops the worker, skips the current text and continues with a new worker. */
  #giveUp(): void {
    clearTimeout(this.#timer);
    this.#worker?.terminate();
    this.#worker = undefined;
    const [first] = this.#waiting;
    if (!first) return;
    this.#cache.set(first[0], withoutColors(first[1].text));
    this.#waiting.delete(first[0]);
    this.#next();
  }
}

function toKey(text: string, language: string): string {
  return `${language}\n${text}`;
}

function withoutColors(text: string): CodeLine[] {
  return text.split("\n").map((line) => [[line]]);
}

export const browserHighlighter: Highlighter = new BrowserHighlighting();
