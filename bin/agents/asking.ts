/** The session that is asking: what stands in it is known there, and it would be the best hit of whatever it asks. */
import type { Index } from "../../library/index.ts";

export interface AskingSession {
  id?: string;
  path?: string;
  /** The files of sessions that may be it: those that wait for the tool that asks. */
  calling?: readonly string[];
}

/** As agents tell it to the programs that they start. */
export function askingSession(environment: NodeJS.ProcessEnv): AskingSession {
  const { PI_SESSION_ID: id, PI_SESSION_FILE: path } = environment;
  return { ...(id && { id }), ...(path && { path }) };
}

/** As an option of questions: it is left out. */
export function exceptAsking({ id, path, calling = [] }: AskingSession): { except?: string[] } {
  const except = [id, path, ...calling].filter((one) => one !== undefined);
  return except.length > 0 ? { except } : {};
}

/** The session that `@last` is for who asks: not the one that is being written by asking. */
export async function lastBefore(index: Index, asking: AskingSession): Promise<string> {
  const { except } = exceptAsking(asking);
  if (!except) return LAST;
  const { sessions } = await index.listAll({ archived: "yes", limit: 1, except });
  return sessions[0]?.path ?? LAST;
}

export const LAST = "@last";
