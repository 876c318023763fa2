/** Syntax highlighting in a worker, which starts when the first code is displayed. */
import { LimitedMap } from "../shell/limited-map.ts";
import type { HighlightRequest, HighlightResult } from "./highlight-worker.ts";
import workerAddress from "./highlight-worker.ts?worker&url";
import type { CodeLine, Highlighter } from "./highlighter.ts";

/** Longer texts are not highlighted. */
const MAX_CHARACTERS = 50_000;
/** Time limits for one text, and for loading its language. */
const HIGHLIGHT_LIMIT_MS = 5000;
const LOAD_LIMIT_MS = 20_000;
const MAX_CACHED_TEXTS = 300;

interface ScriptRules {
  createScriptURL(address: string): string;
}

declare global {
  interface Window {
    trustedTypes?: { createPolicy(name: string, rules: ScriptRules): ScriptRules };
  }
}

const cache = new LimitedMap<string, readonly CodeLine[]>(MAX_CACHED_TEXTS);
/** Settles after the requests so far: the worker gets one text at a time. */
let queue = Promise.resolve();
let pendingCount = 0;
let worker: Worker | undefined;
let policy: ScriptRules | undefined;

export const browserHighlighter: Highlighter = {
  getCached: (text, language) => cache.get(toKey(text, language)),
  request(text, language, done) {
    if (text.length > MAX_CHARACTERS) return () => {};
    let isDisplayed = true;
    pendingCount++;
    queue = queue.then(async () => {
      if (isDisplayed) {
        const key = toKey(text, language);
        const lines = cache.get(key) ?? (await highlight({ text, language }));
        cache.set(key, lines);
        if (isDisplayed) done(lines);
      }
      pendingCount--;
    });
    return () => {
      isDisplayed = false;
    };
  },
};

/** Whether requested code is not highlighted yet. */
export function isHighlighting(): boolean {
  return pendingCount > 0;
}

/** The lines of a text, without colors if that fails or takes too long. Then the next text gets a new worker. */
function highlight(request: HighlightRequest): Promise<readonly CodeLine[]> {
  worker ??= startWorker();
  const current = worker;
  const { promise, resolve } = Promise.withResolvers<readonly CodeLine[]>();
  const withoutColors = request.text.split("\n").map((line): CodeLine => [[line]]);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const giveUp = () => {
    current.terminate();
    worker = undefined;
    resolve(withoutColors);
  };
  const limit = (milliseconds: number) => {
    clearTimeout(timer);
    timer = setTimeout(giveUp, milliseconds);
  };
  current.onerror = giveUp;
  current.onmessage = ({ data }: MessageEvent<HighlightResult>) => {
    if ("loaded" in data) return limit(HIGHLIGHT_LIMIT_MS);
    resolve("lines" in data ? data.lines : withoutColors);
  };
  limit(LOAD_LIMIT_MS);
  current.postMessage(request);
  return promise.finally(() => clearTimeout(timer));
}

function startWorker(): Worker {
  policy ??= window.trustedTypes?.createPolicy("pidex", { createScriptURL: checkWorkerUrl });
  const address = policy?.createScriptURL(workerAddress) ?? checkWorkerUrl(workerAddress);
  return new Worker(address, { type: "module" });
}

/** Allows only the worker's address as a script URL. */
function checkWorkerUrl(address: string): string {
  if (address !== workerAddress) throw new TypeError("unexpected script address");
  return address;
}

function toKey(text: string, language: string): string {
  return `${language}\n${text}`;
}
