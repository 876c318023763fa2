/** Counts what `pidex list` loads and runs if nothing changed: docs/decisions/0016-start-up.md. */
import { execFileSync } from "node:child_process";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import SQLite from "better-sqlite3";
import { type OutputChunk, rolldown } from "rolldown";
import { expect, onTestFinished, test } from "vitest";
import { session } from "../../fixtures/builder.ts";
import { commandLine } from "../../rolldown.config.ts";
import { temporaryFolder } from "../temporary.ts";
import { HOME, pidexAt } from "./cli.ts";

/** Bundles the command line as published, into a folder with its packages. */
async function bundled(folder: string): Promise<OutputChunk[]> {
  symlinkSync(join(HOME, "node_modules"), join(folder, "node_modules"));
  const { output, ...input } = commandLine;
  await using bundle = await rolldown({ ...input, cwd: HOME });
  const written = await bundle.write({ ...output, dir: join(folder, "dist") });
  return written.output.filter((each) => each.type === "chunk");
}

const TRACE = `process.on("exit", () => require("node:fs").writeFileSync(process.env.LOADED, JSON.stringify({
  files: Object.keys(require.cache), node: process.moduleLoadList })));`;

/** The files that programs load, and the Node modules that an empty program does not load. */
function tracing(folder: string, env: NodeJS.ProcessEnv) {
  const [trace, empty] = [join(folder, "trace.cjs"), join(folder, "empty.cjs")];
  writeFileSync(trace, TRACE);
  writeFileSync(empty, "");
  const LOADED = join(folder, "loaded.json");
  const traced = (program: string, ...args: string[]) => {
    const argv = ["--require", trace, program, ...args];
    const out = execFileSync(process.execPath, argv, { env: { ...env, LOADED }, encoding: "utf8" });
    const { files, node } = JSON.parse(readFileSync(LOADED, "utf8")) as { files: string[]; node: string[] };
    return { out, files: files.filter((file) => file !== trace).map((file) => basename(file)), node };
  };
  const always = new Set(traced(empty).node);
  return (program: string, ...args: string[]) => {
    const { node, ...rest } = traced(program, ...args);
    const more = node.filter((each) => !always.has(each));
    return { ...rest, node: more.map((each) => each.replace("NativeModule ", "")) };
  };
}

test("a list without changes, a search, and a status line, load few files, the driver, and no slow Node modules", async () => {
  const folder = temporaryFolder();
  const root = join(folder, "sessions");
  // Enough hits to skip the closest matches.
  for (const id of ["a", "b", "c", "d", "e"]) session({ id }).user("needle").writeUnder(root);
  const chunks = await bundled(folder);

  const loadedBy = tracing(folder, { ...process.env, PIDEX_ROOTS: root, PIDEX_DB: join(folder, "index.db") });
  const program = join(folder, "dist", "pidex.js");
  const dear = ["child_process", "crypto", "worker_threads", "fs/promises", "perf_hooks", "zlib", "readline"];
  const streams = ["stream", "net", "tty", "timers/promises"];
  loadedBy(program, "index");
  const ours = ["first.js", "pidex.js", "rolldown-runtime.js", "start.js"];
  const further = { list: [], search: ["entries.js", "parameters.js", "search.js"], status: ["status.js"] };
  for (const [command, ...more] of [["list"], ["search", "needle"], ["status"]] as const) {
    const { files, node, out } = loadedBy(program, command, ...more);
    expect(out).toContain(command === "status" ? "$0.00 today" : "needle");
    const wanted = [...ours, ...further[command]].sort();
    expect(files.filter((file) => !file.endsWith(".node")).sort()).toEqual(wanted);
    expect(files.length).toBe(wanted.length + 1);
    expect(node.filter((each) => [...dear, ...streams].includes(each))).toEqual([]);
  }

  const idsOf = (chunk: string) => chunks.find(({ name }) => name === chunk)?.moduleIds ?? [];
  const packagesOf = (chunk: string) =>
    idsOf(chunk).flatMap((id) => /node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(id)?.[1] ?? []);
  expect([...new Set(packagesOf("start"))].sort()).toEqual(["better-sqlite3", "fastest-levenshtein"]); // 4 kB, for "did you mean"
  expect([...new Set(packagesOf("search"))]).toEqual([]);
  expect([...new Set(packagesOf("status"))]).toEqual([]);
  const readsOrWrites =
    /[\\/](?:ingest|extract|rows|apply-changes|rebuild|read|entries|options|search|program)\.ts$/;
  expect(idsOf("start").filter((id) => readsOrWrites.test(id))).toEqual([]);
});

/** The statements that SQLite prepares or runs during a function. */
async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const statements: string[] = [];
  const { prepare, exec, pragma } = SQLite.prototype;
  const restore = () => void Object.assign(SQLite.prototype, { prepare, exec, pragma });
  onTestFinished(restore);
  Object.assign(SQLite.prototype, {
    prepare(this: SQLite.Database, sql: string) {
      statements.push(sql);
      return prepare.call(this, sql);
    },
    exec(this: SQLite.Database, sql: string) {
      statements.push(sql);
      return exec.call(this, sql);
    },
    pragma(this: SQLite.Database, sql: string, options?: SQLite.PragmaOptions) {
      statements.push(`PRAGMA ${sql}`);
      return pragma.call(this, sql, options);
    },
  });
  await work();
  restore();
  return statements;
}

test("a list without changes runs few statements, and writes nothing", async () => {
  const at = temporaryFolder();
  session({ id: "b" }).user("needle").writeUnder(join(at, "sessions"));
  const pidex = pidexAt(join(at, "sessions"), at);
  const isWrite = (sql: string) => /\b(INSERT|UPDATE|DELETE|IMMEDIATE|EXCLUSIVE)\b/.test(sql);
  // A recently written file is compared again on each sync.
  while ((await statementsOf(() => pidex(["index"]))).some(isWrite));
  const statements = await statementsOf(() => pidex(["list"]));
  expect(statements.filter(isWrite)).toEqual([]);
  expect(statements.filter((sql) => /^\s*SELECT/.test(sql)).length).toBeLessThanOrEqual(6);
  expect(statements.length).toBeLessThanOrEqual(23);
});
