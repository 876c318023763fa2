import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Comparison, compare } from "./comparison.ts";
import type { UsageBenchReport } from "./usage/run.ts";
import type { Workspace } from "./workspace.ts";

/** F. The usage benchmark, in a separate process. */
export async function measureUsage(bench: Workspace): Promise<Comparison[]> {
  const { events } = bench.sizes;
  const title = `usage of ${events.toLocaleString("en")} events`;
  bench.logProgress(title);
  const json = bench.scratchPath("usage.json");
  const args = [
    "--events",
    events,
    "--rounds",
    bench.rounds * bench.turns,
    "--roots",
    bench.folder,
    "--json",
    json,
  ];
  execFileSync(process.execPath, [join(import.meta.dirname, "usage/run.ts"), ...args.map(String)], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const report = JSON.parse(readFileSync(json, "utf8")) as UsageBenchReport;
  return [
    ...report.rows.map((row) => ({ ...row, what: `${title}: ${row.what}` })),
    compare({
      what: `${title}: peak memory, the first index included`,
      unit: "bytes",
      measured: [report.peakRssBytes],
      against: "its database",
      base: [report.databaseBytes],
      times: "as much",
    }),
  ];
}
