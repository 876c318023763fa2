/** Nothing is written outside the roots, wherever a path or a link leads. */
import { sep } from "node:path";
import { type Index, PidexError } from "../../library/index.ts";

/** How a session is opened so that nothing is written outside the roots, also where a link comes into its way after the check. */
export interface WritesInside {
  within: readonly string[];
}

/** @throws PidexError `FILE_UNWRITABLE` for a path outside the roots, and where a link leads out of them */
export function assertInside(index: Index, path: string): WritesInside {
  const within = index.realRoots(); // before the path is looked at
  const leadsOutside = index.leadsOutside(path);
  if (!leadsOutside && index.roots.some((root) => path.startsWith(root.endsWith(sep) ? root : root + sep)))
    return { within };
  throw new PidexError(
    "FILE_UNWRITABLE",
    `${path} ${leadsOutside ? "leads" : "lies"} outside the session folders: nothing was written`,
    "To change sessions there, name their own folder: --root FOLDER, or PIDEX_ROOTS.",
  );
}
