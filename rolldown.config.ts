import { defineConfig } from "rolldown";

/**
 * Two entries, the command line and the library, which share chunks. Everything is bundled but the database
 * driver, which is native: reading some hundred small files is most of what starting kysely costs.
 */
export default defineConfig({
  input: { index: "index.ts", "bin/pidex": "bin/pidex.ts" },
  platform: "node",
  external: ["better-sqlite3"],
  output: {
    dir: "dist",
    format: "esm",
    cleanDir: true,
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
  },
});
