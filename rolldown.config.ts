import { defineConfig } from "rolldown";

/**
 * The command line and the library, which share chunks, and the programs that run SQL and look into databases for them. Everything is
 * bundled but the database driver, which is native: reading some hundred small files is most of what starting kysely costs.
 */
export default defineConfig({
  input: {
    index: "index.ts",
    "bin/pidex": "bin/pidex.ts",
    "sql-process": "query/sql/sql-process.ts",
    "health-process": "query/health/health-process.ts",
  },
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
