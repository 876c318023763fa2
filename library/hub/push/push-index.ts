import { HubClient } from "../client.ts";
import { ContinuousTransfer, type ContinuousTransferOptions } from "../continuous-transfer.ts";
import { listLocalSessions, type SessionLister } from "../local-sessions.ts";
import { openPullState } from "../pull/pull-state.ts";
import { readHubSettings } from "../settings.ts";
import { readSignIn, requireSignIn } from "../sign-in.ts";
import type { TransferProgress } from "../transfer-progress.ts";
import { type PlannedProject, planPush } from "./plan-push.ts";
import { type PushReport, push } from "./push.ts";
import { getPushStatePath, PushState } from "./push-state.ts";

export interface PushControl {
  signal?: AbortSignal | undefined;
  onProgress?: (progress: TransferProgress) => void;
}

/**
 * Pushes the sessions of an index, as this machine's settings say. Sync the index first.
 *
 * @throws PidexError `NOT_SIGNED_IN`; as `push`
 */
export async function pushIndex(index: SessionLister, control: PushControl = {}): Promise<PushReport> {
  const signIn = requireSignIn();
  const { projects } = readHubSettings();
  return push(await listLocalSessions(index), {
    ...control,
    hub: new HubClient(signIn),
    projects,
    state: new PushState(getPushStatePath(signIn)),
    pulled: openPullState(),
  });
}

/** What a push of an index would send. Sends no request. Sync the index first. @throws as `planPush` */
export async function planIndexPush(
  index: SessionLister,
  { signal }: Pick<PushControl, "signal"> = {},
): Promise<PlannedProject[]> {
  const { projects } = readHubSettings();
  const state = openPushState();
  return planPush(await listLocalSessions(index), { projects, state, pulled: openPullState(), signal });
}

/** What was sent to the hub of this machine; nothing if it is not signed in. */
export function openPushState(): PushState {
  return new PushState(getPushStatePath(readSignIn() ?? { url: "", machine: "" }));
}

/**
 * Whether a project is shared.
 *
 * @throws PidexError `NOT_SIGNED_IN` if this machine is not signed in to a hub
 */
export function isSharing(): boolean {
  requireSignIn();
  return readHubSettings().projects.some(({ share }) => share !== "off");
}

/** Pushes after each change of an index, while this machine is signed in and shares a project. */
export function startContinuousPush(
  index: SessionLister,
  options: Omit<ContinuousTransferOptions<PushReport>, "transfer">,
): ContinuousTransfer<PushReport> {
  return new ContinuousTransfer({
    ...options,
    transfer: async (signal) => (readSignIn() && isSharing() ? pushIndex(index, { signal }) : undefined),
  });
}
