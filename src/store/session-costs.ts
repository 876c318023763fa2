import { getOrInsert } from "../get-or-insert.ts";
import { SUM_INDEX, type Sums, zeroSums } from "./schema.ts";
import type { UsageReads } from "./usage-reads.ts";

/** Adds up what sessions cost: `sessionCosts` of usage reads. */
export async function sumSessionCosts(
  usage: Pick<UsageReads, "sum" | "subagentFiles">,
  files?: readonly number[],
): Promise<Map<number, number>> {
  const sums = new Map<number, Sums>();
  await usage.sum({
    files: files && new Set(files),
    subagents: new Set(await usage.subagentFiles()),
    isByFile: true,
    isBySeries: false,
    target: (file) => {
      const target = () => getOrInsert(sums, file, zeroSums);
      return () => target;
    },
  });
  return new Map([...sums].map(([file, ofFile]) => [file, ofFile[SUM_INDEX.cost] as number]));
}
