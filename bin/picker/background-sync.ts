/** Keeps the index up to date while the picker is open. */

import type { SyncProgress } from "../../library/index.ts";
import { toMessage } from "../../library/internal.ts";
import { syncInThread } from "../actions/index-host.ts";
import type { IndexLocation } from "../actions/index-location.ts";
import type { SyncMessage } from "../actions/sync-messages.ts";
import type { PickerClient } from "./client.ts";

/** Minimum pause between two syncs, in milliseconds; and the minimum pause as a multiple of the last sync's duration. */
const SYNC_INTERVAL_MS = 2000;
const REST_FACTOR = 30;
/** Syncs wait until no key was pressed for this long, in milliseconds. */
const IDLE_MS = 500;

/**
 * The index host syncs, first at once and then while the user is not typing; if much is new, another thread does. Watching the files
 * instead would take a fifth of the picker's memory.
 *
 * @returns `onKey`, to call for every key, and `close`, which interrupts a running sync; that is harmless
 */
export function syncInBackground(
  location: IndexLocation,
  client: PickerClient,
  report: (message: SyncMessage) => void,
): { onKey: () => void; close: () => Promise<void> } {
  const closing = new AbortController();
  const { signal } = closing;
  let pressedAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let syncing = sync();

  function syncLater(ms: number): void {
    if (signal.aborted) return;
    timer = setTimeout(() => {
      syncing = sync();
    }, ms);
  }

  async function sync(): Promise<void> {
    const startedAt = performance.now();
    if (startedAt - pressedAt < IDLE_MS) return syncLater(IDLE_MS);
    let durationMs = 0;
    try {
      const synced = await client.call("sync");
      durationMs = performance.now() - startedAt;
      if (synced !== "takes long") report({ synced });
      else {
        const onProgress = (progress: SyncProgress) => report({ progress });
        const onNotice = (notice: string) => report({ notice });
        report({ synced: await syncInThread(location, { signal, onProgress, onNotice }) });
      }
    } catch (error) {
      if (signal.aborted) return;
      report({ notice: `the index could not be updated: ${toMessage(error)}` });
    }
    syncLater(Math.max(SYNC_INTERVAL_MS, REST_FACTOR * durationMs));
  }

  return {
    onKey() {
      pressedAt = performance.now();
    },
    async close() {
      closing.abort();
      clearTimeout(timer);
      await syncing;
    },
  };
}
