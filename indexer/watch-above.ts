import { existsSync, type FSWatcher, watch } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { PidexError, systemCode } from "../src/errors.ts";
import { isAtOrBelow } from "../src/path-bytes.ts";
import type { Root } from "../src/session/locations.ts";
import { homeFolder } from "../src/surroundings.ts";

/** A folder that is not there, or that nobody may look into, tells nothing; the one above it does. */
const TELLS_NOTHING: readonly (string | undefined)[] = ["ENOENT", "ENOTDIR", "EACCES", "EPERM"];

/**
 * Tells of roots that come or go, also when a folder above them is renamed: `foldersAbove` are watched for the one name that
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
    for (const above of foldersAbove(folder)) {
      const [name = ""] = relative(above, folder).split(sep);
      names.set(above, (names.get(above) ?? new Set()).add(name));
    }
  }
  return names;
}

/**
 * The folders to watch for one that may come, go or be renamed, the outermost first: so one that is made meanwhile is told
 * by the one above it, or there to be watched. The file system's own root only where it is the nearest: nobody renames what
 * is in it.
 *
 * Where the system tells a process of all that is written below a folder, of which Node drops what lies deeper, it is the
 * nearest folder that exists alone, and not even that where the home folder lies in it: the look at everything that comes
 * with time finds the rest.
 *
 * @param tellsOfAll whether it does, as FSEvents
 */
export function foldersAbove(path: string, tellsOfAll = process.platform === "darwin"): string[] {
  const above: string[] = [];
  for (let at = path; dirname(at) !== at; at = dirname(at)) above.push(dirname(at));
  const nearest = above.find((folder) => existsSync(folder));
  if (nearest === undefined) return [];
  if (tellsOfAll) return isHomeIn(nearest) ? [] : [nearest];
  above.reverse();
  return nearest === above[0] ? above : above.slice(1);
}

function isHomeIn(folder: string): boolean {
  try {
    const home = homeFolder();
    return isAtOrBelow(home, folder);
  } catch (error) {
    if (!(error instanceof PidexError)) throw error;
    return dirname(folder) === folder; // nobody's home, but the whole disk all the same
  }
}
