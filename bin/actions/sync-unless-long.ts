import type { Index, SyncReport } from "../../library/index.ts";

/** What is read between two keys, and nobody notices. */
const FEW_FILES = 50;
const FEW_BYTES = 4_000_000;

/**
 * Brings the index up to date, unless that takes long: then nothing is done, and a thread had better do it.
 *
 * @throws as `Index.sync`
 */
export async function syncUnlessLong(index: Index): Promise<SyncReport | "takes long"> {
  const stop = new AbortController();
  try {
    return await index.sync({
      signal: stop.signal,
      onPlan: ({ files, bytes }) => {
        if (files > FEW_FILES || bytes > FEW_BYTES) stop.abort();
      },
    });
  } catch (error) {
    if (stop.signal.aborted) return "takes long";
    throw error;
  }
}
