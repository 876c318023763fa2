import { join } from "node:path";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.{ts,tsx}"],
    globalSetup: "test/built.ts",
    testTimeout: 60_000,
    // What is waited for comes when the machine has time for it: the second that is usual is too short on a busy one.
    expect: { poll: { timeout: 30_000 } },
    // A worker goes on from file to file, with what it has loaded: a fifth less processor time for all. So what a test
    // changes of its process (environment, handlers, prototypes) it puts back.
    isolate: false,
    // What tests start, hundreds of processes and threads, reads TypeScript that was stripped once; and leaves nothing in the
    // user's cache folder. Node strips it by WebAssembly, whose compiled code V8 now and then loses track of where two
    // threads do so at once: then it ends the process ("Check failed: jit_page.has_value()").
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules", ".cache", "compiled") },
    maxWorkers: "100%", // every core: nobody works on the machine meanwhile that runs them
  },
});
