/** Nothing is written outside the roots, wherever a path or a link leads. */
import { sep } from "node:path";
import { type Index, PidexError } from "../../index.ts";

/** @throws PidexError `FILE_UNWRITABLE` for a path outside the roots, and where a link leads out of them */
export function assertInside(index: Index, path: string): void {
  const leadsOutside = index.leadsOutside(path);
  if (!leadsOutside && index.roots.some((root) => path.startsWith(root.endsWith(sep) ? root : root + sep)))
    return;
  throw new PidexError(
    "FILE_UNWRITABLE",
    `${path} ${leadsOutside ? "leads" : "lies"} outside the session folders: nothing was written`,
    "To change sessions there, name their own folder: --root FOLDER, or PIDEX_ROOTS.",
  );
}
