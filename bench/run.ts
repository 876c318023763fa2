/**
 * The benchmark: what pidex costs beside the least that could be done without it, all in one run on one machine.
 * See bench/README.md.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { arch, cpus, loadavg, platform, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { measureAnswers } from "./answers.ts";
import { type BenchRoot, benchRoot } from "./bench-root.ts";
import type { Comparison } from "./comparison.ts";
import { measureFirstIndex } from "./first-index.ts";
import { measureNothingNew, measureOneLine } from "./sync-again.ts";
import { table } from "./table.ts";

export interface Report {
  machine: {
    cpu: string;
    cores: number;
    platform: string;
    node: string;
    loadBefore: number;
    loadAfter: number;
  };
  root: { seed: number; files: number; bytes: number; entries: number; forks: number };
  rounds: number;
  rows: Comparison[];
}

async function measure(root: BenchRoot, folder: string, rounds: number): Promise<Comparison[]> {
  const scratch = mkdtempSync(join(folder, "scratch-"));
  const say = (what: string) => console.error(`${what} …`);
  try {
    say("first index, in turns with the floor");
    const { rows, db, floorMs } = measureFirstIndex(root, scratch, rounds);
    say("sync with nothing new");
    rows.push(...measureNothingNew(root, db, rounds));
    say("lists and searches");
    const answers = await measureAnswers(root, db, floorMs);
    say("sync with one line appended");
    rows.push(...measureOneLine(root, db, scratch, rounds));
    return [...rows, ...answers];
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

function notes({ machine, root, rounds }: Report): string {
  const { cpu, cores, node, loadBefore, loadAfter } = machine;
  return [
    `Machine: ${cores} cores (${cpu}), ${machine.platform}, Node ${node}; load ${loadBefore} before, ${loadAfter} after.`,
    `Files: seed ${root.seed}, ${root.files} files, ${root.bytes} bytes, ${root.entries} entries, ${root.forks} forks.`,
    `Rounds: ${rounds}. Measured and against are medians; ratios are taken round by round.`,
    "The floor: read every file and JSON.parse every line, in one process. MB are decimal.",
  ].join("\n");
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      size: { type: "string", default: "100MB" },
      rounds: { type: "string" },
      roots: { type: "string", default: join(tmpdir(), "pidex-bench") },
      json: { type: "string" },
    },
  });
  const rounds = Number(values.rounds ?? 5);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error(`Not a number of rounds: ${values.rounds}`);
  mkdirSync(values.roots, { recursive: true });
  console.error(`sessions of ${values.size} …`);
  const root = benchRoot(values.roots, values.size);
  const { seed, files, bytes, entries, forks } = root.manifest;

  const loadBefore = load();
  const rows = await measure(root, values.roots, rounds);
  const report: Report = {
    machine: {
      cpu: cpus()[0]?.model ?? "unknown",
      cores: cpus().length,
      platform: `${platform()} ${arch()}`,
      node: process.versions.node,
      loadBefore,
      loadAfter: load(),
    },
    root: { seed, files, bytes, entries, forks },
    rounds,
    rows,
  };
  console.log(`${table(rows)}\n\n${notes(report)}`);
  if (values.json) writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
}

/** How many processes wanted a core in the last minute. */
function load(): number {
  return Math.round((loadavg()[0] ?? 0) * 100) / 100;
}

if (import.meta.main) await main();
