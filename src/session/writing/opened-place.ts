/** Where a file that was opened really lies: what a path led to a moment ago may be a link by now. */
import { fstatSync, readlinkSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { PidexError } from "../../errors.ts";
import { fsPath, pathText, realPath, realPathSoFar } from "../../path-bytes.ts";

/**
 * To be called between opening a file and writing to it: then it does not matter what becomes of its path.
 *
 * @param within what the real path must begin with; undefined allows any
 * @throws PidexError `FILE_UNWRITABLE`, `SESSION_CHANGED` where the path leads to another file already
 */
export function assertWithin(fd: number, path: string, within: readonly string[] | undefined): void {
  if (within) refuseOutside(placeOf(fd, path), path, within);
}

/**
 * To be called before a file is moved into a folder, which need not be there yet.
 *
 * @throws as `assertWithin`
 */
export function assertFolderWithin(folder: string, within: readonly string[] | undefined): void {
  if (within) refuseOutside(join(realPathSoFar(folder) ?? "", sep), folder, within);
}

function refuseOutside(real: string, path: string, within: readonly string[]): void {
  if (within.some((prefix) => real.startsWith(prefix))) return;
  const hint = "A link came into its way. To change sessions there, name their own folder: --root FOLDER.";
  throw new PidexError(
    "FILE_UNWRITABLE",
    `${path} leads outside the session folders: nothing was written`,
    hint,
  );
}

function placeOf(fd: number, path: string): string {
  try {
    return pathText(readlinkSync(`/proc/self/fd/${fd}`, "buffer")); // Linux knows it of the open file itself
  } catch {
    const real = realPath(path);
    assertStill(fd, real);
    return real;
  }
}

/** @throws PidexError `SESSION_CHANGED` when a path leads to another file than the one that is open */
export function assertStill(fd: number, path: string): void {
  const [open, there] = [
    fstatSync(fd, { bigint: true }),
    statSync(fsPath(path), { bigint: true, throwIfNoEntry: false }),
  ];
  if (there?.dev === open.dev && there.ino === open.ino) return;
  const hint = "Nothing was done: do it again.";
  throw new PidexError("SESSION_CHANGED", `${path} was replaced by another process meanwhile`, hint);
}
