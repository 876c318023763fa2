/** A host program for tests: a service that fails, streams and ends in every possible way. */
import { serveHost } from "../../library/host/serve-host.ts";
import { PidexError } from "../../src/errors.ts";

export interface TestService {
  add(a: number, b: number): Promise<number>;
  /** Resolves when its signal is aborted; `wasAborted` is then true. */
  wait(options: { signal?: AbortSignal; onStart?: () => void }): Promise<void>;
  wasAborted(): Promise<boolean>;
  fail(): Promise<never>;
  report(options: { onProgress?: (n: number) => void; onError?: (error: unknown) => void }): Promise<void>;
  count(to: number, options: { signal?: AbortSignal }): AsyncGenerator<number, string>;
  /** Number of items that `count` has yielded. */
  counted(): Promise<number>;
  spin(ms: number): Promise<string>;
  started(): Promise<string[]>;
  exit(code: number): Promise<void>;
  crash(): Promise<void>;
}

serveHost({
  test: async (
    options: { name: string; state?: SharedArrayBuffer },
    onNotice,
  ): Promise<TestService & { close(): Promise<void> }> => {
    onNotice(`opened ${options.name}`);
    let aborted = false;
    let yielded = 0;
    const spun: string[] = [];
    const state = options.state && new Int32Array(options.state);
    return {
      add: async (a, b) => a + b,
      async wait({ signal, onStart }) {
        onStart?.();
        await new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve()));
        aborted = true;
      },
      wasAborted: async () => aborted,
      async fail() {
        const cause = Object.assign(new Error("disk full"), { code: "ENOSPC" });
        throw new PidexError("DATABASE_UNAVAILABLE", "it cannot be written", "Make room.", { cause });
      },
      async report({ onProgress, onError }) {
        for (let n = 0; n < 1000; n++) onProgress?.(n);
        onError?.(new PidexError("NOT_FOUND", "no such thing", "Look elsewhere."));
      },
      async *count(to) {
        try {
          for (let n = 0; n < to; n++) {
            yielded++;
            yield n;
          }
          return "all";
        } finally {
          spun.push("count ended");
        }
      },
      counted: async () => yielded,
      async spin(ms) {
        spun.push(`spin ${ms}`);
        if (state) state[0] = 1;
        for (const until = performance.now() + ms; performance.now() < until; );
        return `spun ${ms}`;
      },
      started: async () => spun,
      async exit(code) {
        process.exit(code);
      },
      async crash() {
        setImmediate(() => {
          throw new Error("out of memory");
        });
        await new Promise(() => {});
      },
      async close() {
        if (state) state[1] = 1;
      },
    };
  },
  failing: async (options: { name: string }): Promise<object> => {
    throw new PidexError("DATABASE_UNAVAILABLE", `${options.name} cannot be opened`, "Choose another.");
  },
});
