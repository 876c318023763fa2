import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { defineConfig, type Plugin, type RolldownOptions } from "rolldown";
import { licenses } from "./build/licenses.ts";

/**
 * Everything but the native database driver is bundled: reading a few hundred small files is most of what loading kysely
 * costs. The library and the command line are bundled separately: docs/decisions/0016-start-up.md.
 */
const bundled: RolldownOptions = {
  platform: "node",
  external: ["better-sqlite3"],
  // Without this, a module that only re-exports would pull in everything it re-exports.
  treeshake: { moduleSideEffects: (id) => (/[\\/]node_modules[\\/]/.test(id) ? undefined : false) },
};

/** The library, and the modules that it and the command line load or start by their paths. */
export const library = defineConfig({
  ...bundled,
  input: {
    index: "library/index.ts",
    "session-text": "query/session-text.ts",
    "index-host": "library/index-host.ts",
    "read-ahead-thread": "indexer/read-ahead-thread.ts",
    "sql-process": "query/sql/sql-process.ts",
    "health-process": "query/health/health-process.ts",
  },
  plugins: [licenses()],
  output: {
    dir: "dist",
    format: "esm",
    cleanDir: true,
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
  },
});

/** Makes Node load the files of this folder as CommonJS, although the package is ESM. */
const markCommonJs: Plugin = {
  name: "mark-common-js",
  generateBundle() {
    this.emitFile({ type: "asset", fileName: "package.json", source: '{ "type": "commonjs" }\n' });
  },
};

/** V8 stores source text with any other character at two bytes each, and Node must convert it to check its compile cache. */
const escapeNonAscii: Plugin = {
  name: "escape-non-ascii",
  renderChunk: (code) =>
    code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
};

/** Looks where Node would, in the same order, but without reading package.json and its exports first. */
const FIND_DRIVER = `
function findDriver() {
  for (let at = __dirname; ; at = path.dirname(at)) {
    const lib = path.join(at, "node_modules", "better-sqlite3", "lib");
    if (fs.existsSync(lib)) return lib;
    if (path.dirname(at) === at) break;
  }
  return path.dirname(require("module").createRequire(__filename).resolve("better-sqlite3"));
}
const folder = findDriver();`;

/** The driver's JavaScript is bundled too. It finds its native addon where npm installed it. */
const findNativeDriver: Plugin = {
  name: "find-native-driver",
  transform: {
    filter: { id: /better-sqlite3[\\/]lib[\\/]binding\.js$/ },
    handler(code) {
      const line = "const path = require('path');";
      if (!code.includes(line)) this.error("better-sqlite3 changed: update the code that finds its addon");
      return code.replaceAll("__dirname", "folder").replace(line, `${line}\n${FIND_DRIVER}`);
    },
  },
};

/** string-width is loaded on demand: as a file of its own, because users' installations don't have the package. */
const findStringWidth: Plugin = {
  name: "find-string-width",
  transform: {
    filter: { id: /[\\/]bin[\\/]format[\\/]text\.ts$/ },
    handler(code) {
      const call = '("string-width")';
      if (!code.includes(call)) this.error("bin/format/text.ts changed: it does not require string-width");
      return code.replace(call, '("./string-width.js")');
    },
  },
};

/** Commander can start subcommands that are separate programs. pidex has none, and loading child_process takes time. */
const omitChildProcess: Plugin = {
  name: "omit-child-process",
  transform: {
    filter: { id: /[\\/]commander[\\/]lib[\\/]command\.js$/ },
    handler(code) {
      const line = "import childProcess from 'node:child_process';";
      if (!code.includes(line)) this.error("commander changed: its import of child_process was not found");
      return code.replace(line, "const childProcess = undefined;");
    },
  },
};

/** `open` expects its copy of `xdg-open` beside the code, for Linux systems without one. */
const copyXdgOpen: Plugin = {
  name: "copy-xdg-open",
  writeBundle({ dir }) {
    const program = join(import.meta.dirname, "node_modules", "open", "xdg-open");
    copyFileSync(program, join(dir as string, "xdg-open"));
  },
};

/** Packages that are loaded if they are installed. */
const OPTIONAL = ["@electric-sql/pglite", "pg-native"];

/** Modules that run before the compile cache is enabled. They must not pull in others. */
const BEFORE_CACHE = /[\\/]src[\\/](code-cache|node-version)\.ts$/;

