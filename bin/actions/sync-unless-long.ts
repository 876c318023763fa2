import type { Index, SyncReport } from "../../library/index.ts";

/** Limits for a sync that is short enough not to delay a key press. */
const FEW_FILES = 50;
const FEW_BYTES = 4_000_000;

/**
 * Syncs only if it is short; otherwise the caller should sync in a thread.
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
