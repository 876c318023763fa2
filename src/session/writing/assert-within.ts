/** Checks the real path of an open file: its path may have become a link since it was checked. */
import { fstatSync, readlinkSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { PidexError } from "../../errors.ts";
import { decodePath, encodePath, resolveExistingLinks, resolveLinks } from "../../path-bytes.ts";

/**
 * Call this between opening a file and writing to it: later changes of its path then have no effect.
 *
 * @param within allowed prefixes of the real path; undefined allows any path
 * @throws PidexError `FILE_UNWRITABLE`; `SESSION_CHANGED` if the path now leads to another file
 */
export function assertWithin(fd: number, path: string, within: readonly string[] | undefined): void {
  if (within) refuseOutside(getRealPath(fd, path), path, within);
}

/**
 * Call this before moving a file to a folder, which need not exist yet.
 *
 * @throws as `assertWithin`
 */
export function assertFolderWithin(folder: string, within: readonly string[] | undefined): void {
  if (within) refuseOutside(join(resolveExistingLinks(folder) ?? "", sep), folder, within);
}

function refuseOutside(real: string, path: string, within: readonly string[]): void {
  if (within.some((prefix) => real.startsWith(prefix))) return;
  const hint = "A link leads to another folder. To change sessions there, pass that folder: --root FOLDER.";
  throw new PidexError(
    "FILE_UNWRITABLE",
    `${path} leads outside the session folders: nothing was written`,
    hint,
  );
}

function getRealPath(fd: number, path: string): string {
  try {
    return decodePath(readlinkSync(`/proc/self/fd/${fd}`, "buffer")); // Linux: the path of the open file itself
  } catch {
    const real = resolveLinks(path);
    assertSameFile(fd, real);
    return real;
  }
}

/** @throws PidexError `SESSION_CHANGED` if a path leads to another file than the open one */
export function assertSameFile(fd: number, path: string): void {
  const [open, current] = [
    fstatSync(fd, { bigint: true }),
    statSync(encodePath(path), { bigint: true, throwIfNoEntry: false }),
  ];
  if (current?.dev === open.dev && current.ino === open.ino) return;
  const hint = "Nothing was changed: try again.";
  throw new PidexError("SESSION_CHANGED", `${path} was replaced by another process meanwhile`, hint);
}
