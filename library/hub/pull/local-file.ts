import type { Environment } from "../../../src/environment.ts";
import { getFileStamp } from "../../../src/file-identity.ts";
import { splitMachinePath } from "../../../src/machine-path.ts";
import { readSessionHeader } from "../../../src/session/writing/find-sessions.ts";
import { openPullState } from "./pull-state.ts";

/**
 * The file that a hub's session has on this machine, if the session is this machine's or was pulled.
 *
 * @param hubPath its path on the hub, such as `laptop:/home/…`
 * @param machine the name of this machine on the hub
 * @returns undefined if it has none; `exists` is false if there is no session file (anymore)
 * @throws PidexError `FILE_UNREADABLE`, also if the state of pulls is damaged
 */
export function findLocalFile(
  hubPath: string,
  machine: string | undefined,
  environment?: Environment,
): { path: string; exists: boolean } | undefined {
  const file = splitMachinePath(hubPath);
  const isOwn = file !== undefined && file.machine === machine;
  const path = isOwn ? file.path : openPullState(environment).get(hubPath)?.target;
  return path === undefined ? undefined : { path, exists: isSessionFile(path) };
}

/** Other files are not opened, whatever path the hub sends. */
function isSessionFile(path: string): boolean {
  return getFileStamp(path) !== undefined && readSessionHeader(path) !== undefined;
}
