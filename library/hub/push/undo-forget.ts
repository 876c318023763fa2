import { isPath } from "../../../query/resolve-session.ts";
import { PidexError } from "../../../src/errors.ts";
import { expandPath } from "../../../src/session/locations.ts";
import { HubClient } from "../client.ts";
import { type LocalSession, listLocalSessions, type SessionLister } from "../local-sessions.ts";
import { type UndoneSession, undoForgetAnswer } from "../protocol.ts";
import { requireSignIn } from "../sign-in.ts";
import { openPushState } from "./push-index.ts";

/**
 * Lets sessions that were deleted from the hub be pushed again: the next push sends them. Sync the index first.
 *
 * @param sessions paths, ids or prefixes of ids of sessions of the index; whole ids of others
 * @throws PidexError `NOT_FOUND` if there is no such session, or the hub accepts it anyway; `AMBIGUOUS`; `NOT_SIGNED_IN`,
 *   `HUB_UNAVAILABLE`
 */
export async function undoForget(
  index: SessionLister,
  sessions: readonly string[],
): Promise<UndoneSession[]> {
  const hub = new HubClient(requireSignIn());
  const local = await listLocalSessions(index);
  const wanted = sessions.map((session) => ({ session, found: findSession(local, session) }));
  const body = {
    sessions: wanted.map(({ session, found }) => ({ id: found?.id ?? session, path: found?.path ?? null })),
  };
  const undone = (await hub.json("POST", "v1/undo-forget", undoForgetAnswer, { body })).sessions;
  // What the state says of them may be older than the deletion.
  const ids = new Set(undone.map(({ id }) => id));
  const state = openPushState();
  for (const { id, path } of local) if (ids.has(id)) state.delete(path);
  state.save();
  const kept = body.sessions.findIndex(({ id }) => !ids.has(id));
  if (kept === -1) return undone;
  const hint = "pidex push reports the sessions that were deleted from the hub and are not pushed.";
  throw new PidexError("NOT_FOUND", `no deleted session matches ${JSON.stringify(sessions[kept])}`, hint);
}

/** The session that a path, an id or the beginning of an id means: any of its files. @throws PidexError `NOT_FOUND`, `AMBIGUOUS` */
function findSession(all: readonly LocalSession[], session: string): LocalSession | undefined {
  const path = isPath(session) ? expandPath(session) : undefined;
  const matches = all.filter((each) =>
    path === undefined ? each.id.startsWith(session) : each.path === path,
  );
  const exact = matches.filter(({ id }) => id === session);
  const found = exact.length > 0 ? exact : matches;
  const count = new Set(found.map(({ id }) => id)).size;
  if (count > 1) {
    const message = `${JSON.stringify(session)} matches ${count} sessions`;
    throw new PidexError("AMBIGUOUS", message, "Pass more of the id, or the path.");
  }
  if (found.length === 0 && path !== undefined) {
    const hint = "Pass the id of the session if its file is not on this machine.";
    throw new PidexError("NOT_FOUND", `no session matches ${JSON.stringify(session)}`, hint);
  }
  return found[0];
}
