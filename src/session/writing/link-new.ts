import { existsSync, linkSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import { systemCode } from "../../errors.ts";
import { encodePath } from "../../path-bytes.ts";
import { syncFolder } from "./replace-file.ts";

/**
 * Gives a file a further name, if no other file has it. On a file system without hard links, the file is renamed.
 *
 * @returns false if another file has the name
 * @throws the error of `fs`
 */
export function linkNew(from: string, to: string): boolean {
  try {
    linkSync(encodePath(from), encodePath(to)); // unlike a rename, it never replaces a file
  } catch (error) {
    if (systemCode(error) === "EEXIST" || existsSync(encodePath(to))) return false;
    if (!existsSync(encodePath(from))) throw error;
    renameSync(encodePath(from), encodePath(to));
  }
  syncFolder(dirname(to));
  return true;
}
