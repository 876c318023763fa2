import { setImmediate } from "node:timers/promises";
import type { Index, SearchOptions } from "../../library/index.ts";

/** Words that stand in most sessions there are. */
const WARMING = ["the", "fix*", "error*", "test*", "file*", "add*", "what", "run*"];

/**
 * Asks what nobody waits for, as it will be asked: code is compiled when it was run for a while, and until then takes three
 * times as long.
 *
 * @param signal ends it when somebody asks
 */
export async function warmUp(index: Index, options: SearchOptions, signal: AbortSignal): Promise<void> {
  for (const word of WARMING) {
    await setImmediate();
    if (signal.aborted) return;
    await index.search(word, { ...options, quick: true, sync: false });
  }
}
