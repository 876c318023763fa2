import { EventEmitter, once } from "node:events";
import { lstatSync, type Stats, statSync } from "node:fs";
import { dirname, normalize, sep } from "node:path";
import { watch } from "chokidar";
import { systemCode } from "../src/errors.ts";
import { isBelow } from "../src/path-bytes.ts";
import { isInRoot, isSessionFileName, type Root, toDecompressedName } from "../src/session/locations.ts";
import { watchParentFolders } from "./watch-parent-folders.ts";

/**
 * What changed:
 * - `file`: a file with a session's name was created, written to, replaced or deleted;
 * - `folder`: a folder was created or deleted, so that the paths of files below it may have changed;
 * - `root`: a root or one of its parent folders was created, deleted or replaced. Only a new watch reports changes below it.
 */
export type ChangeKind = "file" | "folder" | "root";

/** Callbacks for changes below the roots. */
export interface WatchCallbacks {
  onChange: (kind: ChangeKind, path: string) => void;
  /** The system does not report all changes. May be called repeatedly, also before `watchFolders` throws. */
  onError: (error: unknown) => void;
}

/**
 * Reports changes below the roots in the folders that `discover` walks. Uses one system watch per folder, never one per file.
 * A root that is created, or deleted and created again, is reported as a folder; changes below it only by a new watch.
 *
 * @returns once it watches, a function that ends the watch: earlier changes are not reported
 * @throws the system's error if it cannot watch (`ENOSPC`: too many watches), and Node's `AbortError` if aborted before;
 * then no watcher is left open
 */
export async function watchFolders(
  roots: readonly Root[],
  callbacks: WatchCallbacks,
  signal?: AbortSignal,
): Promise<() => Promise<void>> {
  // First, so that a root created now is either reported here or found by the other watchers.
  const closeParents = watchParentFolders(roots, callbacks);
  const existing = roots.filter(({ folder }) => leadsToFolder(folder));
  const isWhole = ({ prefix }: Root) => prefix.endsWith(sep);
  const partial = existing.filter((root) => !isWhole(root));
  // Not "auto", which on macOS and Windows watches everything below the temporary folder.
  const watches = [
    watchRoots(existing.filter(isWhole), "auto", callbacks),
    watchRoots(partial, "native", callbacks),
  ];
  const close = async () => {
    closeParents();
    await Promise.all(watches.map(({ watcher }) => watcher.close()));
  };
  try {
    await Promise.all(watches.map(({ state }) => once(state, "ready", { signal }))); // throws on "error"
  } catch (error) {
    await close();
    throw error;
  }
  return close;
}

function watchRoots(roots: readonly Root[], backend: "auto" | "native", callbacks: WatchCallbacks) {
  const folders = roots.map(({ folder }) => folder);
  const watcher = watch(folders, {
    backend,
    ignoreInitial: true,
    ignored: (path, stats) => isIgnored(normalize(path), stats, roots),
    ignorePermissionErrors: true, // each sync reports folders that cannot be listed
    atomic: false, // true would delay reports of deleted files by 100 ms
  });
  const state = new EventEmitter<{ ready: []; error: [unknown] }>();
  watcher.on("ready", () => state.emit("ready"));
  watcher.on("error", (error) => {
    if (LEADS_NOWHERE.includes(systemCode(error))) return;
    callbacks.onError(error);
    if (state.listenerCount("error") > 0) state.emit("error", error);
  });
  watcher.on("all", (event, reported) => {
    const path = toSessionPath(normalize(reported));
    if (event === "addDir" || event === "unlinkDir") callbacks.onChange("folder", path);
    else if (isSessionFileName(path) && roots.some((root) => isInRoot(path, root)))
      callbacks.onChange("file", path);
  });
  return { watcher, state };
}

/**
 * Errors for a single broken path: a link to itself, or a target longer than any path. Everything else is still watched, and
 * each sync reports such a file as a problem.
 */
const LEADS_NOWHERE: readonly (string | undefined)[] = ["ELOOP", "ENAMETOOLONG"];

/**
 * Whether `discover` would never reach a path. chokidar calls it with the path only first, later with `stats`.
 *
 * @param stats the result of `lstat`
 */
function isIgnored(path: string, stats: Stats | undefined, roots: readonly Root[]): boolean {
  const candidates = roots.filter((root) => isAtOrAbove(path, root) || isBelowRoot(path, root));
  if (candidates.length === 0) return true;
  if (!stats || stats.isDirectory()) return false;
  if (!stats.isSymbolicLink() || !leadsToFolder(path)) return !isSessionFileName(toSessionPath(path));
  return candidates.every((root) => isBelowRoot(path, root) && hasLinkAbove(path, root));
}

/** The path of the session of a compressed file; any other path as it is. */
function toSessionPath(path: string): string {
  return toDecompressedName(path) ?? path;
}

/** Whether it is the folder of a root or one of its parents. */
function isAtOrAbove(path: string, { prefix }: Root): boolean {
  return isBelow(prefix, path);
}

function isBelowRoot(path: string, { prefix, depth }: Root): boolean {
  if (!path.startsWith(prefix)) return false;
  return depth === undefined || path.slice(prefix.length).split(sep).length <= depth + 1;
}

function leadsToFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false; // a cycle of links, or a target that may not be read
  }
}

/** Whether a link below the root leads to this path: `discover` follows no link below another. */
function hasLinkAbove(path: string, { folder }: Root): boolean {
  for (let parent = dirname(path); parent.length > folder.length; parent = dirname(parent)) {
    if (lstatSync(parent, { throwIfNoEntry: false })?.isSymbolicLink()) return true;
  }
  return false;
}
