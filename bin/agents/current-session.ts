/** The current session: the agent already knows its content, and it would be the best hit of every query it makes. */
export interface CurrentSession {
  id?: string | undefined;
  path?: string | undefined;
}

/** Reads the current session from the environment variables that agents set for programs they start. */
export function readCurrentSession(environment: NodeJS.ProcessEnv): CurrentSession {
  const { PI_SESSION_ID: id, PI_SESSION_FILE: path } = environment;
  return { ...(id && { id }), ...(path && { path }) };
}
