import type { HitConditions } from "../../src/store/conditions.ts";
import type { PositionRange } from "../../src/store/position.ts";
import type { SearchReads } from "../../src/store/search-reads.ts";

/** Returns those of the files that contain hits. */
export async function findFilesWithHits(
  reads: SearchReads,
  conditions: HitConditions,
  files: readonly number[],
  within: PositionRange,
): Promise<Set<number>> {
  const window = { size: undefined, from: "newest", within, files: new Set(files) } as const;
  const { rows } = await reads.findMatches(conditions, window);
  return new Set(rows.map(({ file_id }) => file_id));
}
