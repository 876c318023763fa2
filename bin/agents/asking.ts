/** The current session: the agent already knows its content, and it would be the best hit of every query it makes. */
import type { Index } from "../../library/index.ts";

export interface AskingSession {
  id?: string;
  path?: string;
  /** Files of sessions that may be it: those with a pending call of the tool. */
  calling?: readonly string[];
}

/** Reads the current session from the environment variables that agents set for programs they start. */
export function askingSession(environment: NodeJS.ProcessEnv): AskingSession {
  const { PI_SESSION_ID: id, PI_SESSION_FILE: path } = environment;
  return { ...(id && { id }), ...(path && { path }) };
}

/** The query option that excludes the current session. */
export function exceptAsking({ id, path, calling = [] }: AskingSession): { except?: string[] } {
  const except = [id, path, ...calling].filter((session) => session !== undefined);
  return except.length > 0 ? { except } : {};
}

/** Resolves `@last` for an agent: the newest session other than the current one. */
export async function lastBefore(index: Index, asking: AskingSession): Promise<string> {
  const { except } = exceptAsking(asking);
  if (!except) return LAST;
  const { sessions } = await index.listAll({ archived: "yes", limit: 1, except });
  return sessions[0]?.path ?? LAST;
}

export const LAST = "@last";
