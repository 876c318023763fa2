/**
 * Many runs of `prune-faults.ts`: npm run soak:prune -- --runs 10000 --from 1
 * Real kills of processes, by `prune-kills.ts`: npm run soak:prune -- --kill9 300
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runWithFaults } from "../session/prune-faults.ts";
import { runWithKills } from "./prune-kills.ts";

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "1000" },
    from: { type: "string", default: "1" },
    kill9: { type: "string" },
  },
});
if (values.kill9 !== undefined) await kill(Number(values.kill9), Number(values.from));
else await runFaults(Number(values.runs), Number(values.from));

async function kill(kills: number, from: number): Promise<void> {
  const started = performance.now();
  const report = await runWithKills(kills, from, () => process.stderr.write("."));
  process.stderr.write("\n");
  for (const failure of report.failures) console.log(failure);
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  const { kills: killed, compressed, restored, appended, failures } = report;
  console.log(
    `${killed} processes killed in ${seconds} s: ${compressed} times compressed, ${restored} times restored, ${appended} lines appended meanwhile, ${failures.length} failures`,
  );
  if (report.failures.length > 0) process.exitCode = 1;
}

async function runFaults(runs: number, from: number): Promise<void> {
  const started = performance.now();
  let [killed, appended, failed] = [0, 0, 0];
  for (let seed = from; seed < from + runs; seed++) {
    const folder = mkdtempSync(join(tmpdir(), "pidex-prune-"));
    try {
      const run = await runWithFaults(folder, seed);
      if (run.killedAt !== undefined) killed++;
      appended += run.appended;
      if (run.failure !== undefined) {
        failed++;
        console.log(`seed ${seed}: ${run.failure} (${run.operation} killed at ${run.killedAt})`);
      }
    } catch (error) {
      failed++;
      console.log(`seed ${seed}:`, error);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(
    `${runs} runs in ${seconds} s: ${killed} killed, ${appended} lines appended meanwhile, ${failed} failed`,
  );
  if (failed > 0) process.exitCode = 1;
}
