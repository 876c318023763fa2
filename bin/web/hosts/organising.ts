/** Changes sessions; those that take long to read, in an index host: other answers do not wait for it. */
import type { SessionInfo } from "../../../library/index.ts";
import type { WritesInside } from "../../actions/inside.ts";
import { type Organised, organised } from "../../actions/organise.ts";
import { changeOf, type SessionChange } from "../server/session-change.ts";
import type { Hosts } from "./hosts.ts";

/** A file of this size is read in the time that a thread takes to begin. */
const LONG_BYTES = 16 * 1024 * 1024;

/** Changes a session where it has to be. @throws as `organised` */
export async function organise(
  { counting }: Hosts,
  { path, size }: SessionInfo,
  wanted: SessionChange,
  inside: WritesInside,
): Promise<Organised> {
  if (size < LONG_BYTES) return organised({ path }, { ...changeOf(wanted), ...inside });
  return counting.call("organise", path, wanted, inside);
}
