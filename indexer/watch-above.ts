import { type FSWatcher, watch } from "node:fs";
import { basename, dirname, join } from "node:path";
import { systemCode } from "../src/errors.ts";
import type { Root } from "../src/session/locations.ts";

/** A folder that is not there, or that nobody may look into, tells nothing; the one above it does. */
const TELLS_NOTHING: readonly (string | undefined)[] = ["ENOENT", "ENOTDIR", "EACCES", "EPERM"];

/**
 * Tells of roots that come or go, also when a folder above them is renamed: each of these is watched for the one name that
 * leads on. Not by chokidar, which looks at everything that is in them.
 *
 * @throws what the system says where it cannot watch; then nothing is left watched
 */
export function watchAbove(
  roots: readonly Root[],
  told: { onRoot: (path: string) => void; onError: (error: unknown) => void },
): { close(): void } {
  const watchers: FSWatcher[] = [];
  const close = () => {
    for (const watcher of watchers) watcher.close();
  };
  try {
    for (const [folder, names] of namesAbove(roots)) {
      const watcher = watchNames(folder, names, told.onRoot);
      if (!watcher) continue;
      watchers.push(watcher);
      watcher.on("error", (error) => {
        // So Windows says that the folder is gone.
        if (!TELLS_NOTHING.includes(systemCode(error))) told.onError(error);
      });
    }
  } catch (error) {
    close();
    throw error;
  }
  return { close };
}

function watchNames(
  folder: string,
  names: ReadonlySet<string>,
  onRoot: (path: string) => void,
): FSWatcher | undefined {
  try {
    return watch(folder, (event, name) => {
      if (event === "rename" && (name === null || names.has(name))) onRoot(join(folder, name ?? ""));
    });
  } catch (error) {
    if (TELLS_NOTHING.includes(systemCode(error))) return undefined;
    throw error;
  }
}

/** The folders above the roots, and the names in each that lead to one. */
function namesAbove(roots: readonly Root[]): Map<string, Set<string>> {
  const names = new Map<string, Set<string>>();
  for (const { folder } of roots) {
    for (let path = folder; dirname(path) !== path; path = dirname(path)) {
      const above = dirname(path);
      names.set(above, (names.get(above) ?? new Set()).add(basename(path)));
    }
  }
  return names;
}
