/** The session that is asking: what stands in it is known there, and it would be the best hit of whatever it asks. */
import { type Index, PidexError, type SessionInfo } from "../../index.ts";

export interface AskingSession {
  id?: string;
  path?: string;
}

/** As agents tell it to the programs that they start. */
export function askingSession(environment: NodeJS.ProcessEnv): AskingSession {
  const { PI_SESSION_ID: id, PI_SESSION_FILE: path } = environment;
  return { ...(id && { id }), ...(path && { path }) };
}

export function isAsking({ id, path }: AskingSession, session: Pick<SessionInfo, "id" | "path">): boolean {
  return (path !== undefined && session.path === path) || (id !== undefined && session.id === id);
}

/**
 * Asks with a query that leaves it out.
 *
 * @throws as `ask`; where the query is wrong, as if it had been asked as it was written
 */
export async function withoutAsking<T>(
  query: string,
  { id, path }: AskingSession,
  ask: (query: string) => Promise<T>,
): Promise<T> {
  const told = [...new Set([path, id].filter((one) => one !== undefined))];
  if (told.length === 0 || query.trim() === "") return ask(query);
  const without = told.map((one) => `-session:${JSON.stringify(one)}`).join(" ");
  try {
    return await ask(`${without} (${query})`);
  } catch (error) {
    if (!(error instanceof PidexError) || error.code !== "BAD_QUERY") throw error;
    await ask(query);
    // Alone it is right: a quotation that nothing closes went on behind it.
    return ask(`${without} (${query}")`);
  }
}

/** The session that `@last` is for who asks: not the one that is being written by asking. */
export async function lastBefore(index: Index, asking: AskingSession): Promise<string> {
  if (asking.id === undefined && asking.path === undefined) return LAST;
  const { sessions } = await index.listAll({ archived: "yes", limit: A_FEW });
  return sessions.find((session) => !isAsking(asking, session))?.path ?? LAST;
}

export const LAST = "@last";
/** More than there are copies of a session. */
const A_FEW = 10;
