/** Preloaded into another program with `--import`: writes its peak memory to a file on exit. */
import { writeFileSync } from "node:fs";

const file = process.env.PIDEX_BENCH_PEAK;
process.on("exit", () => {
  if (file) writeFileSync(file, String(process.resourceUsage().maxRSS * 1024));
});
