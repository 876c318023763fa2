import { existsSync, type FSWatcher, watch } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { getHomeFolder } from "../src/environment.ts";
import { PidexError, systemCode } from "../src/errors.ts";
import { getOrInsert } from "../src/get-or-insert.ts";
import { isAtOrBelow } from "../src/path-bytes.ts";
import type { Root } from "../src/session/locations.ts";

/** Errors for a folder that does not exist or may not be read. Its parent's watcher reports it instead. */
const UNWATCHABLE: readonly (string | undefined)[] = ["ENOENT", "ENOTDIR", "EACCES", "EPERM"];

/**
 * Reports roots that are created, deleted or moved, also by renaming a parent folder: watches the `parentFolders` of each root
 * for one name. Not with chokidar, which would read everything in them.
 *
 * @returns a function that ends the watch
 * @throws the system's error if it cannot watch; then no watcher is left open
 */
export function watchParentFolders(
  roots: readonly Root[],
  callbacks: { onChange: (kind: "root", path: string) => void; onError: (error: unknown) => void },
): () => void {
  const watchers: FSWatcher[] = [];
  const close = () => {
    for (const watcher of watchers) watcher.close();
  };
  try {
    for (const [folder, names] of namesByParent(roots)) {
      const watcher = watchNames(folder, names, (path) => callbacks.onChange("root", path));
      if (!watcher) continue;
      watchers.push(watcher);
      watcher.on("error", (error) => {
        // Windows reports a deleted folder this way.
        if (!UNWATCHABLE.includes(systemCode(error))) callbacks.onError(error);
      });
    }
  } catch (error) {
    close();
    throw error;
  }
  return close;
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
    if (UNWATCHABLE.includes(systemCode(error))) return undefined;
    throw error;
  }
}

/** The parent folders of the roots, and the names in each that lead to a root. */
function namesByParent(roots: readonly Root[]): Map<string, Set<string>> {
  const names = new Map<string, Set<string>>();
  for (const { folder } of roots) {
    for (const parent of parentFolders(folder)) {
      const [name = ""] = relative(parent, folder).split(sep);
      getOrInsert(names, parent, () => new Set()).add(name);
    }
  }
  return names;
}

/**
 * The folders to watch for a folder that may be created, deleted or renamed, outermost first: a folder created meanwhile is
 * either reported by its parent or exists when it is watched. Includes the root of the file system only if it is the direct
 * parent, because what is in it is rarely renamed.
 *
 * If the system reports all writes below a watched folder, of which Node drops the deeper ones, only the nearest existing
 * folder is watched, and none if it contains the home folder. The periodic full sync finds the rest.
 *
 * @param isRecursive whether the system does so, as FSEvents
 */
export function parentFolders(path: string, isRecursive = process.platform === "darwin"): string[] {
  const parents: string[] = [];
  for (let child = path; dirname(child) !== child; child = dirname(child)) parents.push(dirname(child));
  const nearest = parents.find((folder) => existsSync(folder));
  if (nearest === undefined) return [];
  if (isRecursive) return isHomeIn(nearest) ? [] : [nearest];
  parents.reverse();
  return nearest === parents[0] ? parents : parents.slice(1);
}

function isHomeIn(folder: string): boolean {
  try {
    const home = getHomeFolder();
    return isAtOrBelow(home, folder);
  } catch (error) {
    if (!(error instanceof PidexError)) throw error;
    return dirname(folder) === folder; // no home folder; avoid watching the whole disk all the same
  }
}
