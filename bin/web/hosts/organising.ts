/** Changes session metadata. Large sessions are changed in an index host, so that other requests don't wait. */
import type { SessionInfo } from "../../../library/index.ts";
import type { WritesInside } from "../../actions/inside.ts";
import { type Organised, organised } from "../../actions/organise.ts";
import { changeOf, type SessionChange } from "../server/session-change.ts";
import type { Hosts } from "./hosts.ts";

/** Reading a file of this size takes as long as starting a thread. */
const LARGE_FILE_BYTES = 16 * 1024 * 1024;

/** Changes a session. @throws as `organised` */
export async function organise(
  { counting }: Hosts,
  { path, size }: SessionInfo,
  change: SessionChange,
  inside: WritesInside,
): Promise<Organised> {
  if (size < LARGE_FILE_BYTES) return organised({ path }, { ...changeOf(change), ...inside });
  return counting.call("organise", path, change, inside);
}
