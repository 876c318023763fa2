import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { decodePath, encodePath } from "../../path-bytes.ts";
import { isSessionFileName, toDecompressedName, toRetiredPath, toTailPath } from "../locations.ts";
import { withWriteErrors } from "./replace-file.ts";
import { withRewriteLock } from "./rewrite-lock.ts";
import { type SettledFiles, settle } from "./settle-compressed.ts";

const SUFFIXES = [toRetiredPath(""), toTailPath("", 1)];

/**
 * Sessions in these folders, not in their subfolders, that have more than one file.
 *
 * @param options `interrupted`: only those that a process was killed for. The others were appended to when they were compressed
 * @returns their paths
 */
export function findLeftovers(
  folders: Iterable<string>,
  { interrupted = false }: { interrupted?: boolean } = {},
): string[] {
  const found = new Set<string>();
  for (const folder of folders) {
    const names = new Set(listNames(folder));
    for (const name of names) {
      const session = toDecompressedName(name);
      if (!interrupted && session !== undefined && names.has(session)) found.add(join(folder, session));
      for (const suffix of SUFFIXES) {
        const original = name.slice(0, -suffix.length);
        if (name.endsWith(suffix) && isSessionFileName(original)) found.add(join(folder, original));
      }
    }
  }
  return [...found].sort();
}

/** Whether a compressed session has other files, so that `settle` has something to do. */
export function hasOtherFiles(path: string): boolean {
  return [path, toRetiredPath(path), toTailPath(path, 1)].some((file) => existsSync(encodePath(file)));
}

/** Settles the files of a session, as `settle`, under the lock. @throws PidexError `SESSION_CHANGED`, `FILE_UNREADABLE`, `FILE_UNWRITABLE` */
export function settleLeftovers(path: string): SettledFiles {
  return withWriteErrors(path, () => withRewriteLock(path, () => settle(path)));
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(encodePath(folder), "buffer").map(decodePath);
  } catch {
    return []; // it is gone, or may not be read: then nothing in it can be settled
  }
}
