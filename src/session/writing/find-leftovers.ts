import { readdirSync } from "node:fs";
import { join } from "node:path";
import { decodePath, encodePath } from "../../path-bytes.ts";
import { isSessionFileName, toDecompressedName } from "../locations.ts";
import { withRewriteLock } from "./rewrite-lock.ts";
import { type SettledFiles, settle, toRetiredPath } from "./settle-compressed.ts";

const RETIRED_SUFFIX = toRetiredPath("");

/** Sessions in these folders, not in their subfolders, that have more than one file. @returns their paths */
export function findLeftovers(folders: Iterable<string>): string[] {
  const found = new Set<string>();
  for (const folder of folders) {
    const names = new Set(listNames(folder));
    for (const name of names) {
      const session = toDecompressedName(name);
      if (session !== undefined && names.has(session)) found.add(join(folder, session));
      const original = name.slice(0, -RETIRED_SUFFIX.length);
      if (name.endsWith(RETIRED_SUFFIX) && isSessionFileName(original)) found.add(join(folder, original));
    }
  }
  return [...found].sort();
}

/** Settles the files of a session, as `settle`, under the lock. @throws the error of `fs`; PidexError `SESSION_CHANGED` */
export function settleLeftovers(path: string): SettledFiles {
  return withRewriteLock(path, () => settle(path));
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(encodePath(folder), "buffer").map(decodePath);
  } catch {
    return []; // it is gone, or may not be read: then nothing in it can be settled
  }
}
