/** Changes session metadata. Large sessions are changed in an index host, so that other requests don't wait. */
import type { SessionInfo } from "../../../library/index.ts";
import { applyMetadataChange, type SessionMetadata } from "../../actions/change-metadata.ts";
import type { WriteBoundary } from "../../actions/inside-roots.ts";
import { type SessionChange, toMetadataChange } from "../server/session-change.ts";
import type { Hosts } from "./hosts.ts";

/** Reading a file of this size takes as long as starting a thread. */
const LARGE_FILE_BYTES = 16 * 1024 * 1024;

/** Changes a session. @throws as `organised` */
export async function changeMetadata(
  { counting }: Hosts,
  { path, size }: SessionInfo,
  change: SessionChange,
  inside: WriteBoundary,
): Promise<SessionMetadata> {
  if (size < LARGE_FILE_BYTES)
    return applyMetadataChange({ path }, { ...toMetadataChange(change), ...inside });
  return counting.call("changeMetadata", path, change, inside);
}
