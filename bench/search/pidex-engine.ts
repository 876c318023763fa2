import { type Index, PidexError } from "../../library/index.ts";
import type { Engine } from "./engine.ts";

/** pidex with default options, through its public API. */
export function createPidexEngine(index: Pick<Index, "search" | "searchEntries">): Engine {
  return {
    sessions: (query, limit) =>
      emptyIfRejected(async () => {
        const { sessions } = await index.search(query, { limit });
        return sessions.map(({ session }) => session.id);
      }),
    entries: (query, limit) =>
      emptyIfRejected(async () => {
        const { hits } = await index.searchEntries(query, { limit });
        return hits.map(({ sessionId, line }) => ({ session: sessionId, line }));
      }),
  };
}

/** Rejected queries find nothing. */
async function emptyIfRejected<T>(search: () => Promise<T[]>): Promise<T[]> {
  try {
    return await search();
  } catch (error) {
    if (error instanceof PidexError && error.code === "BAD_QUERY") return [];
    throw error;
  }
}
