/** The agent index in a host process, for the pi extension, which can't load the database driver. */

import { constants, setPriority } from "node:os";
import { toMessage } from "../../library/internal.ts";
import { AgentIndex } from "./agent-index.ts";

/** How long the final sync may take after the client has disconnected, in milliseconds. */
const FINAL_SYNC_TIMEOUT_MS = 10_000;

export interface AgentService {
  request: AgentIndex["request"];
  /** Starts a sync and returns without waiting for it. */
  sync(): Promise<void>;
  /** Syncs a last time, then closes the index. */
  close(): Promise<void>;
}

/** @throws as `openIndex` */
export async function openAgentService(onNotice: (notice: string) => void): Promise<AgentService> {
  lowerPriority();
  const index = await AgentIndex.open({ onNotice });
  let syncing: Promise<void> | undefined;
  const sync = (): Promise<void> => {
    syncing ??= index
      .sync()
      .then(() => {}) // each answer reports what it lacks
      .finally(() => {
        syncing = undefined;
      });
    return syncing;
  };
  return {
    request: (name, params, options) => index.request(name, params, options),
    async sync() {
      sync().catch((error: unknown) => onNotice(toMessage(error)));
    },
    async close() {
      const timeout = new Promise<void>((resolve) => setTimeout(resolve, FINAL_SYNC_TIMEOUT_MS));
      await Promise.race([sync().catch(() => {}), timeout]); // indexes the final writes
      await index.close();
    },
  };
}

/** Lowers the priority of this process, so that the agent gets the processor first. */
function lowerPriority(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Not permitted on every system; the priority then stays equal.
  }
}
