import { join } from "node:path";
import { getDataFolder } from "../../../src/environment.ts";
import { getMachinesFolder } from "../../../src/session/pulled-sessions.ts";
import { HubClient } from "../client.ts";
import { listLocalSessions, type SessionLister } from "../local-sessions.ts";
import { requireSignIn } from "../sign-in.ts";
import { type PullOptions, type PullReport, pull } from "./pull.ts";
import { openPullState } from "./pull-state.ts";

/**
 * Pulls the sessions of the user's other machines into the folder where the index finds them. Sync the index afterwards.
 *
 * @throws PidexError `NOT_SIGNED_IN`; as `pull`
 */
export async function pullForIndex(
  index: SessionLister,
  control: Pick<PullOptions, "signal" | "onProgress" | "dryRun"> = {},
): Promise<PullReport> {
  const signIn = requireSignIn();
  const sessions = new Set((await listLocalSessions(index)).map(({ path }) => path));
  return pull({
    ...control,
    hub: new HubClient(signIn),
    machine: signIn.machine,
    state: openPullState(),
    folder: getMachinesFolder(),
    incomingFolder: join(getDataFolder(process.env, process.platform), "incoming"),
    isLocalSession: (path) => sessions.has(path),
  });
}
