import type { PickerOptions } from "./context.ts";
import { noLocalFile } from "./keys/hub-refusal.ts";
import type { ShownSession } from "./model/view.ts";

/**
 * The session with the path of its file on this machine: a hub's sessions have paths on the hub.
 *
 * @throws PidexError `NOT_FOUND` if it has no file here
 */
export async function locateSession(
  session: ShownSession,
  { hub, env }: Pick<PickerOptions, "hub" | "env">,
): Promise<ShownSession> {
  if (!hub) return session;
  const { findLocalFile } = await import("../../library/hub/pull/local-file.ts");
  const file = findLocalFile(session.path, hub.machine, env);
  if (!file?.exists) throw noLocalFile(session, hub, file !== undefined);
  return { ...session, path: file.path };
}
