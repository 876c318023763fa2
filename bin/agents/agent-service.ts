/** The agent index in a host process, for the pi extension, which can't load the database driver. */

import { constants, setPriority } from "node:os";
import { toMessage } from "../../library/internal.ts";
import { AgentIndex } from "./agent-index.ts";
import type { Answer, RequestOptions } from "./answer.ts";
import type { ListAnswer, ReadAnswer, SearchAnswer, UsageAnswer } from "./answers.ts";
import type { CurrentSession } from "./current-session.ts";
import type { ListInput, ReadInput, SearchInput, UsageInput } from "./params.ts";

/** How long the final sync may take after the client has disconnected, in milliseconds. */
const FINAL_SYNC_TIMEOUT_MS = 10_000;

/** Requests by kind: the parameters, and the data of the answer. */
export interface AgentRequests {
  search: [SearchInput, SearchAnswer];
  read: [ReadInput, ReadAnswer];
  list: [ListInput, ListAnswer];
  usage: [UsageInput, UsageAnswer];
}

export interface AgentService {
  request<K extends keyof AgentRequests>(
    kind: K,
    params: AgentRequests[K][0],
    currentSession: CurrentSession,
    control: RequestOptions,
  ): Promise<Answer<AgentRequests[keyof AgentRequests][1]>>;
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
    async sync() {
      sync().catch((error: unknown) => onNotice(toMessage(error)));
    },
    async request(kind, params, currentSession, control) {
      index.currentSession = currentSession;
      const answer = index[kind].bind(index) as (
        params: object,
        control: RequestOptions,
      ) => Promise<Answer<AgentRequests[keyof AgentRequests][1]>>;
      return answer(params, control);
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
