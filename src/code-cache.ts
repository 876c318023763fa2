import { lstatSync, mkdirSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { systemCode } from "./errors.ts";
import { cacheFolder } from "./surroundings.ts";

/**
 * Lets Node keep the code that it compiles, for the next run: beside the index, in the user's cache folder, unless
 * `NODE_COMPILE_CACHE` names another. Where that cannot be, everything goes on without.
 */
export function keepCompiledCode(): void {
  const folder = ownFolder();
  if (folder !== undefined) enableCompileCache(folder); // throws nothing: what it cannot write it leaves
}

const WRITABLE_BY_OTHERS = 0o022;

/** A folder that nobody but the user can write to, since what lies there is run. */
function ownFolder(): string | undefined {
  try {
    const folder = join(cacheFolder(process.env, process.platform), "pidex", "code");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = lstatSync(folder);
    if (process.getuid === undefined) return folder; // Windows: the folder is in the user's own
    return uid === process.getuid() && (mode & WRITABLE_BY_OTHERS) === 0 ? folder : undefined;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}
