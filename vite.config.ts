/** Builds the page of `pidex serve`. Everything it loads is in the package. */
import { join } from "node:path";
import { defineConfig, type PluginOption } from "vite";
import { fontLicenses } from "./build/licenses.ts";

const PAGE = join(import.meta.dirname, "bin", "web", "page");

export default defineConfig({
  root: PAGE,
  publicDir: join(PAGE, "public"),
  logLevel: "warn",
  plugins: [fontLicenses(PAGE) as PluginOption],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: join(import.meta.dirname, "dist", "bin", "page"),
    emptyOutDir: true,
    target: "es2023",
    modulePreload: { polyfill: false },
    license: { fileName: "licenses.md" },
    // The page's security policy does not allow `data:` URLs.
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: {
        index: join(PAGE, "index.html"),
        // The styles of exported pages.
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
