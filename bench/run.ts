/**
 * The benchmark: compares pidex with the minimum work and with the tools people use today, in one run on one machine. See
 * bench/README.md.
 */
import { writeFileSync } from "node:fs";
import { arch, cpus, loadavg, platform, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { BenchRoot } from "./bench-root.ts";
import type { Comparison } from "./comparison.ts";
import { measureFirstIndex } from "./first-index.ts";
import { parseBytes } from "./generate.ts";
import { measureGrowth } from "./growth.ts";
import { measureIncrementalSync } from "./incremental-sync.ts";
import { measureLargeSession } from "./large-session.ts";
import { measureLists } from "./lists.ts";
import { measurePage } from "./page.ts";
import { measurePicker } from "./picker.ts";
import { measureSearches } from "./searches.ts";
import { formatTable } from "./table.ts";
import { measureUsage } from "./usage.ts";
import { type MainProfile, type Part, Workspace } from "./workspace.ts";

/** `isOfMain`: over the roots of `--profile`, among others. */
const PARTS = {
  A: { title: "First index", isOfMain: true, measure: measureFirstIndex },
  B: { title: "Incremental sync", isOfMain: false, measure: measureIncrementalSync },
  C: { title: "Lists", isOfMain: true, measure: measureLists },
  D: { title: "Searches", isOfMain: true, measure: measureSearches },
  E: { title: "One large session", isOfMain: false, measure: measureLargeSession },
  F: { title: "Usage", isOfMain: false, measure: measureUsage },
  G: { title: "Size and growth", isOfMain: true, measure: measureGrowth },
  H: { title: "The picker", isOfMain: true, measure: measurePicker },
  I: { title: "The page", isOfMain: true, measure: measurePage },
} satisfies Record<string, { title: string; isOfMain: boolean; measure: Part }>;

type Letter = keyof typeof PARTS;

export interface Report {
  machine: {
    cpu: string;
    cores: number;
    memoryBytes: number;
    platform: string;
    node: string;
    loadBefore: number;
    loadAfter: number;
  };
  roots: Pick<BenchRoot["manifest"], "profile" | "seed" | "files" | "bytes" | "entries" | "forks">[];
  rounds: number;
  turns: number;
  parts: { part: Letter; title: string; seconds: number; rows: Comparison[] }[];
  /** Sentences below the tables, such as which measurements were skipped and why. */
  notes: string[];
}

const OPTIONS = {
  parts: { type: "string", default: "A,B,C,D,E,F,G,H,I" },
  rounds: { type: "string", default: "5" },
  turns: { type: "string", default: "5" },
  profile: { type: "string", default: "mixed" },
  real: { type: "string" },
  size: { type: "string", default: "1GB,100MB" },
  small: { type: "string", default: "10000" },
  giant: { type: "string", default: "200MB" },
  tree: { type: "string", default: "200000" },
  events: { type: "string", default: "300000" },
  tiny: { type: "string", default: "10000,30000,100000" },
  roots: { type: "string", default: join(tmpdir(), "pidex-bench") },
  cli: { type: "string" },
  json: { type: "string" },
} as const;

async function measureParts(bench: Workspace, letters: readonly Letter[]): Promise<Report["parts"]> {
  const parts: Report["parts"] = [];
  for (const part of letters) {
    const { measure, isOfMain, ...names } = PARTS[part];
    const title = isOfMain ? `${names.title} (${bench.profile} sessions)` : names.title;
    console.error(`\n${part}. ${title}`);
    const startedAt = performance.now();
    const rows = await measure(bench);
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    parts.push({ part, title, seconds, rows });
    if (rows.length > 0) console.log(`${part}. ${title}\n\n${formatTable(rows)}\n`);
  }
  return parts;
}

function formatNotes({ machine, roots, rounds, turns, parts, notes }: Report): string {
  const { cpu, cores, memoryBytes, node, loadBefore, loadAfter } = machine;
  const gigabytes = Math.round(memoryBytes / 1e9);
  return [
    `Machine: ${cores} cores (${cpu}), ${gigabytes} GB, ${machine.platform}, Node ${node}; load ${loadBefore} before, ${loadAfter} after.`,
    ...roots.map(
      ({ profile, seed, files, bytes, entries, forks }) =>
        `Files: ${profile}, ${profile === "real" ? "" : `seed ${seed}, `}${files} files, ${bytes} bytes, ${entries} entries, ${forks} forks.`,
    ),
    `Rounds: ${rounds}, of ${turns} turns. Measured and against are medians; ratios are computed per round.`,
    formatGoals(parts.flatMap(({ rows }) => rows)),
    "The floor: read every file and JSON.parse every line, in one process. MB are decimal.",
    ...notes,
  ].join("\n");
}

function formatGoals(rows: readonly Comparison[]): string {
  const goals = rows.filter(({ goal }) => goal);
  const missed = goals.filter(({ goal }) => !goal?.met).map(({ what }) => `\n- ${what}`);
  const met = `Goals: ${goals.length - missed.length} of ${goals.length} were met; they apply to the default sizes.`;
  return missed.length === 0 ? met : `${met} Not met:${missed.join("")}`;
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: OPTIONS });
  const letters = parseLetters(values.parts);
  const sizes = {
    main: values.size.split(","),
    small: wholeNumber("small", values.small),
    giant: values.giant,
    tree: wholeNumber("tree", values.tree),
    events: wholeNumber("events", values.events),
    tiny: values.tiny.split(",").map((size) => wholeNumber("tiny", size)),
  };
  for (const size of [...sizes.main, sizes.giant]) parseBytes(size);
  const rounds = wholeNumber("rounds", values.rounds);
  const turns = wholeNumber("turns", values.turns);

  const { roots: folder, cli } = values;
  const profile = values.real === undefined ? parseProfile(values.profile) : "real";
  const bench = new Workspace({ folder, profile, sizes, rounds, turns, ...(cli !== undefined && { cli }) });
  try {
    if (values.real !== undefined) await bench.prepareReal(values.real);
    const loadBefore = getLoad();
    const parts = await measureParts(bench, letters);
    const machine = { ...describeMachine(), loadBefore, loadAfter: getLoad() };
    const roots = [...bench.roots.values()].map(({ manifest }) => {
      const { profile, seed, files, bytes, entries, forks } = manifest;
      return { profile, seed, files, bytes, entries, forks };
    });
    const report: Report = { machine, roots, rounds, turns, parts, notes: [...bench.notes] };
    console.log(formatNotes(report));
    if (values.json) writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
  } finally {
    bench.remove();
  }
}

function describeMachine() {
  return {
    cpu: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    memoryBytes: totalmem(),
    platform: `${platform()} ${arch()}`,
    node: process.versions.node,
  };
}

/** @throws Error if a part does not exist */
function parseLetters(text: string): Letter[] {
  return text.split(",").map((part) => {
    const letter = part.trim().toUpperCase();
    if (!Object.hasOwn(PARTS, letter)) {
      throw new Error(`--parts takes some of ${Object.keys(PARTS).join(",")}, not "${part}"`);
    }
    return letter as Letter;
  });
}

/** @throws Error if the profile does not exist */
function parseProfile(text: string): MainProfile {
  if (text === "mixed" || text === "varied") return text;
  throw new Error(`--profile takes mixed or varied, not "${text}"`);
}

/** @throws Error unless it is a whole number above 0 */
function wholeNumber(option: string, text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new Error(`--${option} takes a whole number above 0, not "${text}"`);
}

/** The load average of the last minute. */
function getLoad(): number {
  return Math.round((loadavg()[0] ?? 0) * 100) / 100;
}

if (import.meta.main) await main();
