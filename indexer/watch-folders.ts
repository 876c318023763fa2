import { EventEmitter, once } from "node:events";
import { lstatSync, type Stats, statSync } from "node:fs";
import { dirname, normalize, sep } from "node:path";
import { watch } from "chokidar";
import { systemCode } from "../src/errors.ts";
import { isBelow } from "../src/path-bytes.ts";
import { isInRoot, isSessionFileName, type Root } from "../src/session/locations.ts";
import { watchAbove } from "./watch-above.ts";

/** Who wants to know what changes below some roots. */
export interface Told {
  /** A file with a session's name was made, written to, replaced or deleted. */
  onFile: (path: string) => void;
  /** A folder came or went: what is below it may have another name now. */
  onFolder: (path: string) => void;
  /** A root, or a folder that leads to one, came, went or is another: only a new watch tells of what is there now. */
  onRoot: (path: string) => void;
  /** The system does not tell of everything. May be called again and again, before `watchFolders` throws too. */
  onError: (error: unknown) => void;
}

export interface FolderWatch {
  close(): Promise<void>;
}

/**
 * Tells of what changes below the roots, as far as `discover` walks them. The system is asked for one watch a folder, never
 * one a file. A root that comes, or one that goes and is back at once, is told as a folder, and what is below it only
 * by a new watch.
 *
 * @returns when it watches: what changed before that is not told
 * @throws what the system says where it cannot watch (`ENOSPC`: too many watches), and Node's `AbortError` when aborted before;
 * then nothing is left watched
 */
export async function watchFolders(
  roots: readonly Root[],
  told: Told,
  signal?: AbortSignal,
): Promise<FolderWatch> {
  // First, so that a root that comes now is either told or there for the others to see.
  const above = watchAbove(roots, told);
  const there = roots.filter(({ folder }) => leadsToFolder(folder));
  const isWhole = ({ prefix }: Root) => prefix.endsWith(sep);
  const parts = there.filter((root) => !isWhole(root));
  // Not "auto", which on macOS and Windows asks for all that is below the temporary folder.
  const watches = [watchThese(there.filter(isWhole), "auto", told), watchThese(parts, "native", told)];
  const close = async () => {
    above.close();
    await Promise.all(watches.map(({ watcher }) => watcher.close()));
  };
  try {
    await Promise.all(watches.map(({ state }) => once(state, "ready", { signal }))); // which throws what "error" brings
  } catch (error) {
    await close();
    throw error;
  }
  return { close };
}

function watchThese(roots: readonly Root[], backend: "auto" | "native", told: Told) {
  const folders = roots.map(({ folder }) => folder);
  const watcher = watch(folders, {
    backend,
    ignoreInitial: true,
    ignored: (path, stats) => isIgnored(normalize(path), stats, roots),
    ignorePermissionErrors: true, // each sync tells of a folder that may not be listed
    atomic: false, // which holds back for 100 ms that a file is gone
  });
  const state = new EventEmitter<{ ready: []; error: [unknown] }>();
  watcher.on("ready", () => state.emit("ready"));
  watcher.on("error", (error) => {
    if (LEADS_NOWHERE.includes(systemCode(error))) return;
    told.onError(error);
    if (state.listenerCount("error") > 0) state.emit("error", error);
  });
  watcher.on("all", (event, given) => {
    const path = normalize(given);
    if (event === "addDir" || event === "unlinkDir") told.onFolder(path);
    else if (isSessionFileName(path) && roots.some((root) => isInRoot(path, root))) told.onFile(path);
  });
  return { watcher, state };
}

/**
 * What the system says of one path that leads nowhere: a link to itself, or a target longer than any path. Everything
 * else is watched all the same, and each sync reports such a file as a problem.
 */
const LEADS_NOWHERE: readonly (string | undefined)[] = ["ELOOP", "ENAMETOOLONG"];

/**
 * Whether `discover` would never come to a path. Asked by its name alone first, where nothing is known of it yet.
 *
 * @param stats what `lstat` says
 */
function isIgnored(path: string, stats: Stats | undefined, roots: readonly Root[]): boolean {
  const near = roots.filter((root) => isAtOrAbove(path, root) || isBelowRoot(path, root));
  if (near.length === 0) return true;
  if (!stats || stats.isDirectory()) return false;
  if (!stats.isSymbolicLink() || !leadsToFolder(path)) return !isSessionFileName(path);
  return near.every((root) => isBelowRoot(path, root) && hasLinkAbove(path, root));
}

/** Whether it is the folder of a root, or one above it. */
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
    return false; // a circle of links, or one that leads where nobody may look
  }
}

/** Whether a link below the root leads to this path: `discover` follows no link below another. */
function hasLinkAbove(path: string, { folder }: Root): boolean {
  for (let above = dirname(path); above.length > folder.length; above = dirname(above)) {
    if (lstatSync(above, { throwIfNoEntry: false })?.isSymbolicLink()) return true;
  }
  return false;
}
