/**
 * `npm run soak -- [--minutes 10] [--keep]`: four writers, two watchers, four readers, and one process that rebuilds, repairs
 * and deletes the index, work on one root and one database, and are killed at random. At the end the index must equal a new
 * one, no acknowledged entry may be lost, and the memory of surviving processes must not have grown.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { openIndex } from "../../library/index.ts";
import { isSessionFileName } from "../../src/session/locations.ts";

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "10" }, keep: { type: "boolean", default: false } },
});
const MINUTES = Number(values.minutes);
const KILL_EVERY_MS = 1_500;
const SAMPLE_EVERY_MS = 2_000;
/** Maximum memory growth of a process between the second and the last quarter of its life. */
const MAX_GROWTH = 1.3;

const folder = mkdtempSync(join(tmpdir(), "pidex-soak-"));
const [root, db, notes] = [join(folder, "sessions"), join(folder, "index.db"), join(folder, "notes")];
for (const path of [root, notes]) mkdirSync(path);
const here = (name: string) => join(import.meta.dirname, name);

/** A worker process, restarted after it was killed. */
class Worker {
  readonly name: string;
  readonly #args: string[];
  /** Whether it is killed at random. */
  readonly isKilled: boolean;
  readonly output: string[] = [];
  readonly errors: string[] = [];
  readonly memory: number[] = [];
  kills = 0;
  #child: ChildProcess | undefined;
  #stopping = false;

  constructor(name: string, isKilled: boolean, ...args: string[]) {
    this.name = name;
    this.isKilled = isKilled;
    this.#args = args;
    this.#start();
  }

  #start(): void {
    const child = spawn(process.execPath, this.#args, { stdio: ["ignore", "pipe", "pipe"] });
    this.#child = child;
    child.stdout
      ?.setEncoding("utf8")
      .on("data", (text: string) => this.output.push(...text.trim().split("\n")));
    child.stderr?.setEncoding("utf8").on("data", (text: string) => this.errors.push(text.trim()));
    child.on("exit", (code, signal) => {
      if (this.#stopping) return;
      if (signal !== "SIGKILL") this.errors.push(`ended by itself: ${code ?? signal}`);
      this.#start();
    });
  }

  kill(): void {
    this.kills++;
    this.#child?.kill("SIGKILL");
  }

  sampleMemory(): void {
    try {
      const status = readFileSync(`/proc/${this.#child?.pid}/status`, "utf8");
      this.memory.push(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
    } catch {
      // just killed, or not Linux: its memory is unknown, as the summary says
    }
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    const child = this.#child as ChildProcess;
    const exited = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await exited;
  }
}

const watch = [
  join(import.meta.dirname, "../../bin/pidex.ts"),
  "watch",
  "--quiet",
  "--root",
  root,
  "--db",
  db,
];
const workers = [
  ...[1, 2, 3, 4].map(
    (n) => new Worker(`writer ${n}`, true, here("writer.ts"), root, join(notes, `${n}.txt`)),
  ),
  new Worker("watcher 1", false, ...watch),
  new Worker("watcher 2", true, ...watch),
  new Worker("reader 1", false, here("reader.ts"), root, db),
  ...[2, 3, 4].map((n) => new Worker(`reader ${n}`, true, here("reader.ts"), root, db)),
  new Worker("index changer", true, here("change-index.ts"), root, db),
];
const killable = workers.filter(({ isKilled }) => isKilled);

const end = Date.now() + MINUTES * 60_000;
let nextKill = Date.now() + KILL_EVERY_MS;
while (Date.now() < end) {
  await pause(SAMPLE_EVERY_MS / 2);
  for (const worker of workers) worker.sampleMemory();
  if (Date.now() < nextKill) continue;
  (killable[Math.floor(Math.random() * killable.length)] as Worker).kill();
  nextKill = Date.now() + Math.random() * 2 * KILL_EVERY_MS;
}
await Promise.all(workers.map((worker) => worker.stop()));

// Compares the index with a new one, row by row and word by word.
const failures: string[] = [];
const index = await openIndex({ db, roots: [root], onNotice: (text) => failures.push(text) });
const { differences, differenceCount, compared } = await index.verify();
if (differenceCount > 0) {
  failures.push(
    `${differenceCount} rows differ from a rebuild's: ${JSON.stringify(differences.slice(0, 3))}`,
  );
}
const { entries } = await index.stats();
await index.close();
const quarantined = readdirSync(folder).filter((name) => name.includes(".broken-"));
if (quarantined.length > 0) failures.push(`a broken database was quarantined: ${quarantined}`);

// The acknowledged entries of sessions that were not deleted or overwritten by another tool.
const lines = readdirSync(notes).flatMap((name) =>
  readFileSync(join(notes, name), "utf8").trim().split("\n"),
);
const mayBeLost = new Set(lines.filter((line) => line.startsWith("- ")).map((line) => line.slice(2)));
const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(isSessionFileName);
const present = new Set<string>();
for (const name of files) {
  const [header = "", ...rest] = readFileSync(join(root, name), "utf8").split("\n");
  const id = /"id":"([^"]+)"/.exec(header)?.[1];
  for (const line of rest) {
    const entry = /"id":"([^"]+)"/.exec(line)?.[1];
    if (entry) present.add(`${id} ${entry}`);
  }
}
const acknowledged = lines.filter(
  (line) => /^[^-]\S* \S+$/.test(line) && !mayBeLost.has(line.split(" ")[0] as string),
);
const lost = acknowledged.filter((line) => !present.has(line));
if (lost.length > 0)
  failures.push(`${lost.length} acknowledged entries are lost: ${lost.slice(0, 5).join(", ")}`);

for (const { name, errors } of workers) {
  if (errors.length > 0) failures.push(`${name} said: ${errors.slice(0, 3).join(" | ")}`);
}
const median = (all: readonly number[]) => [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;
const memory = workers
  .filter(({ isKilled }) => !isKilled)
  .map(({ name, memory: all }) => {
    const quarter = Math.floor(all.length / 4);
    const [then, now] = [median(all.slice(quarter, 2 * quarter)), median(all.slice(-quarter))];
    if (now > then * MAX_GROWTH)
      failures.push(`${name} grew from ${then.toFixed(0)} to ${now.toFixed(0)} MB`);
    return `${name} ${then.toFixed(0)} MB in the second quarter, ${now.toFixed(0)} MB in the last`;
  });

const queryTimes = workers.filter(({ name }) => name.startsWith("reader")).flatMap(({ output }) => output);
const slowest = Math.max(
  ...queryTimes.filter((line) => !line.startsWith("sync")).map((line) => Number(line.split(" ")[1])),
);
const changes = workers.find(({ name }) => name === "index changer")?.output.length;
const kills = workers.map(({ kills: n }) => n).reduce((sum, n) => sum + n, 0);
console.log(`soak: ${MINUTES} minutes, 4 writers, 2 watchers, 4 readers, 1 index changer, ${kills} kills
  ${acknowledged.length} entries acknowledged in remaining sessions, ${lost.length} lost
  ${files.length} files, ${entries} entries at the end; ${differenceCount} rows of ${compared} files differ from a rebuild's
  ${changes} rebuilds, repairs and deletions of the index
  ${queryTimes.length} queries, the slowest ${slowest.toFixed(0)} ms
  memory: ${memory.join("; ")}
  ${failures.length === 0 ? "nothing failed" : `FAILED\n  ${failures.join("\n  ")}`}`);
if (!values.keep && failures.length === 0) rmSync(folder, { recursive: true, force: true });
else console.log(`  ${folder}`);
process.exitCode = failures.length === 0 ? 0 : 1;
