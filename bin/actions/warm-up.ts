import { setImmediate } from "node:timers/promises";
import type { IndexQueries, SearchOptions } from "../../library/index.ts";

/** A request that arrives meanwhile waits for the search that is running, and would take longer itself if that had not run. */
const MAX_TOTAL_MS = 1500;

/** Words that occur in most sessions; last, misspelled ones, which load the code for closest matches. */
const WARM_UP_WORDS = ["the", "fix*", "error*", "test*", "file*", "add*", "what", "run*", "teh erorr*"];

/** A field with values that are counted over all entries, once: over 1 GB in 0.2 s. */
const COUNTED_VALUES = "tool:";

/**
 * Runs searches in advance so that their code is compiled: the first searches take three times as long.
 *
 * @param signal stops it when a real query arrives
 */
export async function warmUp(
  index: IndexQueries,
  options: SearchOptions,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = performance.now();
  for (const word of WARM_UP_WORDS) {
    await setImmediate(); // lets a request run first
    if (signal.aborted || performance.now() - startedAt > MAX_TOTAL_MS) return;
    await index.search(word, { ...options, quick: true, sync: false });
  }
  await setImmediate();
  const { archived, subagents } = options;
  if (!signal.aborted) await index.complete(COUNTED_VALUES, COUNTED_VALUES.length, { archived, subagents });
}
