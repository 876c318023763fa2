import type { Store } from "../src/store/store.ts";
import type { SessionInfo } from "./answers.ts";

/** Sets `costUsd` of sessions. @param sessions by the store's id of their file */
export async function addCosts(store: Store, sessions: ReadonlyMap<number, SessionInfo>): Promise<void> {
  const costs = await (await store.usage()).sessionCosts([...sessions.keys()]);
  for (const [file, session] of sessions) session.costUsd = (costs.get(file) ?? 0) / NANO_DOLLARS;
}

const NANO_DOLLARS = 1e9;
