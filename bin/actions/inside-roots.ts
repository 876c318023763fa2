/** Prevents writes to sessions in use, and outside the roots, through paths or links. */
import { sep } from "node:path";
import { type Index, PidexError, type SessionInfo } from "../../library/index.ts";
import { assertNoActiveSubagent } from "./active-sessions.ts";

/** Options that keep writes inside the roots, even if a link is created after the check. */
export interface WriteBoundary {
  within: readonly string[];
}

/** @throws PidexError `SESSION_CHANGED` if a subagent may be writing to the session; as `assertInsideRoots` */
export function assertWritable(index: Index, session: SessionInfo): WriteBoundary {
  assertNoActiveSubagent(session);
  return assertInsideRoots(index, session.path);
}

/** @throws PidexError `FILE_UNWRITABLE` if the path is outside the roots, or leads out of them through a link */
export function assertInsideRoots(index: Index, path: string): WriteBoundary {
  const within = index.realRoots(); // before the path is checked
  const leadsOutside = index.leadsOutside(path);
  if (!leadsOutside && index.roots.some((root) => path.startsWith(root.endsWith(sep) ? root : root + sep)))
    return { within };
  throw new PidexError(
    "FILE_UNWRITABLE",
    `${path} ${leadsOutside ? "leads" : "is"} outside the session folders: nothing was written`,
    "To change sessions there, pass their own folder: --root FOLDER, or PIDEX_ROOTS.",
  );
}
