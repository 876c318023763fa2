import { setImmediate } from "node:timers/promises";
import type { IndexQueries, SearchOptions } from "../../library/index.ts";

/** Words that occur in most sessions. */
const WARM_UP_WORDS = ["the", "fix*", "error*", "test*", "file*", "add*", "what", "run*"];

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
  for (const word of WARM_UP_WORDS) {
    await setImmediate();
    if (signal.aborted) return;
    await index.search(word, { ...options, quick: true, sync: false });
  }
}