/**
 * What `pidex list` runs when nothing is new, in one file with all its imports: each further file takes a few tenths of a
 * millisecond to find and read.
 */
const LIST =
  /[\\/]bin[\\/]cli[\\/](main|list)\.ts$|[\\/]query[\\/]list\.ts$|[\\/]better-sqlite3[\\/]lib[\\/]index\.js$/;
/** Small modules that the picker, `resume` and `stats` share with `search`, which they would otherwise load. */
const SHARED =
  /[\\/]bin[\\/]format[\\/](hits|snippets)\.ts$|[\\/]src[\\/]shell-word\.ts$|[\\/]query[\\/]iso-time\.ts$/;

/** What `pidex search` runs in addition, also in one file, but for what other commands share with it. */
const SEARCH =
  /[\\/]bin[\\/]cli[\\/]search\.ts$|[\\/]query[\\/]search[\\/]search\.ts$|[\\/]store[\\/]sqlite[\\/]search-reads\.ts$/;
const ENTRIES =
  /[\\/]store[\\/]sqlite[\\/]entry-reads\.ts$|[\\/]session[\\/](nested-calls|text)\.ts$|[\\/]query[\\/]entry-reader\.ts$|[\\/]find-last-sorted\.ts$/;
/** What `pidex status` runs in addition to `list`; other commands about costs share most of it. */
const STATUS =
  /[\\/]bin[\\/]cli[\\/]status\.ts$|[\\/]bin[\\/]format[\\/]status-line\.ts$|[\\/]bin[\\/]actions[\\/]budgets\.ts$|[\\/]query[\\/]usage[\\/](spending|budget|periods|session-members|projection|parse-budget)\.ts$|[\\/]store[\\/]sqlite[\\/](usage-reads|event-pages|event-sums)\.ts$/;
const PARAMETERS = /[\\/]query[\\/](parse-moment|fields|resolve-session)\.ts$/;

/**
 * The command line as CommonJS, which starts faster: an ES module that imports `node:fs` or `node:util` makes Node load
 * whatever their lazy exports need. No hashes in names: the compile cache finds code by its path.
 */
export const commandLine = defineConfig({
  ...bundled,
  input: {
    pidex: "bin/pidex.ts",
    host: "bin/host.ts",
    "string-width": "string-width",
  },
  checks: { ineffectiveDynamicImport: false }, // dynamic imports that `list` always needs are bundled into its file
  external: OPTIONAL, // bundles the driver's JavaScript too
  plugins: [
    markCommonJs,
    findNativeDriver,
    findStringWidth,
    omitChildProcess,
    escapeNonAscii,
    copyXdgOpen,
    licenses(),
  ],
  output: {
    dir: "dist/bin",
    format: "cjs",
    exports: "named",
    cleanDir: true,
    entryFileNames: "[name].js",
    chunkFileNames: "[name].js",
    codeSplitting: {
      groups: [
        { name: "first", test: BEFORE_CACHE, priority: 2 },
        { name: "start", test: (id) => LIST.test(id) || SHARED.test(id), priority: 1 },
        { name: "entries", test: ENTRIES, priority: 0.8 },
        { name: "parameters", test: PARAMETERS, priority: 0.8 },
        { name: "status", test: STATUS, priority: 0.5 },
        { name: "search", test: SEARCH, priority: 0 },
      ],
    },
  },
});

/** Replaces a module that builds JSON schemas with zod by the JSON, so that its importers don't load zod. */
const inlineJson: Plugin = {
  name: "inline-json",
  load: {
    filter: { id: /[\\/]bin[\\/]pi[\\/]tool-parameters\.ts$/ },
    async handler(id) {
      const module: object = await import(pathToFileURL(id).href);
      return Object.entries(module)
        .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`)
        .join("\n");
    },
  },
};

/** The extension for pi: one file that imports only what every runtime has. Its host process is in the command line's folder. */
export const piExtension = defineConfig({
  ...bundled,
  input: { extension: "bin/pi/extension.ts" },
  plugins: [inlineJson],
  output: {
    dir: "dist/pi",
    format: "esm",
    cleanDir: true,
    entryFileNames: "[name].js",
    codeSplitting: false,
  },
});

export default [library, commandLine, piExtension];
