/** Many runs of `prune-faults.ts`: npm run soak:prune -- --runs 10000 --from 1 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runWithFaults } from "../session/prune-faults.ts";

const { values } = parseArgs({
  options: { runs: { type: "string", default: "1000" }, from: { type: "string", default: "1" } },
});
const [runs, from] = [Number(values.runs), Number(values.from)];
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
