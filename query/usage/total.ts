import { zeroSums } from "../../src/store/schema.ts";
import type { Store } from "../../src/store/store.ts";
import { toFigures } from "./figures.ts";
import type { Figures } from "./usage-answers.ts";

/** All usage, without filters and periods: unlike `usage`, it loads no option schemas and no time zones, which take longer than the sum. */
export async function sumUsage(store: Store): Promise<Figures> {
  const reads = await store.usage();
  const sums = zeroSums();
  await reads.sum({
    subagents: new Set(await reads.subagentFiles()),
    isByFile: false,
    isBySeries: false,
    target: () => () => () => sums,
  });
  return toFigures(sums, true);
}
