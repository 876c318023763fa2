/** The current session: the agent already knows its content, and it would be the best hit of every query it makes. */
import type { Index } from "../../library/index.ts";

export interface CurrentSession {
  id?: string;
  path?: string;
  /** Files of sessions that may be it: those with a pending call of the tool. */
  callingFiles?: readonly string[];
}

/** Reads the current session from the environment variables that agents set for programs they start. */
export function readCurrentSession(environment: NodeJS.ProcessEnv): CurrentSession {
  const { PI_SESSION_ID: id, PI_SESSION_FILE: path } = environment;
  return { ...(id && { id }), ...(path && { path }) };
}

/** The query option that excludes the current session. */
export function excludeCurrentSession({ id, path, callingFiles = [] }: CurrentSession): {
  except?: string[];
} {
  const except = [id, path, ...callingFiles].filter((session) => session !== undefined);
  return except.length > 0 ? { except } : {};
}

/** Resolves `@last` for an agent: the newest session other than the current one. */
export async function resolveLastSession(index: Index, currentSession: CurrentSession): Promise<string> {
  const { except } = excludeCurrentSession(currentSession);
  if (!except) return LAST_SESSION;
  const { sessions } = await index.listAll({ archived: "yes", limit: 1, except });
  return sessions[0]?.path ?? LAST_SESSION;
}

export const LAST_SESSION = "@last";
