/**
 * Measures usage queries over many billable events, compared with the minimum work without an index: reading every file and
 * adding up. See bench/README.md.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { arch, cpus, loadavg, platform, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Index, openIndex, USAGE_DIMENSIONS, type UsageOptions } from "../../library/index.ts";
import { type Comparison, compare, type Goal } from "../comparison.ts";
import { median } from "../distribution.ts";
import { formatTable } from "../table.ts";
import { prepareUsageRoot, type UsageRoot } from "./root.ts";

export interface UsageBenchReport {
  machine: { cpu: string; cores: number; platform: string; node: string; load: number };
  events: number;
  nanoDollars: number;
  rounds: number;
  databaseBytes: number;
  /** Peak memory of the measuring process, before it read all files for comparison. */
  peakRssBytes: number;
  rows: Comparison[];
}

/** Milliseconds of one query. */
const GOAL: Goal = { of: "measured", atMost: 30 };

/** A zone with daylight saving time, because UTC would be simpler to compute. */
const timeZone = "Europe/Berlin";

const QUERIES: [what: string, options: UsageOptions][] = [
  ["the total", {}],
  ...USAGE_DIMENSIONS.map((dimension): [string, UsageOptions] => [`by ${dimension}`, { by: [dimension] }]),
  ["by day and model", { by: ["day", "model"] }],
  ["by project and model", { by: ["project", "model"] }],
  ["by month, one project", { by: ["month"], project: "project-7" }],
  [
    "by day, 30 days that begin within a quarter of an hour",
    { by: ["day"], since: "2026-06-01T10:07Z", until: "2026-07-01T10:07Z" },
  ],
];

/** Measures over a root below the folder, which is kept for the next run. */
async function measure(folder: string, events: number, rounds: number): Promise<UsageBenchReport> {
  mkdirSync(folder, { recursive: true });
  console.error("sessions …");
  const root = prepareUsageRoot(folder, events);
  const scratch = mkdtempSync(join(folder, "scratch-"));
  try {
    const { rows, peakRssBytes } = await measureOver(root, join(scratch, "index.db"), rounds);
    const machine = {
      cpu: cpus()[0]?.model ?? "unknown",
      cores: cpus().length,
      platform: `${platform()} ${arch()}`,
      node: process.versions.node,
      load: Math.round((loadavg()[0] ?? 0) * 100) / 100,
    };
    const databaseBytes = getFolderSize(scratch);
    const { nanoDollars } = root;
    return { machine, events: root.events, nanoDollars, rounds, databaseBytes, peakRssBytes, rows };
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

async function measureOver(
  root: UsageRoot,
  db: string,
  rounds: number,
): Promise<Pick<UsageBenchReport, "rows" | "peakRssBytes">> {
  await using index = await openIndex({ db, roots: [root.folder] });
  console.error("index …");
  await index.sync();
  const { total } = await index.usage();
  if (total.costNanoUsd !== root.nanoDollars || total.events !== root.events) {
    throw new Error(
      `The index has ${total.events} events and ${total.costNanoUsd} nano-dollars, ` +
        `but ${root.folder} has ${root.events} and ${root.nanoDollars} (delete it if it was written by an older version)`,
    );
  }
  console.error("breakdowns …");
  const times: [what: string, measured: number[]][] = [];
  for (const [what, options] of QUERIES) {
    times.push([what, await timeQuery(index, { ...options, timeZone }, rounds)]);
  }
  const peakRssBytes = process.resourceUsage().maxRSS * 1024;
  // Not alternating with the queries, which would then be slowed down by collecting its garbage.
  console.error("the floor …");
  addUp(root.folder); // so that the files are in the system's cache
  const floorMs = [1, 2, 3].map(() => {
    const startedAt = performance.now();
    addUp(root.folder);
    return performance.now() - startedAt;
  });
  const against = { against: "read and add up", base: [median(floorMs)] };
  const rows = times.map(([what, measured]) =>
    compare({ what, unit: "ms", measured, ...against, times: "as fast", goal: GOAL }),
  );
  return { rows, peakRssBytes };
}

/** Milliseconds of each round, after one warm-up. */
async function timeQuery(index: Index, options: UsageOptions, rounds: number): Promise<number[]> {
  await index.usage(options);
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const startedAt = performance.now();
    await index.usage(options);
    times.push(performance.now() - startedAt);
  }
  return times;
}

/**
 * Reads every file and adds up the cost by model, the minimum work of tools without an index. Copies in forks count again:
 * detecting them would take longer.
 */
function addUp(folder: string): Map<string, number> {
  const costs = new Map<string, number>();
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".jsonl")) continue;
    for (const line of readFileSync(join(folder, name), "utf8").split("\n")) {
      if (line === "") continue;
      const { message } = JSON.parse(line);
      if (!message?.usage) continue;
      costs.set(message.model, (costs.get(message.model) ?? 0) + message.usage.cost.total);
    }
  }
  return costs;
}

function getFolderSize(folder: string): number {
  return readdirSync(folder).reduce((bytes, name) => bytes + statSync(join(folder, name)).size, 0);
}

function formatNotes({
  machine,
  events,
  nanoDollars,
  rounds,
  databaseBytes,
  rows,
}: UsageBenchReport): string {
  const single = rows.filter(({ what }) => USAGE_DIMENSIONS.some((dimension) => what === `by ${dimension}`));
  const slowest = single.toSorted((a, b) => b.measured - a.measured)[0] as Comparison;
  const { cores, cpu, node, load } = machine;
  return [
    `Slowest of one dimension: ${slowest.what}, ${slowest.measured.toFixed(1)} ms, ` +
      `in its best round ${(slowest.base / slowest.ratio.highest).toFixed(1)} ms.`,
    `Machine: ${cores} cores (${cpu}), ${machine.platform}, Node ${node}; load ${load}.`,
    `Ledger: ${events} billable events, ${nanoDollars} nano-dollars, as written. Database: ${databaseBytes} bytes.`,
    `Rounds: ${rounds}, in one process. Measured are medians; against is the median of three.`,
  ].join("\n");
}

/** @throws Error unless it is a whole number above 0 */
function wholeNumber(option: string, text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) {
    throw new Error(`--${option} takes a whole number above 0, not "${text}"`);
  }
  return number;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      events: { type: "string", default: "300000" },
      rounds: { type: "string", default: "15" },
      roots: { type: "string", default: join(tmpdir(), "pidex-bench") },
      json: { type: "string" },
    },
  });
  const events = wholeNumber("events", values.events);
  const rounds = wholeNumber("rounds", values.rounds);
  const report = await measure(values.roots, events, rounds);
  console.log(`${formatTable(report.rows)}\n\n${formatNotes(report)}`);
  if (values.json) writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
}

if (import.meta.main) await main();
