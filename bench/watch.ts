/**
 * Measures how soon an appended line is found while `pidex watch` runs: from the end of the write by one process to the first
 * result in another, which searches repeatedly. See bench/README.md.
 */
import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, watch, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { type Index, openIndex } from "../library/index.ts";
import { median, p95 } from "./distribution.ts";
import { generateRoot } from "./generate.ts";
import type { AppendRequest } from "./processes/append-line.ts";

export interface WatchBenchReport {
  machine: { cpu: string; cores: number; node: string; load: number };
  sessions: number;
  /** Milliseconds from the end of a write until a query finds the line. */
  found: Times;
  /** Milliseconds until `fs.watch` alone reports the write. */
  reported: Times;
}

interface Times {
  median: number;
  p95: number;
  max: number;
}

async function measure(sessions: number, lines: number): Promise<WatchBenchReport> {
  const scratch = mkdtempSync(join(tmpdir(), "pidex-bench-watch-"));
  const root = join(scratch, "sessions");
  const db = join(scratch, "index.db");
  console.error("sessions …");
  generateRoot(root, { seed: 1, profile: "small", files: sessions });
  const writer = fork(join(import.meta.dirname, "processes/append-line.ts"));
  try {
    await using index = await openIndex({ db, roots: [root] });
    console.error("index …");
    await index.sync();
    const { sessions: newest } = await index.listAll({ limit: 20 });
    const paths = newest.map(({ path }) => path);
    console.error("fs.watch …");
    const reported = await repeat(lines, (n) => timeUntilReported(writer, createRequest(paths, n, "floor")));
    console.error("lines …");
    const watcher = await startWatch(root, db);
    const found = await repeat(lines, (n) =>
      timeUntilFound(writer, index, createRequest(paths, n, "needle")),
    ).finally(async () => {
      watcher.kill("SIGTERM");
      await once(watcher, "exit");
    });
    const machine = {
      cpu: cpus()[0]?.model ?? "unknown",
      cores: cpus().length,
      node: process.versions.node,
      load: Math.round((loadavg()[0] ?? 0) * 100) / 100,
    };
    return { machine, sessions, found, reported };
  } finally {
    writer.disconnect();
    rmSync(scratch, { recursive: true });
  }
}

/** Starts `pidex watch` from its source, and waits until it watches. */
async function startWatch(root: string, db: string): Promise<ChildProcess> {
  const bin = join(import.meta.dirname, "..", "bin", "pidex.ts");
  const child = spawn(process.execPath, [bin, "watch", "--root", root, "--db", db], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  for await (const text of child.stderr ?? []) if (String(text).includes("watching")) return child;
  throw new Error("pidex watch exited before it was ready");
}

/** The nth line to append, with a word that no other line contains. */
function createRequest(paths: readonly string[], n: number, word: string): AppendRequest & { word: string } {
  const path = paths[n % paths.length] as string;
  const unique = `${word}x${n}`;
  const message = { role: "user", content: `one line with ${unique} in it`, timestamp: Date.now() };
  const line = { type: "message", id: unique, parentId: null, timestamp: new Date().toISOString(), message };
  return { path, line: JSON.stringify(line), word: unique };
}

/** Repeats a measurement. Pauses vary, so that writes don't fall into step with timers of the watcher. */
async function repeat(count: number, measureOnce: (n: number) => Promise<number>): Promise<Times> {
  const times: number[] = [];
  for (let n = 0; n < count; n++) {
    times.push(await measureOnce(n));
    await new Promise((resolve) => setTimeout(resolve, 60 + ((n * 37) % 100)));
  }
  return { median: median(times), p95: p95(times), max: Math.max(...times) };
}

/** Appends a line in the writer process, and returns when the write ended. */
async function write(writer: ChildProcess, { path, line }: AppendRequest): Promise<bigint> {
  const written = once(writer, "message");
  writer.send({ path, line });
  return BigInt((await written)[0]);
}

/** Milliseconds until `fs.watch` on the file's folder reports any change: the minimum. */
async function timeUntilReported(writer: ChildProcess, request: AppendRequest): Promise<number> {
  const watcher = watch(dirname(request.path));
  const reported = once(watcher, "change").then(() => process.hrtime.bigint());
  const written = await write(writer, request);
  const ms = toMs((await reported) - written);
  watcher.close();
  return Math.max(0, ms);
}

/** Milliseconds until a query with a separate index handle, which does not sync, finds the word. */
async function timeUntilFound(
  writer: ChildProcess,
  index: Index,
  request: AppendRequest & { word: string },
): Promise<number> {
  const written = await write(writer, request);
  for (;;) {
    const { hits } = await index.searchEntries(request.word, { sync: false });
    if (hits.length > 0) return toMs(process.hrtime.bigint() - written);
    // Leaves a core to the watcher.
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

function toMs(nanos: bigint): number {
  return Number(nanos) / 1e6;
}

function formatReport({ machine, sessions, found, reported }: WatchBenchReport): string {
  const row = (what: string, times: Times) =>
    [what.padEnd(24), ...[times.median, times.p95, times.max].map((ms) => ms.toFixed(1).padStart(9))].join(
      "",
    );
  const { cores, cpu, node, load } = machine;
  return [
    `${"ms after the write".padEnd(24)}   median      p95      max`,
    row("found by a query", found),
    row("reported by fs.watch", reported),
    "",
    `${sessions} sessions; ${cores} cores (${cpu}), Node ${node}; load ${load}.`,
  ].join("\n");
}

/** @throws Error unless it is a whole number above 0 */
function wholeNumber(option: string, text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new Error(`--${option} takes a whole number above 0, not "${text}"`);
}

/** Goal for the median. */
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
  console.log(formatReport(report));
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
