import type { Store } from "../src/store/store.ts";
import type { SessionInfo } from "./answers.ts";

/** Sets `models` of sessions. @param sessions by the store's id of their file */
export async function addModels(store: Store, sessions: ReadonlyMap<number, SessionInfo>): Promise<void> {
  const models = await store.sessions.models([...sessions.keys()]);
  for (const [file, session] of sessions) session.models = [...(models.get(file) ?? [])];
}
