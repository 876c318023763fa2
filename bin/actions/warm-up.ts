import { setImmediate } from "node:timers/promises";
import type { IndexQueries, SearchOptions } from "../../library/index.ts";

/** Requests that arrive meanwhile wait for the search that is running: over large indexes, few searches run. */
const MAX_SEARCH_MS = 60;

/** Words that occur in most sessions; last, misspelled ones, which load the code for closest matches. */
const WARM_UP_WORDS = ["the", "fix*", "error*", "test*", "file*", "add*", "what", "run*", "teh erorr*"];

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
    await setImmediate(); // lets a request run first
    if (signal.aborted) return;
    const startedAt = performance.now();
    await index.search(word, { ...options, quick: true, sync: false });
    if (performance.now() - startedAt > MAX_SEARCH_MS) return;
  }
}
