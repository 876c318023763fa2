import { statSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fsPath } from "../../src/path-bytes.ts";
import { discoverFile, type FoundFile, isAtOrBelow, nothingFound, type PlacedFile } from "../discover.ts";
import { isRacy } from "../plan.ts";

/** A file as it lies there now. */
export function lookAgain(file: PlacedFile): { found: FoundFile | undefined } {
  const look = nothingFound();
  discoverFile(file, look);
  return { found: look.files[0] };
}

/**
 * Whether a file came to its path since a moment in Unix milliseconds, by a folder that was renamed: it keeps all times of
 * its own. In doubt yes: the times of a folder change with each file in it.
 *
 * @param root folders above it are not looked at
 */
export function mayHaveMovedSince({ path }: Pick<PlacedFile, "path">, since: number, root: string): boolean {
  for (let folder = dirname(path); isAtOrBelow(folder, root); folder = dirname(folder)) {
    const stat = statSync(fsPath(folder), { bigint: true, throwIfNoEntry: false });
    if (!stat || isRacy(stat, since)) return true;
    if (folder === root) break;
  }
  return false;
}

/** Whether a file was written, or went, since a moment in Unix milliseconds: as far as times can tell, in doubt yes. */
export function hasChangedSince(file: PlacedFile, since: number): boolean {
  const { found } = lookAgain(file);
  if (found) return isRacy(found.stat, since);
  for (let folder = dirname(file.path); ; folder = dirname(folder)) {
    const stat = statSync(fsPath(folder), { bigint: true, throwIfNoEntry: false });
    if (stat) return isRacy(stat, since);
  }
}

const LONGEST_WAIT_MS = 2_500;
const PAUSE_MS = 20;

/**
 * Waits until files are old enough for their times to tell whether they change again, if they leave it at that: some
 * milliseconds, or two seconds where the file system counts no less. Times ahead of the clock are not waited for.
 */
export async function waitUntilOld(files: readonly PlacedFile[], signal?: AbortSignal): Promise<void> {
  const end = Date.now() + LONGEST_WAIT_MS;
  const isAhead = (file: PlacedFile) => hasChangedSince(file, end);
  const young = (file: PlacedFile) => hasChangedSince(file, Date.now()) && !isAhead(file);
  while (Date.now() < end && files.some(young)) {
    signal?.throwIfAborted();
    await pause(PAUSE_MS);
  }
}
