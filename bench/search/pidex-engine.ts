import { type Index, PidexError } from "../../library/index.ts";
import type { Engine } from "./engine.ts";

/** pidex, asked through its front door. */
export function pidexEngine(index: Index): Engine {
  return {
    sessions: (ask, limit) =>
      unlessRefused(async () => {
        const { sessions } = await index.search(ask, { limit });
        return sessions.map(({ session }) => session.id);
      }),
    entries: (ask, limit) =>
      unlessRefused(async () => {
        const { hits } = await index.searchEntries(ask, { limit });
        return hits.map(({ sessionId, line }) => ({ session: sessionId, line }));
      }),
  };
}

/** A question pidex refuses is one it does not answer. */
async function unlessRefused<T>(search: () => Promise<T[]>): Promise<T[]> {
  try {
    return await search();
  } catch (error) {
    if (error instanceof PidexError && error.code === "BAD_QUERY") return [];
    throw error;
  }
}
