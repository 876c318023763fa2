import { join } from "node:path";
import { getDataFolder } from "../../../src/environment.ts";
import { getMachinesFolder } from "../../../src/session/pulled-sessions.ts";
import { HubClient } from "../client.ts";
import { ContinuousTransfer, type ContinuousTransferOptions } from "../continuous-transfer.ts";
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

/** An index that can be synced. */
export interface SyncedLister extends SessionLister {
  sync(options: { signal: AbortSignal }): Promise<unknown>;
}

const PULL_INTERVAL_MS = 30_000;

/**
 * Pulls at an interval, and syncs the index before and after each pull that has something to do. Call `request` to start.
 *
 * @throws PidexError `NOT_SIGNED_IN`
 */
export function startContinuousPull(
  index: SyncedLister,
  options: Omit<ContinuousTransferOptions<PullReport>, "transfer" | "repeats">,
): ContinuousTransfer<PullReport> {
  requireSignIn();
  let pulled: string | undefined;
  return new ContinuousTransfer({
    intervalMs: PULL_INTERVAL_MS,
    ...options,
    repeats: true,
    async transfer(signal) {
      // Read before the pull. The list of the pull may be newer: that costs another pull, but misses nothing.
      const digest = await new HubClient(requireSignIn()).ownDigest(signal);
      if (digest === pulled) return undefined;
      await index.sync({ signal });
      const report = await pullForIndex(index, { signal });
      if (report.paths.length > 0) await index.sync({ signal });
      pulled = report.failed.length === 0 ? digest : undefined;
      return report;
    },
  });
}
