/** Links that lead out of the roots are not written through. */
import { type Index, PidexError } from "../../index.ts";

/** @throws PidexError `FILE_UNWRITABLE` where a link leads from a path to somewhere outside the roots */
export function assertInside(index: Index, path: string): void {
  if (!index.leadsOutside(path)) return;
  throw new PidexError(
    "FILE_UNWRITABLE",
    `${path} leads outside the session folders: nothing was written`,
    "To change sessions there, name their own folder: --root FOLDER, or PIDEX_ROOTS.",
  );
}
