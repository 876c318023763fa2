/** The agent index in a host process, for the pi extension, which can't load the database driver. */

import { constants, setPriority } from "node:os";
import { PidexError } from "../../library/index.ts";
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
  const pushing = await startPushing(index, onNotice);
  let syncing: Promise<void> | undefined;
  const sync = (): Promise<void> => {
    syncing ??= index
      .sync()
      .then(() => pushing.request()) // each answer reports what it lacks
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
      const finalWrites = sync().then(() => pushing.transferNow());
      await Promise.race([finalWrites.catch(() => {}), timeout]);
      await pushing.close();
      await index.close();
    },
  };
}

/** Pushes to the hub, while this machine is signed in to one and shares a project. */
async function startPushing({ index }: AgentIndex, onNotice: (notice: string) => void) {
  const { startContinuousPush } = await import("../../library/hub/push/push-index.ts");
  return startContinuousPush(index, {
    onProblem(error) {
      // Without a network the next push catches up, and the user knows.
      const isOffline = error instanceof PidexError && error.code === "HUB_UNAVAILABLE";
      if (!isOffline) onNotice(toMessage(error));
    },
  });
}

/** Lowers the priority of this process, so that the agent gets the processor first. */
function lowerPriority(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Not permitted on every system; the priority then stays equal.
  }
}
