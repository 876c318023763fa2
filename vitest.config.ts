import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 60_000,
    // A worker goes on from file to file, with what it has loaded: a fifth less processor time for all. So what a test
    // changes of its process (environment, handlers, prototypes) it puts back.
    isolate: false,
    env: { NODE_DISABLE_COMPILE_CACHE: "1" }, // what tests start leaves nothing in the user's cache folder
    maxWorkers: "100%", // every core: nobody works on the machine meanwhile that runs them
  },
});
