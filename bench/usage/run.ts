/**
 * How fast usage is answered: every breakdown there is over many billed events, beside the least that could be done
 * without an index, which is to read every file and add up. See bench/README.md.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openIndex, type UsageDimension, type UsageOptions } from "../../index.ts";
import { compare } from "../comparison.ts";
import { median } from "../spread.ts";
import { table } from "../table.ts";
import { usageRoot } from "./root.ts";

const SINGLE: UsageDimension[] = [
  "hour",
  "day",
  "week",
  "month",
  "weekday",
  "hour-of-day",
  "model",
  "provider",
  "project",
  "session",
  "tool",
  "agent",
  "kind",
  "branch",
  "stop",
];

const ASKED: [string, UsageOptions][] = [
  ["the total", {}],
  ...SINGLE.map((dimension): [string, UsageOptions] => [`by ${dimension}`, { by: [dimension] }]),
  ["by day and model", { by: ["day", "model"] }],
  ["by project and model", { by: ["project", "model"] }],
  ["by month, one project", { by: ["month"], project: "project-7" }],
  [
    "by day, 30 days that begin within a quarter of an hour",
    { by: ["day"], since: "2026-06-01T10:07", until: "2026-07-01T10:07" },
  ],
];

/** Reads every file, and adds up the cost of each model: what tools without an index do. */
function addUp(folder: string): number {
  const costs = new Map<string, number>();
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".jsonl")) continue;
    for (const line of readFileSync(join(folder, name), "utf8").split("\n")) {
      if (line === "") continue;
      const { message } = JSON.parse(line);
      if (message?.usage)
        costs.set(message.model, (costs.get(message.model) ?? 0) + message.usage.cost.total);
    }
  }
  return costs.size;
}

function timed(work: () => unknown): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}

const { values } = parseArgs({
  options: {
    events: { type: "string", default: "300000" },
    rounds: { type: "string", default: "15" },
    roots: { type: "string", default: join(tmpdir(), "pidex-bench") },
  },
});
const rounds = Number(values.rounds);
mkdirSync(values.roots, { recursive: true });
console.error("sessions …");
const root = usageRoot(values.roots, Number(values.events));
const scratch = mkdtempSync(join(values.roots, "scratch-"));
const db = join(scratch, "index.db");
const index = await openIndex({ db, roots: [root.folder] });
try {
  console.error("index …");
  await index.sync();
  const { total } = await index.usage();
  if (total.costNanoUsd !== root.nanoDollars)
    throw new Error(`${total.costNanoUsd} is not ${root.nanoDollars}`);
  console.error("the floor …");
  addUp(root.folder);
  const floor = [1, 2, 3].map(() => timed(() => addUp(root.folder)));
  const rows = [];
  for (const [what, options] of ASKED) {
    await index.usage(options);
    const measured: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const began = performance.now();
      await index.usage(options);
      measured.push(performance.now() - began);
    }
    const base = [median(floor)];
    rows.push(compare({ what, unit: "ms", measured, against: "read and add up", base, times: "as fast" }));
  }
  console.log(table(rows));
  console.log(
    `\n${total.events} billed events, ${rounds} rounds; the database has ${statSync(db).size} bytes.`,
  );
} finally {
  await index.close();
  rmSync(scratch, { recursive: true });
}
