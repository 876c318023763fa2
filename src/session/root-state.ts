import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";
import { systemCode, toMessage } from "../errors.ts";
import { getOrInsert } from "../get-or-insert.ts";

/** Whether a root can be read, and the system's error if not. */
export interface RootState {
  state: "folder" | "missing" | "not a folder" | "unreadable";
  reason?: string;
}

export function getRootState(folder: string): RootState {
  try {
    if (!statSync(folder).isDirectory()) return { state: "not a folder" };
    accessSync(folder, constants.R_OK | constants.X_OK);
    return { state: "folder" };
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    if (code === "ENOENT" || code === "ENOTDIR") return { state: "missing" };
    return { state: "unreadable", reason: toMessage(error) };
  }
}

const OTHERS_READ = 0o004;
const OTHERS_EXECUTE = 0o001;

/**
 * Returns a function that checks whether every user of this machine can read a file, which requires that every folder above it
 * can be entered. Caches the state of folders.
 */
export function createWorldReadableCheck(): (path: string, mode: number) => boolean {
  const open = new Map<string, boolean>();
  const isOpen = (folder: string): boolean =>
    getOrInsert(open, folder, () => {
      const above = dirname(folder);
      return (statSync(folder).mode & OTHERS_EXECUTE) !== 0 && (above === folder || isOpen(above));
    });
  return (path, mode) => (mode & OTHERS_READ) !== 0 && isOpen(dirname(path));
}
