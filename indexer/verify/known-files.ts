import { type Found, type FoundFile, isAtOrBelow, type PlacedFile } from "../discover.ts";
import { inodeOf } from "../plan.ts";
import type { FileRow } from "../rows.ts";

/** A file that is on the disk, in the index, or in both. */
export interface KnownFile {
  path: string;
  found: FoundFile | undefined;
  row: FileRow | undefined;
  /** Whether something is wrong in it. */
  hasProblems: boolean;
}

/** What is on the disk, and what the index has, but for what is in folders that nothing can be known of. */
export function knownFiles(
  rows: readonly FileRow[],
  problems: ReadonlySet<number>,
  found: Found,
): KnownFile[] {
  const files = new Map<string, KnownFile>();
  for (const row of rows) {
    if (found.unlisted.some(({ path }) => isAtOrBelow(row.path, path))) continue;
    files.set(row.path, { path: row.path, row, found: undefined, hasProblems: problems.has(row.id) });
  }
  for (const file of found.files) {
    const known = files.get(file.path);
    if (known) known.found = file;
    else files.set(file.path, { path: file.path, row: undefined, found: file, hasProblems: false });
  }
  return [...files.values()];
}

/** A file as a look at it takes it. */
export function placed({ path, found, row }: KnownFile): PlacedFile {
  return { path, subagent: (found ?? row)?.subagent === 1 ? 1 : 0, outside: found?.outside };
}

/** Whether the row is of the file as a look found it. */
export function isOfNow({ found, row }: Pick<KnownFile, "found" | "row">): boolean {
  if (!found || !row) return false;
  const { stat } = found;
  return (
    row.inode === inodeOf(stat) &&
    row.size === Number(stat.size) &&
    row.mtime_ns === String(stat.mtimeNs) &&
    row.ctime_ns === String(stat.ctimeNs)
  );
}
