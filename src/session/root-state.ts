import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";
import { systemCode } from "../errors.ts";

/** Whether a root can be looked into, and what the system says where it cannot. */
export interface RootState {
  state: "folder" | "missing" | "not a folder" | "unreadable";
  reason?: string;
}

export function rootState(folder: string): RootState {
  try {
    if (!statSync(folder).isDirectory()) return { state: "not a folder" };
    accessSync(folder, constants.R_OK | constants.X_OK);
    return { state: "folder" };
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    if (code === "ENOENT" || code === "ENOTDIR") return { state: "missing" };
    return { state: "unreadable", reason: error instanceof Error ? error.message : code };
  }
}

const READ_BY_OTHERS = 0o004;
const ENTERED_BY_OTHERS = 0o001;

/**
 * Tells of files whether everybody on this machine may read them: that needs every folder above to let them through.
 * Remembers what it saw of folders.
 */
export function othersMayRead(): (path: string, mode: number) => boolean {
  const open = new Map<string, boolean>();
  const isOpen = (folder: string): boolean => {
    const known = open.get(folder);
    if (known !== undefined) return known;
    const above = dirname(folder);
    const result = (statSync(folder).mode & ENTERED_BY_OTHERS) !== 0 && (above === folder || isOpen(above));
    open.set(folder, result);
    return result;
  };
  return (path, mode) => (mode & READ_BY_OTHERS) !== 0 && isOpen(dirname(path));
}
