import { type BigIntStats, type Dirent, lstatSync, readdirSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { systemCode } from "../src/errors.ts";
import { isSessionFileName, isSubagentPath, type Root } from "../src/session/locations.ts";

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
  /** Folders that exist but could not be listed: nothing is known of what is below them. */
  unlisted: { path: string; error: unknown }[];
}

/**
 * Walks the roots and looks at (`stat`) every file that has a session's name, following links as pi does, but
 * not in circles. Reads no file. A root that does not exist holds nothing.
 */
export function discover(roots: readonly Root[]): Found {
  const found: Found = { files: [], unlisted: [] };
  const seen = new Set<string>();
  for (const root of roots) walk(root.folder, root, [], found, seen);
  return found;
}

function walk(folder: string, root: Root, above: string[], found: Found, seen: Set<string>): void {
  let entries: Dirent[];
  try {
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
    const isSession = isSessionFileName(entry.name);
    if (entry.isDirectory() || entry.isSymbolicLink()) {
      if (entry.isDirectory() || linksToFolder(path)) {
        const identity = identityOf(path);
        if (identity && !above.includes(identity)) walk(path, root, [...above, identity], found, seen);
        continue;
      }
    }
    if (isSession && !seen.has(path)) {
      seen.add(path);
      const file = lookAt(path, root);
      if (file) found.files.push(file);
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

function linksToFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function identityOf(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.dev}:${stat.ino}`;
}
