import type { SessionInfo } from "../../library/index.ts";
import { getSessionTitle } from "../format/titles.ts";

/** A session as JSON output has it: with the title that lists show. */
export function toSessionJson<T extends SessionInfo>(session: T): T & { title: string } {
  return { ...session, title: getSessionTitle(session) };
}
