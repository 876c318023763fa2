/**
 * How soon a line that an agent appends is found, while `pidex watch` runs in a process of its own: from the end of the
 * write, by another process, to the answer of a third that asks again and again. See bench/README.md.
 */
import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, watch, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { type Index, openIndex } from "../library/index.ts";
import type { Order } from "./append-line.ts";
import { median } from "./distribution.ts";
import { generateRoot } from "./generate.ts";

export interface WatchBenchReport {
  machine: { cpu: string; cores: number; node: string; load: number };
  sessions: number;
  /** Milliseconds from the end of a write to the first answer that has it; and to the bare event of the system. */
  found: Times;
  told: Times;
}

interface Times {
  median: number;
  p95: number;
  longest: number;
}

async function measure(sessions: number, lines: number): Promise<WatchBenchReport> {
  const scratch = mkdtempSync(join(tmpdir(), "pidex-bench-watch-"));
  const root = join(scratch, "sessions");
  const db = join(scratch, "index.db");
  console.error("sessions …");
  generateRoot(root, { seed: 1, profile: "small", files: sessions });
  const writer = fork(join(import.meta.dirname, "append-line.ts"));
  try {
    await using index = await openIndex({ db, roots: [root] });
    console.error("index …");
    await index.sync();
    const { sessions: newest } = await index.listAll({ limit: 20 });
    const paths = newest.map(({ path }) => path);
    console.error("the system's events …");
    const told = await timesOf(lines, (n) => untilTold(writer, order(paths, n, "floor")));
    console.error("lines …");
    const watching = await startWatch(root, db);
    const found = await timesOf(lines, (n) => untilFound(writer, index, order(paths, n, "needle"))).finally(
      async () => {
        watching.kill("SIGTERM");
        await once(watching, "exit");
      },
    );
    const machine = {
      cpu: cpus()[0]?.model ?? "unknown",
      cores: cpus().length,
      node: process.versions.node,
      load: Math.round((loadavg()[0] ?? 0) * 100) / 100,
    };
    return { machine, sessions, found, told };
  } finally {
    writer.disconnect();
    rmSync(scratch, { recursive: true });
  }
}

/** `pidex watch` from its source, when it watches. */
async function startWatch(root: string, db: string): Promise<ChildProcess> {
  const bin = join(import.meta.dirname, "..", "bin", "pidex.ts");
  const child = spawn(process.execPath, [bin, "watch", "--root", root, "--db", db], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  for await (const text of child.stderr ?? []) if (String(text).includes("watching")) return child;
  throw new Error("pidex watch has ended");
}

function order(paths: readonly string[], n: number, word: string): Order & { word: string } {
  const path = paths[n % paths.length] as string;
  const unique = `${word}x${n}`;
  const message = { role: "user", content: `one line with ${unique} in it`, timestamp: Date.now() };
  const line = { type: "message", id: unique, parentId: null, timestamp: new Date().toISOString(), message };
  return { path, line: JSON.stringify(line), word: unique };
}

/** Milliseconds of each of so many, with pauses between that are never the same: what comes first is no sooner. */
async function timesOf(count: number, one: (n: number) => Promise<number>): Promise<Times> {
  const times: number[] = [];
  for (let n = 0; n < count; n++) {
    times.push(await one(n));
    await new Promise((resolve) => setTimeout(resolve, 60 + ((n * 37) % 100)));
  }
  const sorted = times.toSorted((a, b) => a - b);
  const p95 = sorted[Math.ceil(sorted.length * 0.95) - 1] ?? Number.NaN;
  return { median: median(times), p95, longest: sorted.at(-1) ?? Number.NaN };
}

async function write(writer: ChildProcess, { path, line }: Order): Promise<bigint> {
  const written = once(writer, "message");
  writer.send({ path, line });
  return BigInt((await written)[0]);
}

/** Until `fs.watch` on the file's folder says anything: the least there could be. */
async function untilTold(writer: ChildProcess, order: Order): Promise<number> {
  const watcher = watch(dirname(order.path));
  const told = once(watcher, "change").then(() => process.hrtime.bigint());
  const written = await write(writer, order);
  const ms = millis((await told) - written);
  watcher.close();
  return Math.max(0, ms);
}

/** Until a query on a handle of its own, which does not sync, finds the word. */
async function untilFound(
  writer: ChildProcess,
  index: Index,
  order: Order & { word: string },
): Promise<number> {
  const written = await write(writer, order);
  for (;;) {
    const { hits } = await index.searchEntries(order.word, { sync: false });
    if (hits.length > 0) return millis(process.hrtime.bigint() - written);
    // The watcher is to have a core, and its turn.
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

function millis(nanos: bigint): number {
  return Number(nanos) / 1e6;
}

function printed({ machine, sessions, found, told }: WatchBenchReport): string {
  const row = (what: string, times: Times) =>
    [
      what.padEnd(24),
      ...[times.median, times.p95, times.longest].map((ms) => ms.toFixed(1).padStart(9)),
    ].join("");
  const { cores, cpu, node, load } = machine;
  return [
    `${"ms after the write".padEnd(24)}   median      p95  longest`,
    row("found by a query", found),
    row("told by fs.watch alone", told),
    "",
    `${sessions} sessions; ${cores} cores (${cpu}), Node ${node}; load ${load}.`,
  ].join("\n");
}

/** @throws Error when it is not a whole number above 0 */
function wholeNumber(option: string, text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new Error(`--${option} takes a whole number above 0, not "${text}"`);
}

/** What is to be kept, in milliseconds, by the median. */
const GOAL_MS = 250;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      sessions: { type: "string", default: "2000" },
      lines: { type: "string", default: "200" },
      json: { type: "string" },
    },
  });
  const report = await measure(wholeNumber("sessions", values.sessions), wholeNumber("lines", values.lines));
  console.log(printed(report));
  if (values.json) {
    mkdirSync(dirname(values.json), { recursive: true });
    writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
  }
  if (report.found.median > GOAL_MS) {
    console.error(`The median is above ${GOAL_MS} ms.`);
    process.exitCode = 1;
  }
}

if (import.meta.main) await main();
