/** Builds the page that `pidex serve` shows. All it needs is in the package: it loads nothing from elsewhere. */
import { join } from "node:path";
import { defineConfig } from "vite";

const PAGE = join(import.meta.dirname, "bin", "web", "page");

export default defineConfig({
  root: PAGE,
  publicDir: join(PAGE, "public"),
  logLevel: "warn",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: join(import.meta.dirname, "dist", "bin", "page"),
    emptyOutDir: true,
    target: "es2023",
    modulePreload: { polyfill: false },
    // A `data:` address is nothing that the page's security policy lets it load.
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: {
        index: join(PAGE, "index.html"),
        // The look of an entry by itself, for what is exported.
        export: join(PAGE, "export.css"),
      },
      output: {
        assetFileNames: ({ names }) =>
          names.includes("export.css") ? "export.css" : "assets/[name]-[hash][extname]",
      },
    },
  },
  worker: { format: "es" },
});
