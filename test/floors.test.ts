import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { expect, test } from "vitest";

/** One `import`, `export … from`, `import()` or `import("…").Type`. */
interface Import {
  from: string;
  /** A path below the project's root, or the name of a package. */
  to: string;
  isPackage: boolean;
  /** Whether the statement disappears when types are removed. */
  isType: boolean;
}

const ROOT = join(import.meta.dirname, "..");
const PRODUCT = ["migrations", "src", "indexer", "query", "library", "bin"];
const NOT_PRODUCT = ["test", "fixtures", "bench"];

/** The TypeScript files of the project, as paths with slashes. */
function sourceFiles(): string[] {
  const outside = ["node_modules", "dist"];
  const walk = (folder: string): string[] =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        return outside.includes(entry.name) || entry.name.startsWith(".") ? [] : walk(path);
      }
      return /\.(ts|tsx|mts|cts)$/.test(entry.name) ? [slashed(path)] : [];
    });
  return walk(ROOT);
}

const slashed = (path: string): string => relative(ROOT, path).split(sep).join("/");

/** The text of a file without its comments; strings stay as they are. */
function withoutComments(source: string): string {
  return source.replace(
    /("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`)|\/\*[\s\S]*?\*\/|(?<![\\:/[])\/\/[^\n]*/g,
    (_, text: string | undefined) => text ?? " ",
  );
}

/** The imports of a source file: static, dynamic and type imports, and re-exports. */
function importsIn(source: string): Pick<Import, "to" | "isType">[] {
  const code = withoutComments(source);
  const statements = /(?:^|;)\s*(?:import|export)\b(\s+type\b)?(?:[^"'`;()]*?\bfrom)?\s*["']([^"']+)["']/gm;
  const calls = /\b(?:import|require)\s*\(()\s*["'`]([^"'`]+)["'`]/g;
  return [...code.matchAll(statements), ...code.matchAll(calls)].map(([, type, to]) => ({
    to: to as string,
    isType: Boolean(type),
  }));
}

function importsOf(file: string): Import[] {
  return importsIn(readFileSync(join(ROOT, file), "utf8")).map(({ to, isType }) =>
    to.startsWith(".")
      ? {
          ...{ from: file, isPackage: false, isType },
          to: slashed(resolve(ROOT, dirname(file), to.replace(/\?.*$/, ""))),
        }
      : { from: file, to, isPackage: true, isType },
  );
}

/** The layer of a file: `src/session` and `src/store` count separately. */
function partOf(file: string): string {
  const [floor = "", room = ""] = file.split("/");
  if (floor !== "src") return floor;
  return file.split("/").length > 2 ? `src/${room}` : "src";
}

/** A row of the table in AGENTS.md: a folder, and what its files may import. */
interface Row {
  folder: string;
  /** Folders with their subfolders, or without them: `src/*.ts`. */
  allowed: string[];
  /** The same, but only types. */
  allowedTypes: string[];
  allowsAll: boolean;
}

/** The rows of the table "The map", in its order. */
function readMap(page: string): Row[] {
  const pathsIn = (text = "") => [...text.matchAll(/`([^`]+)`/g)].map(([, path]) => path as string);
  const rows: Row[] = [];
  for (const [, folder, cell] of page.matchAll(/^\| `([^`]+\/)` \|.*\| ([^|]+) \|$/gm)) {
    const [values, types] = (cell as string).split(/; of (?=.* only types$)/);
    const [allowed, allowedTypes] = [pathsIn(values), pathsIn(types)];
    rows.push({ folder: folder as string, allowed, allowedTypes, allowsAll: values === "anything" });
  }
  return rows;
}

const MAP = readMap(readFileSync(join(ROOT, "AGENTS.md"), "utf8"));

/** The row of the innermost folder that a file is in. */
function rowOf(file: string): Row | undefined {
  return MAP.filter(({ folder }) => file.startsWith(folder)).sort(
    (a, b) => b.folder.length - a.folder.length,
  )[0];
}

/** Whether a file is named by one of the paths of a row. */
function isNamed(file: string, paths: readonly string[]): boolean {
  return paths.some((path) =>
    path.endsWith("/*.ts") ? dirname(file) === dirname(path) : path.endsWith("/") && file.startsWith(path),
  );
}

function isInMap({ from, to, isType }: Import): boolean {
  const row = rowOf(from);
  if (!row) return false;
  const paths = isType ? [...row.allowed, ...row.allowedTypes] : row.allowed;
  return row.allowsAll || rowOf(to) === row || isNamed(to, paths);
}

/** The packages that the product imports. All but the driver are bundled. */
const PACKAGES = {
  anywhere: [
    "@electric-sql/pglite",
    ...["@hono/node-server", "@modelcontextprotocol/server", "@orama/stemmers", "@orama/stopwords"],
    ...["@secretlint/secretlint-rule-preset-recommend", "better-sqlite3", "chokidar", "commander"],
    ...[
      "fastest-levenshtein",
      "hono",
      "kysely",
      "open",
      "pg",
      "re2js",
      "smol-toml",
      "string-width",
      "uuid",
      "zod",
    ],
  ],
  picker: ["@earendil-works/pi-tui"],
  /** Titles and commands are matched in both. */
  pickerAndPage: ["fuzzysort"],
  page: [
    ...[
      "@preact/signals",
      "@shikijs/core",
      "@shikijs/engine-javascript",
      "@shikijs/langs",
      "@tanstack/virtual-core",
    ],
    ...["d3-scale", "d3-time", "markdown-it", "preact", "preact-iso", "preact-render-to-string"],
  ],
};

const files = sourceFiles();
const isIn = (folders: string[]) => (file: string) => folders.includes(file.split("/")[0] as string);
const product = files.filter(isIn(PRODUCT));
const imports = product.flatMap(importsOf);
/** The imports of files, also of tests and tools. */
const mapped = files.filter((file) => file.includes("/")).flatMap(importsOf);
const inside = imports.filter(({ isPackage }) => !isPackage);
const show = ({ from, to }: Import): string => `${from} imports ${to}`;

/** The file with the version, which programs print. */
const isManifest = ({ from, to }: Import): boolean =>
  to === "package.json" && ["bin", "library"].includes(partOf(from));

/** Modules that programs import without `library/`, because they run before everything else. */
const isLoadedBeforeLibrary = ({ from, to }: Import): boolean =>
  (/^bin\/[^/]+\.ts$/.test(from) && ["src/node-version.ts", "src/code-cache.ts"].includes(to)) ||
  (from === "bin/cli/io.ts" && to === "src/memoize.ts");

/** Modules below `bin` that the page bundles too: without Node, and only with packages that run in a browser. */
const FOR_PAGES = [
  "src/format-count.ts",
  "src/session/edit-arguments.ts",
  "src/session/nested-calls.ts",
  "src/session/problem-names.ts",
  "src/session/response-error.ts",
  "src/session/titles/choose-title.ts",
  "query/parse-moment.ts",
  "query/parse-query.ts",
  "query/correct-query.ts",
  "query/query-tree.ts",
  "query/format-term.ts",
  "query/completion-target.ts",
  "query/fields.ts",
  "query/half-typed-value.ts",
  "query/weekdays.ts",
  "query/usage/projection.ts",
];
const isForPages = ({ from, to }: Import): boolean =>
  from.startsWith("bin/format/") && FOR_PAGES.includes(to);

test("the check finds the project's files", () => {
  expect(product.length).toBeGreaterThan(20);
  expect(inside.length).toBeGreaterThan(50);
  const first = product.filter(isIn(["src"])).map(partOf);
  expect(new Set(first)).toEqual(new Set(["src", "src/session", "src/store"]));
});

test("folders import what the map in AGENTS.md says", () => {
  const wrong = mapped.filter(
    (one) =>
      !one.isPackage && !isInMap(one) && !isLoadedBeforeLibrary(one) && !isManifest(one) && !isForPages(one),
  );
  expect(wrong.map(show)).toEqual([]);
});

test("the map names folders that exist and are imported", () => {
  const used = (row: Row, path: string) =>
    mapped.some(({ from, to }) => rowOf(from) === row && rowOf(to) !== row && isNamed(to, [path]));
  const unused = MAP.flatMap((row) => [
    ...(files.some((file) => rowOf(file) === row) ? [] : [row.folder]),
    ...[...row.allowed, ...row.allowedTypes]
      .filter((path) => !used(row, path))
      .map((path) => `${row.folder} imports no ${path}`),
  ]);
  expect(unused).toEqual([]);
});

test("in the map imports point downwards", () => {
  const layers = ["migrations/", "src/", "indexer/", "query/", "library/", "bin/"];
  const layerOf = (path: string) => layers.findIndex((layer) => path.startsWith(layer));
  for (const { folder, allowed, allowedTypes } of MAP)
    for (const path of [...allowed, ...allowedTypes])
      if (layerOf(folder) >= 0)
        expect(layerOf(path), `${folder} ${path}`).toBeLessThanOrEqual(layerOf(folder));
  const imported = (folder: string) => MAP.find((row) => row.folder === folder)?.allowed;
  expect([imported("indexer/"), imported("query/")]).toEqual([["src/"], ["src/"]]);
});

test("folders of bin import lower folders only through the library's exports", () => {
  const exported = ["library/index.ts", "library/internal.ts", "library/schemas.ts"];
  // What starts a host, and the program of its thread or process.
  exported.push("library/isolated-index.ts", "library/index-service.ts", "library/serve-index.ts");
  const wrong = inside.filter(
    ({ from, to }) =>
      partOf(from) === "bin" &&
      partOf(to) === "library" &&
      !exported.includes(to) &&
      !/^library\/(?:host|hub)\//.test(to),
  );
  expect(wrong.map(show)).toEqual([]);
});

test("folders of bin don't import each other, except that cli starts the others", () => {
  const roomOf = (file: string) => (file.split("/").length > 2 ? file.split("/")[1] : undefined);
  const wrong = inside.filter(({ from, to }) => {
    if (!from.startsWith("bin/") || !to.startsWith("bin/")) return false;
    const [fromRoom, toRoom] = [roomOf(from), roomOf(to)];
    if (fromRoom === undefined || toRoom === undefined || fromRoom === toRoom) return false;
    if (toRoom === "format" || (toRoom === "actions" && fromRoom !== "format")) return false;
    if (toRoom === "config" && ["cli", "picker"].includes(fromRoom)) return false;
    if (toRoom === "agents" && ["mcp", "pi", "cli", "picker", "web"].includes(fromRoom)) return false;
    return !(fromRoom === "cli" && ["picker", "demo", "web", "mcp", "hub"].includes(toRoom as string));
  });
  expect(wrong.map(show)).toEqual([]);
});

test("modules that the page bundles import no Node modules, and only packages that run in a browser", () => {
  const reached = new Set(FOR_PAGES);
  for (const file of reached)
    for (const { to, isPackage } of importsOf(file)) if (!isPackage) reached.add(to);
  const packages = [...reached].flatMap(importsOf).filter(({ isPackage }) => isPackage);
  expect([...new Set(packages.map(({ to }) => to))]).toEqual(["fastest-levenshtein"]);
});

test("migrations import only kysely, and only their list imports them", () => {
  const wrong = imports.filter(({ from, to, isPackage }) => {
    if (!from.startsWith("migrations/")) return false;
    if (isPackage) return to !== "kysely" && !to.startsWith("kysely/");
    return !/^migrations\/(postgres\/)?index\.ts$/.test(from);
  });
  expect(wrong.map(show)).toEqual([]);
});

test("the Node version check imports nothing", () => {
  expect(importsOf("src/node-version.ts")).toEqual([]);
});

test("the product doesn't import tests, fixtures or the benchmark", () => {
  expect(inside.filter(({ to }) => isIn(NOT_PRODUCT)(to)).map(show)).toEqual([]);
  const names = product.filter((file) => /["'`/](?:test|fixtures|bench)\//.test(codeOf(file)));
  expect(names.filter((file) => file !== "bin/quickstart.ts")).toEqual([]);
});

test("packages of the page and the picker are imported only there", () => {
  const strangers = imports.filter(({ from, to, isPackage }) => {
    const name = to.split("/", to.startsWith("@") ? 2 : 1).join("/");
    if (!isPackage || to.startsWith("node:") || PACKAGES.anywhere.includes(name)) return false;
    if (PACKAGES.picker.includes(name)) return !from.startsWith("bin/picker/");
    if (PACKAGES.pickerAndPage.includes(name)) return !/^bin\/(picker|web\/page)\//.test(from);
    return !(/^bin\/web\/(page|export)\//.test(from) && PACKAGES.page.includes(name));
  });
  expect(strangers.filter(({ from }) => !from.startsWith("bin/pi/")).map(show)).toEqual([]);
});

test("only folders below `library/` contain SQL", () => {
  const handles = imports.filter(
    ({ from, to }) => partOf(from) === "bin" && /^(?:kysely|better-sqlite3)(?:\/|$)/.test(to),
  );
  expect(handles.map(show)).toEqual([]);
  const drivers = imports.filter(({ from, to }) => to === "better-sqlite3" && partOf(from) === "src/session");
  expect(drivers.map(show)).toEqual([]);
});

test.each([
  ["folders", folderOf],
  ["modules", (file: string) => file],
])("%s form no cycle, not even of types", (_, nodeOf) => {
  const edges = new Map<string, Set<string>>();
  for (const { from, to } of inside) {
    const [above, below] = [nodeOf(from), nodeOf(to)];
    if (above === below) continue;
    edges.set(above, (edges.get(above) ?? new Set()).add(below));
  }
  expect(circleIn(edges)).toBeUndefined();
});

test("relative imports include the extension, and the file exists", () => {
  const lost = inside.filter(
    ({ to }) => to !== "package.json" && !/\.(css|json)$/.test(to) && !files.includes(to),
  );
  expect(lost.map(show)).toEqual([]);
});

test("no module is named like a collection of utilities", () => {
  const drawers = ["utils", "util", "common", "helpers", "helper", "types", "misc"];
  const names = product.flatMap((file) => file.split("/")).map((part) => basename(part, ".ts"));
  expect(drawers.filter((name) => names.includes(name))).toEqual([]);
});

test("product files have kebab-case names", () => {
  const odd = product.filter(
    (file) => !file.split("/").every((part) => /^[a-z0-9]+(?:[-.][a-z0-9]+)*$/.test(part)),
  );
  expect(odd).toEqual([]);
});

test.each([
  ['import a from "./a.ts";', ["./a.ts"]],
  ['import "./a.ts";\nexport * from "./b.ts";', ["./a.ts", "./b.ts"]],
  ['import {\n  type A,\n  b,\n} from "./a.ts";\nconst c = "from";', ["./a.ts"]],
  ['import type { A } from "../a.ts";', ["../a.ts"]],
  ['import "./a.ts"; import b from "./b.ts";', ["./a.ts", "./b.ts"]],
  ['const { a } = await import("./a.ts");', ["./a.ts"]],
  ['export const a: import("./a.ts").A = 1;', ["./a.ts"]],
  ['// import a from "./a.ts";\n/* import("./b.ts") */', []],
  ['const url = "http://a"; import("./a.ts");', ["./a.ts"]],
  ['export const a = "./a.ts";\nexport function from() {}', []],
  ['export type { A } from "./a.ts";\nexport { b as c } from "./b.ts";', ["./a.ts", "./b.ts"]],
])("the imports of %j are %j", (source, expected) => {
  expect(importsIn(source).map(({ to }) => to)).toEqual(expected);
});

test("imports of types are recognized", () => {
  const source =
    'import type { A } from "./a.ts";\nimport { b } from "./b.ts";\nexport type { C } from "./c.ts";';
  expect(importsIn(source).map(({ isType }) => isType)).toEqual([true, false, true]);
});

test("a cycle of folders is detected", () => {
  const graph = (edges: [string, string][]) => {
    const map = new Map<string, Set<string>>();
    for (const [from, to] of edges) map.set(from, (map.get(from) ?? new Set()).add(to));
    return circleIn(map);
  };
  expect(
    graph([
      ["a", "b"],
      ["a", "c"],
      ["b", "c"],
    ]),
  ).toBeUndefined();
  expect(
    graph([
      ["a", "b"],
      ["b", "c"],
      ["c", "b"],
    ]),
  ).toEqual(["b", "c", "b"]);
});

function codeOf(file: string): string {
  return withoutComments(readFileSync(join(ROOT, file), "utf8"));
}

/** The top folder of a file; a file in the project's root is a layer by itself. */
function folderOf(file: string): string {
  return file.includes("/") ? dirname(file) : file;
}

/** A cycle in a graph, as a path from a node back to it; undefined if there is none. Depth first. */
function circleIn(edges: ReadonlyMap<string, ReadonlySet<string>>): string[] | undefined {
  const done = new Set<string>();
  const visit = (node: string, path: string[]): string[] | undefined => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node];
    if (done.has(node)) return undefined;
    for (const next of edges.get(node) ?? []) {
      const circle = visit(next, [...path, node]);
      if (circle) return circle;
    }
    done.add(node);
    return undefined;
  };
  for (const node of edges.keys()) {
    const circle = visit(node, []);
    if (circle) return circle;
  }
  return undefined;
}
