import { isAtOrBelow } from "../src/path-bytes.ts";
import type { Root } from "../src/session/locations.ts";
import type { Database } from "../src/store/sqlite/open.ts";
import type { CachedFile, FilesByPath } from "./cached-files.ts";
import {
  type CandidateFile,
  type Discovery,
  discover,
  discoverFile,
  emptyDiscovery,
  type FoundFile,
} from "./discover.ts";
import { getFileCache } from "./file-cache.ts";
import { plan } from "./plan.ts";

/** The files the index knows, compared with the files on disk. */
export interface DiskComparison {
  readonly known: FilesByPath;
  /** Paths of known files that did not change. */
  readonly unchanged: readonly string[];
  /** All other files on disk. */
  readonly found: Discovery;
}

/** Compares the files below the roots with the index by their `stat`. Reads no file. @throws the signal's reason when aborted */
export async function compareWithDisk(
  db: Database,
  roots: readonly Root[],
  signal?: AbortSignal,
): Promise<DiskComparison> {
  // Before the walk, not after: a file that another process indexes meanwhile must not look deleted.
  const known = getFileCache(db).filesBelow(roots);
  const unchanged: string[] = [];
  const found = await discover(roots, signal, (path, stat, isCompressed) => {
    // A compressed file with the same inode and ctime has the same content, so its seek table need not be read.
    if (isCompressed) stat.size = BigInt(known.get(path)?.size ?? -1);
    if (!known.isUnchanged(path, stat)) return true;
    unchanged.push(path);
    return false;
  });
  return { known, unchanged, found };
}

/** Like `compareWithDisk`, for these files only: no folder is walked. `rowAt` reads a file's row from the index. */
export function compareFilesWithDisk(
  files: readonly CandidateFile[],
  rowAt: (path: string) => CachedFile | undefined,
): DiskComparison {
  const known = new Map<string, CachedFile>();
  const found = emptyDiscovery();
  for (const file of files) {
    const row = rowAt(file.path);
    if (row) known.set(file.path, row);
    discoverFile(file, found);
  }
  return { known, unchanged: [], found };
}

/** The files to read, oldest first, so that row ids follow time. */
export function findChangedFiles({ known, found }: DiskComparison): FoundFile[] {
  return found.files
    .filter(({ path, stat, failure }) => failure || plan(stat, known.get(path)) !== "skip")
    .sort((a, b) => Number(a.stat.mtimeNs - b.stat.mtimeNs));
}

/** Known files that no longer exist. Files in folders that could not be listed don't count as missing. */
export function findMissingFiles({ known, unchanged, found }: DiskComparison): CachedFile[] {
  const { files, unlisted } = found;
  const changed = files.filter(({ path }) => known.has(path)).length;
  if (unchanged.length + changed === known.size) return [];
  const present = new Set([...unchanged, ...files.map(({ path }) => path)]);
  const isUnlisted = (path: string) => unlisted.some((each) => isAtOrBelow(path, each.path));
  return [...known.values()].filter(({ path }) => !present.has(path) && !isUnlisted(path));
}

/** Whether a sync would find nothing. A file with the same size and times counts as unchanged, even if a sync would compare its bytes. */
export async function isUpToDate(
  db: Database,
  roots: readonly Root[],
  signal?: AbortSignal,
): Promise<boolean> {
  const comparison = await compareWithDisk(db, roots, signal);
  const { known, found } = comparison;
  const isUnchanged = ({ path, stat, failure }: FoundFile) => {
    const row = known.get(path);
    return !failure && row !== undefined && plan(stat, { ...row, racy: 0 }) === "skip";
  };
  return found.files.every(isUnchanged) && findMissingFiles(comparison).length === 0;
}
