import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { defineConfig, type Plugin, type RolldownOptions } from "rolldown";

/**
 * Everything is bundled but the database driver, which is native: reading some hundred small files is most of what
 * starting kysely costs. Twice, since the two are used in different ways: docs/decisions/0016-start-up.md.
 */
const bundled: RolldownOptions = {
  platform: "node",
  external: ["better-sqlite3"],
  // What only hands on what others export is not to bring all of it along.
  treeshake: { moduleSideEffects: (id) => (/[\\/]node_modules[\\/]/.test(id) ? undefined : false) },
};

/** The library, and what it and the command line load or start by its path. */
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
  output: {
    dir: "dist",
    format: "esm",
    cleanDir: true,
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
  },
});

/** Tells Node that what lies in a folder is CommonJS, whatever the package is. */
const marksCommonJs: Plugin = {
  name: "marks-common-js",
  generateBundle() {
    this.emitFile({ type: "asset", fileName: "package.json", source: '{ "type": "commonjs" }\n' });
  },
};

/** V8 keeps a text with any other letter at two bytes each, and Node turns that back to compare it with what was compiled. */
const isAscii: Plugin = {
  name: "is-ascii",
  renderChunk: (code) =>
    code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
};

/** Where Node would look, and in that order; Node itself reads the package's description first, and what it exports. */
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

/** The driver's own code is bundled too, and finds what is native of it where npm has put it. */
const findsNativeDriver: Plugin = {
  name: "finds-native-driver",
  transform: {
    filter: { id: /better-sqlite3[\\/]lib[\\/]binding\.js$/ },
    handler(code) {
      const line = "const path = require('path');";
      if (!code.includes(line)) this.error("better-sqlite3 is another: how it finds its addon is not known");
      return code.replaceAll("__dirname", "folder").replace(line, `${line}\n${FIND_DRIVER}`);
    },
  },
};

/** Commander starts programs for commands that are files of their own. pidex has none, and loading what starts them takes a while. */
const startsNoPrograms: Plugin = {
  name: "starts-no-programs",
  transform: {
    filter: { id: /[\\/]commander[\\/]lib[\\/]command\.js$/ },
    handler(code) {
      const line = "import childProcess from 'node:child_process';";
      if (!code.includes(line)) this.error("commander is another: what it starts programs with is not found");
      return code.replace(line, "const childProcess = undefined;");
    },
  },
};

/** `open` looks for its copy of `xdg-open` beside the code, for Linux systems without one. */
const bringsXdgOpen: Plugin = {
  name: "brings-xdg-open",
  writeBundle({ dir }) {
    const program = join(import.meta.dirname, "node_modules", "open", "xdg-open");
    copyFileSync(program, join(dir as string, "xdg-open"));
  },
};

/** What runs before code is kept, and must not bring anything else along. */
const FIRST = /[\\/]src[\\/](code-cache|node-version)\.ts$/;

/**
 * What `pidex list` runs when nothing is new, in one file with all that it imports: each further file takes some tenths of
 * a millisecond to be found and read.
 */
const START =
  /[\\/]bin[\\/]cli[\\/](main|list)\.ts$|[\\/]query[\\/]list\.ts$|[\\/]better-sqlite3[\\/]lib[\\/]index\.js$/;

/** What `pidex search` runs besides: in one file too. */
const SEARCH = /[\\/]bin[\\/]cli[\\/]search\.ts$|[\\/]query[\\/]search[\\/]search\.ts$/;

/**
 * The command line, which is to start fast, as CommonJS: an ES module that imports `node:fs` or `node:util` makes Node
 * load what hangs from each of their names. No hashes in names: code that is kept compiled is found by its path.
 */
export const commandLine = defineConfig({
  ...bundled,
  input: {
    pidex: "bin/pidex.ts",
    host: "bin/host.ts",
  },
  checks: { ineffectiveDynamicImport: false }, // what is loaded when it is asked for is in one file, where a list asks for it
  external: [], // the driver's own code too
  plugins: [marksCommonJs, findsNativeDriver, startsNoPrograms, isAscii, bringsXdgOpen],
  output: {
    dir: "dist/bin",
    format: "cjs",
    cleanDir: true,
    entryFileNames: "[name].js",
    chunkFileNames: "[name].js",
    codeSplitting: {
      groups: [
        { name: "first", test: FIRST, priority: 2 },
        { name: "start", test: START, priority: 1 },
        { name: "search", test: SEARCH, priority: 0 },
      ],
    },
  },
});

/** Of a module that makes JSON by zod, the JSON alone: what imports it is not to load zod. */
const makesJsonNow: Plugin = {
  name: "makes-json-now",
  load: {
    filter: { id: /[\\/]bin[\\/]pi[\\/]tool-parameters\.ts$/ },
    async handler(id) {
      const made: object = await import(pathToFileURL(id).href);
      return Object.entries(made)
        .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`)
        .join("\n");
    },
  },
};

/** What pi loads: one file that imports nothing but what every runtime has. The process that it asks is beside the command line. */
export const piExtension = defineConfig({
  ...bundled,
  input: { extension: "bin/pi/extension.ts" },
  plugins: [makesJsonNow],
  output: {
    dir: "dist/pi",
    format: "esm",
    cleanDir: true,
    entryFileNames: "[name].js",
    codeSplitting: false,
  },
});

export default [library, commandLine, piExtension];
