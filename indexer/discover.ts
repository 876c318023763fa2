import { type BigIntStats, type Dirent, lstatSync, readdirSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { systemCode } from "../src/errors.ts";
import { isSessionFileName, isSubagentPath, type Root } from "../src/session/locations.ts";
import { inodeOf } from "./plan.ts";

/** A file that may be a session, as a look at its folder found it. */
export interface FoundFile {
  path: string;
  /** 1 when a subagent wrote it. */
  subagent: 0 | 1;
  stat: BigIntStats;
  /** Why it cannot be read as a session, though it has the name of one. */
  fault?: "not_a_file" | "unreadable";
}

export interface Found {
  files: FoundFile[];
  /** Folders that exist but could not be listed, and what could not be looked at: nothing is known of them. */
  unlisted: { path: string; error: unknown }[];
}

/**
 * Walks the roots and looks at (`stat`) every file that has a session's name, following links as pi does, but
 * not in circles. Reads no file. A root that does not exist holds nothing.
 */
export function discover(roots: readonly Root[]): Found {
  const found: Found = { files: [], unlisted: [] };
  const seen = new Set<string>();
  // Of nested roots the inner one first: it is the nearer one that tells whether a subagent wrote a file.
  for (const root of [...roots].sort((a, b) => b.prefix.length - a.prefix.length)) {
    walk(root.folder, root, [], found, seen);
  }
  return found;
}

function walk(folder: string, root: Root, above: string[], found: Found, seen: Set<string>): void {
  let entries: Dirent[];
  try {
    const identity = inodeOf(statSync(folder, { bigint: true }));
    if (above.includes(identity)) return;
    above = [...above, identity];
    entries = readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (systemCode(error) !== "ENOENT" && systemCode(error) !== "ENOTDIR") {
      found.unlisted.push({ path: folder, error });
    }
    return;
  }
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (!path.startsWith(root.prefix) && !root.prefix.startsWith(path + sep)) continue;
    try {
      if (entry.isDirectory() || linksToFolder(entry, path)) walk(path, root, above, found, seen);
      else if (isSessionFileName(entry.name) && !seen.has(path)) {
        seen.add(path);
        const file = lookAt(path, root);
        if (file) found.files.push(file);
      }
    } catch (error) {
      found.unlisted.push({ path, error });
    }
  }
}

function lookAt(path: string, root: Root): FoundFile | undefined {
  const subagent = isSubagentPath(path, root) ? 1 : 0;
  try {
    const stat = statSync(path, { bigint: true });
    return stat.isFile() ? { path, subagent, stat } : { path, subagent, stat, fault: "not_a_file" };
  } catch {
    // A link to nothing is still there to tell of; a file deleted just now is not.
    const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    return stat && { path, subagent, stat, fault: "unreadable" };
  }
}

function linksToFolder(entry: Dirent, path: string): boolean {
  if (!entry.isSymbolicLink()) return false;
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch (error) {
    // A link to itself leads nowhere, and one with a session's name is told of as a file.
    if (systemCode(error) === "ELOOP" || isSessionFileName(entry.name)) return false;
    throw error;
  }
}
