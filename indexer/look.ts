import { isAtOrBelow } from "../src/path-bytes.ts";
import type { Root } from "../src/session/locations.ts";
import type { Database } from "../src/store/sqlite/open.ts";
import {
  discoverFile,
  discoverInTurns,
  type Found,
  type FoundFile,
  nothingFound,
  type PlacedFile,
} from "./discover.ts";
import { memoryOf } from "./file-memory.ts";
import { plan } from "./plan.ts";
import type { KnownFiles, RememberedFile } from "./remembered-files.ts";

/** What the index knows of files, and what there is of them. */
export interface Look {
  readonly known: KnownFiles;
  /** The paths of known files of which nothing is to be read: they are as they were. */
  readonly unchanged: readonly string[];
  /** The others. */
  readonly found: Found;
}

/** Looks at the files below the roots, and reads none. @throws the signal's reason when aborted */
export async function look(db: Database, roots: readonly Root[], signal?: AbortSignal): Promise<Look> {
  // Before the walk, not after: a file that another process adds meanwhile must not look deleted.
  const known = memoryOf(db).below(roots);
  const unchanged: string[] = [];
  const found = await discoverInTurns(roots, signal, (path, stat) => {
    if (!known.isUnchanged(path, stat)) return true;
    unchanged.push(path);
    return false;
  });
  return { known, unchanged, found };
}

/** Looks at these files alone: no folder is walked. `rowAt` says what the index knows of one. */
export function lookAtFiles(
  files: readonly PlacedFile[],
  rowAt: (path: string) => RememberedFile | undefined,
): Look {
  const known = new Map<string, RememberedFile>();
  const found = nothingFound();
  for (const file of files) {
    const row = rowAt(file.path);
    if (row) known.set(file.path, row);
    discoverFile(file, found);
  }
  return { known, unchanged: [], found };
}

/** The files that are to be read, the oldest first: row ids follow time. */
export function changedFiles({ known, found }: Look): FoundFile[] {
  return found.files
    .filter(({ path, stat, fault }) => fault || plan(stat, known.get(path)) !== "skip")
    .sort((a, b) => Number(a.stat.mtimeNs - b.stat.mtimeNs));
}

/** Known files that are no longer there, but for those in folders that nothing can be known of. */
export function missingFiles({ known, unchanged, found }: Look): RememberedFile[] {
  const { files, unlisted } = found;
  const met = files.filter(({ path }) => known.has(path)).length;
  if (unchanged.length + met === known.size) return [];
  const present = new Set([...unchanged, ...files.map(({ path }) => path)]);
  const isUnseen = (path: string) => unlisted.some((unseen) => isAtOrBelow(path, unseen.path));
  return [...known.values()].filter(({ path }) => !present.has(path) && !isUnseen(path));
}
