import { lstatSync, mkdirSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { getCacheFolder } from "./environment.ts";
import { systemCode } from "./errors.ts";

/**
 * Turns on Node's compile cache, in the user's cache folder unless `NODE_COMPILE_CACHE` names another. Does nothing
 * if there is no such folder.
 */
export function enableCodeCache(): void {
  const folder = ownFolder();
  if (folder !== undefined) enableCompileCache(folder); // never throws
}

const WRITABLE_BY_OTHERS = 0o022;

/** A folder that only the user can write to, because code in it is executed. */
function ownFolder(): string | undefined {
  try {
    const folder = join(getCacheFolder(process.env, process.platform), "pidex", "code");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = lstatSync(folder);
    if (process.getuid === undefined) return folder; // Windows: it is inside the user's profile
    return uid === process.getuid() && (mode & WRITABLE_BY_OTHERS) === 0 ? folder : undefined;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}
