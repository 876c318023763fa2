import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 60_000,
    maxWorkers: "100%", // every core: nobody works on the machine meanwhile that runs them
  },
});
