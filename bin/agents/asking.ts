/** The session that is asking: what stands in it is known there, and it would be the best hit of whatever it asks. */
import type { SessionInfo } from "../../index.ts";

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

/** A query that leaves it out. */
export function withoutAsking(query: string, { id, path }: AskingSession): string {
  const told = [...new Set([path, id].filter((one) => one !== undefined))];
  if (told.length === 0 || query.trim() === "") return query;
  return `(${query}) ${told.map((one) => `-session:${JSON.stringify(one)}`).join(" ")}`;
}
