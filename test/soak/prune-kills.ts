/** Real kills: a process that compresses and restores sessions is killed with SIGKILL, while another one appends. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { SessionManager } from "../../library/index.ts";
import { findLeftovers, hasCompressedFile, settleLeftovers } from "../../library/internal.ts";
import { readAt } from "../../src/session/lines.ts";
import { openForReading } from "../../src/session/open-for-reading.ts";
import { closeBytes, getByteCount } from "../../src/session/session-bytes.ts";
import { createContent, createRandom } from "../session/prune-faults.ts";

/** Kills on one folder before its files are compared: sessions then have what several killed processes left. */
const KILLS_PER_ROUND = 5;
const SESSIONS = 4;
/** Time for several operations. */
const MAX_RUN_MS = 300;

export interface KillReport {
  kills: number;
  /** Operations that ended before their process was killed. */
  compressed: number;
  restored: number;
  appended: number;
  /** What is lost, doubled or changed, with the seed of its round. */
  failures: string[];
}

/** @param onRound called after each folder that was compared */
export async function runWithKills(kills: number, from: number, onRound: () => void): Promise<KillReport> {
  const report: KillReport = { kills: 0, compressed: 0, restored: 0, appended: 0, failures: [] };
  for (let seed = from; report.kills < kills; seed++) {
    const folder = mkdtempSync(join(tmpdir(), "pidex-kills-"));
    const failed = report.failures.length;
    await runRound(folder, seed, report);
    // What is lost can only be explained by the files.
    if (report.failures.length === failed) rmSync(folder, { recursive: true });
    else report.failures.push(`seed ${seed}: the files are kept in ${folder}`);
    onRound();
  }
  return report;
}

async function runRound(folder: string, seed: number, report: KillReport): Promise<void> {
  const random = createRandom(seed);
  const sessions = join(folder, "sessions");
  const log = join(folder, "appended.ndjson");
  mkdirSync(sessions);
  writeFileSync(log, "");
  const originals = new Map<string, Buffer>();
  for (let n = 0; n < SESSIONS; n++) {
    const path = join(sessions, `2026-01-05T09-00-0${n}-000Z_${seed}.jsonl`);
    originals.set(path, createContent(random, { isTorn: false }));
    writeFileSync(path, originals.get(path) as Buffer);
  }
  const appender = start("append", sessions, log);
  for (let n = 0; n < KILLS_PER_ROUND; n++) {
    const pruner = start("prune", sessions);
    let done = "";
    pruner.stdout.setEncoding("utf8").on("data", (letters: string) => {
      done += letters;
    });
    await once(pruner.stdout, "data");
    await pause(random() * MAX_RUN_MS);
    pruner.kill("SIGKILL");
    const [code, signal] = await once(pruner, "close");
    report.compressed += done.split("c").length - 1;
    report.restored += done.split("r").length - 1;
    if (signal === "SIGKILL") report.kills++;
    else report.failures.push(`seed ${seed}: the process ended by itself with ${code}`);
  }
  appender.stdin.end();
  const [code] = await once(appender, "exit");
  if (code !== 0) report.failures.push(`seed ${seed}: the appending process failed`);
  const appended = readFileSync(log, "utf8")
    .split("\n")
    .filter((text) => text !== "")
    .map((text) => JSON.parse(text) as { path: string; line: string });
  report.appended += appended.length;
  const expected = [...originals].map(([path, bytes]) => {
    const lines = appended.filter((each) => each.path === path).map(({ line }) => line);
    return { path, bytes, lines };
  });
  const compare = (state: string, read: (path: string) => Buffer) => {
    for (const { path, bytes, lines } of expected) {
      const loss = findLoss(read(path), bytes, lines);
      if (loss) report.failures.push(`seed ${seed}: ${basename(path)} ${state}: ${loss}`);
    }
  };
  compare("before settling", readServed);
  for (const path of findLeftovers([sessions])) settleLeftovers(path);
  for (const { path } of expected) if (hasCompressedFile(path)) SessionManager.decompress(path);
  compare("after settling", (path) => readFileSync(path));
  const names = new Set(expected.map(({ path }) => basename(path)));
  const isLeft = (name: string) => !names.has(name) && !/\.(tmp|lock)$/.test(name);
  const left = readdirSync(sessions).filter(isLeft);
  if (left.length > 0) report.failures.push(`seed ${seed}: left over: ${left.join(", ")}`);
}

function start(mode: "prune" | "append", ...folders: string[]) {
  const program = join(import.meta.dirname, "prune-child.ts");
  return spawn(process.execPath, [program, mode, ...folders], { stdio: ["pipe", "pipe", "inherit"] });
}

/** Bytes of the original must come first; each appended line must follow once, in any order. */
function findLoss(found: Buffer, original: Buffer, lines: readonly string[]): string | undefined {
  if (!found.subarray(0, original.length).equals(original)) return "the original bytes differ";
  const rest = found.subarray(original.length).toString();
  const counts = new Map<string, number>();
  for (const line of rest.split(/(?<=\n)/)) counts.set(line, (counts.get(line) ?? 0) + 1);
  const wrong = lines.filter((line) => counts.get(line) !== 1);
  const first = wrong[0] && `${wrong[0].slice(0, 40)} ${counts.get(wrong[0]) ?? 0} times`;
  if (first) return `${wrong.length} of ${lines.length} appended lines are not there once: ${first}`;
  const size = lines.reduce((sum, line) => sum + line.length, 0);
  return rest.length === size ? undefined : `${rest.length} bytes were appended instead of ${size}`;
}

function readServed(path: string): Buffer {
  const file = openForReading(path);
  try {
    return readAt(file, 0, getByteCount(file));
  } finally {
    closeBytes(file);
  }
}
