import { join } from "node:path";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.{ts,tsx}"],
    globalSetup: "test/built.ts",
    setupFiles: "test/restore-environment.ts",
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // The default of one second is too short on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    // Workers keep the modules they loaded from one file to the next, which saves a fifth of the processor time. Tests
    // restore whatever they change in the process, such as handlers and prototypes; the environment is restored above.
    isolate: false,
    // Tests start hundreds of processes and threads. This caches their stripped TypeScript, outside the user's cache folder.
    // Besides, Node strips types with WebAssembly, and V8 may abort when two threads do that at the same time ("Check failed:
    // jit_page.has_value()").
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules", ".cache", "compiled") },
    maxWorkers: "100%", // by default one core stays free for interactive use
  },
});
