/** Answers agents' questions in an index host: for pi's extension, which cannot load the database driver. */
import { constants, setPriority } from "node:os";
import { AgentIndex } from "./agent-index.ts";
import type { Answer, Control } from "./answer.ts";
import type { ListAnswer, ReadAnswer, SearchAnswer, UsageAnswer } from "./answers.ts";
import type { AskingSession } from "./asking.ts";
import type { ListAsked, ReadAsked, SearchAsked, UsageAsked } from "./questions.ts";

/** How long the last sync may go on when its client is gone, in milliseconds. */
const LAST_SYNC_MS = 10_000;

/** What can be asked: the question, and the data of its answer. */
export interface Asks {
  search: [SearchAsked, SearchAnswer];
  read: [ReadAsked, ReadAnswer];
  list: [ListAsked, ListAnswer];
  usage: [UsageAsked, UsageAnswer];
}

export interface AgentService {
  ask<K extends keyof Asks>(
    kind: K,
    question: Asks[K][0],
    asking: AskingSession,
    control: Control,
  ): Promise<Answer<Asks[keyof Asks][1]>>;
  /** Begins to bring the index up to date. */
  sync(): Promise<void>;
  /** Syncs for the last time, and ends. */
  close(): Promise<void>;
}

/** @throws as `openIndex` */
export async function openAgentService(onNotice: (notice: string) => void): Promise<AgentService> {
  makeWay();
  const index = await AgentIndex.open({ onNotice });
  let syncing: Promise<void> | undefined;
  const sync = (): Promise<void> => {
    syncing ??= index
      .sync()
      .then(() => {}) // what an answer lacks is reported with that answer
      .finally(() => {
        syncing = undefined;
      });
    return syncing;
  };
  return {
    async sync() {
      sync().catch((error: unknown) => onNotice(error instanceof Error ? error.message : String(error)));
    },
    async ask(kind, question, asking, control) {
      index.asking = asking;
      const answer = index[kind].bind(index) as (
        question: object,
        control: Control,
      ) => Promise<Answer<Asks[keyof Asks][1]>>;
      return answer(question, control);
    },
    async close() {
      const late = new Promise<void>((resolve) => setTimeout(resolve, LAST_SYNC_MS));
      await Promise.race([sync().catch(() => {}), late]); // what was written last
      await index.close();
    },
  };
}

/** The agent goes first, where both want the processor. */
function makeWay(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Not everywhere may a process do so. Then both are equals.
  }
}
